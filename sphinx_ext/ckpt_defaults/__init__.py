"""Documentation that cannot lie about a default: a Sphinx extension and a command.

The config is the truth; every other place that states a default is a statement; a statement that disagrees fails the
build; and what a page can take from the truth directly, it need not state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .version import __version__

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata

__all__ = ["__version__", "setup"]


def setup(app: Sphinx) -> ExtensionMetadata:
    """What the extension adds to a Sphinx project."""
    from . import build, catalogue, conf_values
    from .memory import directive as memory_directive
    from .rendering import config_pages, format_directive

    conf_values.setup(app)
    catalogue.setup(app)
    format_directive.setup(app)
    memory_directive.setup(app)
    config_pages.setup(app)
    build.setup(app)
    return {
        "version": __version__,
        "env_version": build.ENV_VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
