"""What shows settings on pages: two directives, a role, and their objects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from . import config_nodes, config_rows, confvals
from .config_listing import ConfigListing
from .config_table import ConfigTable
from .phrases import phrases
from .roles import ConfigDefault

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment
    from sphinx.util.typing import ExtensionMetadata

STYLE = "ckpt_config.css"

_STYLE_FILE = Path(__file__).parent / "static" / STYLE


def copy_style(app: Sphinx) -> None:
    """Puts the style sheet among the static files of an HTML build (for ``builder-inited``)."""
    if app.builder.format != "html":
        return
    target = Path(app.outdir) / "_static" / STYLE
    style = _STYLE_FILE.read_bytes()
    if not target.exists() or target.read_bytes() != style:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(style)


def prime(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Compiles the rules of the readers before workers are forked: each would do it for every batch of pages."""
    if docnames:
        phrases()


def setup(app: Sphinx) -> ExtensionMetadata:
    """Adds all of it; it needs what ``ckpt_defaults`` itself sets up."""
    app.add_directive("config-table", ConfigTable)
    app.add_directive("config-listing", ConfigListing)
    app.add_role("config-default", ConfigDefault())
    config_nodes.setup(app)
    config_rows.setup(app)
    confvals.setup(app)
    app.connect("builder-inited", copy_style)
    app.connect("env-before-read-docs", prime)
    app.add_css_file(STYLE)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
