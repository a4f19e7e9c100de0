"""The values of conf.py as the extension registers them: ``.. conf-value:: ckpt_defaults_config``.

Type and default come from Sphinx's own list of values; a name that is not there, and one that no page describes, is a
warning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

PREFIX = "ckpt_defaults_"
logger = logging.getLogger(__name__)


class ConfValue(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        known = self.config.values
        if name not in known:
            logger.warning("conf.py has no value %r", name, location=self.get_location(), type="example")
            return []
        default, types = known[name].default, known[name].valid_types
        kinds = " or ".join(sorted(kind.__name__ for kind in types))
        lines = [
            f".. confval:: {name}",
            f"   :type: ``{kinds}``",
            f"   :default: ``{default!r}``",
            "",
            *("   " + line for line in self.content),
        ]
        source, _ = self.get_source_info()
        holder = nodes.container()
        self.state.nested_parse(StringList(lines, source), self.content_offset, holder)
        holder["classes"] = []
        self.env.metadata[self.env.docname].setdefault("conf_values", "")
        self.env.metadata[self.env.docname]["conf_values"] += f" {name}"
        return list(holder.children)


def undescribed(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Warns of each value of the extension that no page describes."""
    described = {name for page in env.metadata.values() for name in page.get("conf_values", "").split()}
    for name in app.config.values:
        if name.startswith(PREFIX) and name not in described:
            logger.warning("no page describes the value %r of conf.py", name, type="example")
    return []


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_directive("conf-value", ConfValue)
    app.connect("env-updated", undescribed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
