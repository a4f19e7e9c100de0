"""The translations that the extension ships."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> None:
    """Adds the catalogues of ``locale/`` to the project's."""
    app.add_message_catalog("ckpt_defaults", str(Path(__file__).parent / "locale"))
