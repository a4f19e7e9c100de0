"""What shows settings on pages: two directives, a role, and their objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import config_nodes, config_rows, confvals
from .config_listing import ConfigListing
from .config_table import ConfigTable
from .media import add_style
from .roles import ConfigDefault

if TYPE_CHECKING:
    from sphinx.application import Sphinx


STYLE = "ckpt_config.css"


def setup(app: Sphinx) -> None:
    """Adds all of it; it needs what ``ckpt_defaults`` itself sets up."""
    app.add_directive("config-table", ConfigTable)
    app.add_directive("config-listing", ConfigListing)
    app.add_role("config-default", ConfigDefault())
    config_nodes.setup(app)
    config_rows.setup(app)
    confvals.setup(app)
    add_style(app, STYLE)
