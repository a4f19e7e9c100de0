"""The role ``config-default``: the default of a setting, inline."""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.util.docutils import ReferenceRole

from ..literals import redacted, shown
from ..nodes import CONTAINER_CLASS, failure
from ..settings import ConfigError
from ..sources import confdir_of, line_url, page_path
from .config_answers import VALUE, answer_value, failed, page_root, project_here
from .config_nodes import _, config_value
from .confvals import domain_of
from .media import MARK as FAILURES
from .selection import Query, Row

_FIELD = re.compile(r"\{value(?::([^{}]*))?\}")


class ConfigDefault(ReferenceRole):
    """The default of a key, as a literal: ``KEY``, or ``text with {value} <KEY>``; ``KEY @ ROOT`` names the root.

    ``{value:,}`` formats a number as Python does.
    """

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        key, _at, root = self.target.partition("@")
        query = Query(key.strip(), root.strip(), kind=VALUE)
        known = ""
        try:
            page = page_root(self.config, self.env, self.env.docname)
            found = answer_value(project_here(self.config, self.env), query, page)
            known = found.digest()
            self.env.note_dependency(found.rows[0].setting.file)
            return self.told(found.rows[0]), []
        except ConfigError as error:
            known = known or failed(error)
            self.inliner.document[FAILURES] = "yes"
            return [failure(str(error), *self.get_source_info())], []
        finally:
            domain_of(self.env).note_answer(query, known)

    def told(self, row: Row) -> list[nodes.Node]:
        """The value, or the text with the value in it."""
        if not self.has_explicit_title:
            return [self.value(row, "")]
        found: list[nodes.Node] = []
        end = 0
        for hit in _FIELD.finditer(self.title):
            if hit.start() > end:
                found.append(nodes.Text(self.title[end : hit.start()]))
            found.append(self.value(row, hit.group(1) or ""))
            end = hit.end()
        if not end:
            raise ConfigError(f"the text {self.title!r} does not say where the value goes; write {{value}} in it")
        if end < len(self.title):
            found.append(nodes.Text(self.title[end:]))
        return [nodes.inline("", "", *found, classes=[CONTAINER_CLASS])]

    def value(self, row: Row, form: str) -> nodes.Node:
        """The value with the place where it is set: as a tooltip, and as a link where the line has an address."""
        setting = row.setting
        confdir = confdir_of(self.env)
        place = f"{setting.path}: {page_path(setting.file, self.config, confdir)}:{setting.line}"
        url = line_url(setting.file, setting.line, self.config, confdir)
        node: nodes.Element
        if row.hidden or setting.value == "???":
            node = nodes.emphasis("", _("secret, not shown") if row.hidden else _("required"))
        else:
            node = config_value("", self.written(row, form), title=place)
        if url:
            node = nodes.reference("", "", node, refuri=url, reftitle=place, internal=False)
        node["classes"].append(CONTAINER_CLASS)
        node.source, node.line = self.get_source_info()
        return node

    def written(self, row: Row, form: str) -> str:
        if row.resolution.problem:
            return shown(row.setting.value)
        value = redacted(row.resolution.value)
        if not form:
            return shown(value)
        try:
            return format(value, form)
        except (ValueError, TypeError):
            raise ConfigError(f"{{value:{form}}} does not fit {shown(value)!r}, the default of {row.path!r}") from None
