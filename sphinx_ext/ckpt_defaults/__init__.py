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
    from . import build, catalogue
    from .memory import directive as memory_directive
    from .rendering import config_pages
    from .rendering import format_directive as directives

    texts, mapping = frozenset({list, tuple}), frozenset({dict})
    app.add_config_value("ckpt_defaults_config", [], "env", types=texts | {str})
    app.add_config_value("ckpt_defaults_code", [], "env", types=texts)
    app.add_config_value("ckpt_defaults_code_every_place", False, "", types=frozenset({bool}))
    app.add_config_value("ckpt_defaults_config_copies", False, "", types=frozenset({bool}))
    app.add_config_value("ckpt_defaults_pages", {}, "", types=mapping)
    app.add_config_value("ckpt_defaults_ignore", [], "", types=texts)
    app.add_config_value("ckpt_defaults_baseline", "", "", types=frozenset({str}))
    app.add_config_value("ckpt_defaults_fail_on", "disagrees", "", types=frozenset({str}))
    app.add_config_value("ckpt_defaults_source_url", "", "env", types=frozenset({str}))
    app.add_config_value("ckpt_defaults_prefer_live", False, "", types=frozenset({bool}))
    catalogue.setup(app)
    directives.setup(app)
    memory_directive.setup(app)
    config_pages.setup(app)
    build.setup(app)
    return {
        "version": __version__,
        "env_version": build.ENV_VERSION,
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
