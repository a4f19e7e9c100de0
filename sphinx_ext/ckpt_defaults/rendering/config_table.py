"""The directive ``config-table``: the settings under a key, one row each, or what changed in them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes

from ..formats import N_
from ..interpolation import is_interpolated
from ..literals import redacted, references, shown
from ..settings import ConfigError, Setting
from ..sources import confdir_of, line_url, page_path, places_of
from .config_answers import (
    SINCE,
    TABLE,
    answer_since,
    answer_table,
    digest_changes,
    older_project,
    project_here,
)
from .config_diff import CHANGED, GONE, MOVED, NEW, Change
from .config_directive import ConfigDirective, words
from .config_nodes import TABLE_CLASS, _, config_cell, config_value
from .config_rows import config_body, config_row, line, told
from .confvals import TABLE as IN_TABLE
from .confvals import domain_of, key_reference
from .declared import UNDECLARED, Declaration, type_text, value_texts
from .descriptions import Descriptions
from .selection import SORTS, Answer, Row, has_key

if TYPE_CHECKING:
    from sphinx.util.typing import OptionSpec

COLUMNS: dict[str, tuple[str, int]] = {
    "name": (N_("Setting"), 30),
    "type": (N_("Type"), 8),
    "default": (N_("Default"), 20),
    "values": (N_("Values"), 16),
    "description": (N_("Description"), 42),
    "source": (N_("Set in"), 18),
}
"""Columns by name: the head (a message id) and the relative width."""

GROUPS = ("rows", "tables")
"""Where the settings of a nested group stand: below the row of the group, or in a table of their own."""

USUAL = ("name", "type", "default", "description")
LONGEST = 240
"""Characters of a default that a table shows; the rest is at the line that it links to."""


def columns(argument: str | None) -> tuple[str, ...]:
    found = words(argument)
    unknown = [name for name in found if name not in COLUMNS]
    if unknown or found[0] != "name":
        wrong = " ".join(unknown) or found[0]
        raise ValueError(f"name comes first, then any of {', '.join(list(COLUMNS)[1:])}; not {wrong!r}")
    return found


def order(argument: str | None) -> str:
    return directives.choice(argument or "", SORTS)


def groups(argument: str | None) -> str:
    return directives.choice(argument or "", GROUPS)


class ConfigTable(ConfigDirective):
    """The settings under a key: name, type, default, description, and on demand values and source.

    ``:since:`` names an older copy of the config and shows what changed instead.
    """

    has_content = False
    option_spec: ClassVar[OptionSpec] = {
        **ConfigDirective.option_spec,
        "columns": columns,
        "sort": order,
        "groups": groups,
        "since": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        if "since" in self.options:
            return self.run_since()
        query = self.query(TABLE)
        try:
            found, declared, digest = answer_table(self.config, self.env, query, self.page_root())
        except ConfigError as error:
            return self.failed(query, error)
        rows = Rows(self, found, self.options.get("columns", USUAL), declared)
        tables = rows.tables(apart=self.options.get("groups") == GROUPS[1])
        self.note(query, digest, rows.files)
        return [self.block(*tables)]

    def run_since(self) -> list[nodes.Node]:
        query = self.query(SINCE, self.options["since"].strip())
        try:
            project = project_here(self.config, self.env)
            older = older_project(self.config, self.env, query.other, check=True)
            root, key, found = answer_since(project, older, query, self.page_root())
        except ConfigError as error:
            return self.failed(query, error)
        self.note(query, digest_changes(found), [*older.files, *_files(found)])
        rows = Rows(self, Answer(root, key, ()), USUAL)
        if not found:
            return [self.block(line(nodes.Text(_("No setting changed."))))]
        return [self.block(rows.changes(found))]


def _files(found: Sequence[Change]) -> list[str]:
    return [row.setting.file for each in found for row in (each.before, each.now) if row is not None]


class Rows:
    """The nodes of one table."""

    def __init__(
        self,
        directive: ConfigDirective,
        found: Answer,
        names: Sequence[str],
        declared: Mapping[str, Declaration] = MappingProxyType({}),
    ) -> None:
        self.directive, self.found, self.names, self.declared = directive, found, names, declared
        self.config, self.env = directive.config, directive.env
        self.confdir = confdir_of(self.env)
        self.descriptions = Descriptions(directive)
        self.files: list[str] = []
        self.ids: dict[str, str] = {}
        self.tables_of: dict[str, str] = {}
        self.targets: list[tuple[str, str, int]] = []
        self.places = places_of(self.config, self.confdir)
        self.shown_files: dict[str, str] = {}
        self.heads = {name: _(head) for name, (head, _width) in COLUMNS.items()}

    def tables(self, apart: bool) -> list[nodes.table]:
        """The table of all rows; with ``apart``, one for the settings right below the key and one for each group."""
        key, target = self.found.key, self.directive.target
        parts: dict[str, list[Row]] = {}
        for row in self.found.rows:
            parts.setdefault(row.name.rpartition(".")[0] if apart else "", []).append(row)
        made = []
        for name in parts:
            table = self.frame([(column, COLUMNS[column][1]) for column in self.names], name)
            if name:
                self.tables_of[name] = self.directive.fresh_id("settings", f"{key}.{name}" if key else name)
                table["ids"].append(self.tables_of[name])
            elif key and key != self.found.rows[0].path:
                table["ids"].append(target(key, self.targets, IN_TABLE))
            made.append(table)
        for row in self.found.rows:
            self.ids[row.path] = target(row.path, self.targets, IN_TABLE)
        for table, (name, rows) in zip(made, parts.items(), strict=True):
            body = config_body(columns=list(self.names), labels=[self.heads[column] for column in self.names])
            body.extend(self.row(row, name) for row in rows)
            group = table.children[-1]
            assert isinstance(group, nodes.tgroup)
            group[-1] = body
        domain_of(self.env).note_keys(self.targets)
        return made

    def frame(self, heads: Sequence[tuple[str, int]], name: str = "") -> nodes.table:
        """An empty table with its title and heads; ``name`` is that of a group which has a table of its own."""
        table = nodes.table(classes=[TABLE_CLASS, "colwidths-given"])
        self.directive.set_source_info(table)
        title = self.title(name)
        if title is not None:
            table += title
        if not name:
            self.directive.add_name(table)
        group = nodes.tgroup(cols=len(heads))
        head = nodes.row()
        for name, width in heads:
            group += nodes.colspec(colwidth=width)
            head += nodes.entry("", nodes.paragraph("", self.heads.get(name, name), translatable=False))
        group += [nodes.thead("", head), nodes.tbody()]
        table += group
        return table

    def title(self, name: str) -> nodes.title | None:
        """The caption: what ``:caption:`` says, else the key that the names of the rows are relative to."""
        caption, key = self.directive.options.get("caption"), ".".join(filter(None, (self.found.key, name)))
        if caption and not name:
            parsed, _messages = self.directive.parse_inline(caption)
            title = nodes.title(caption, "", *parsed)
            self.directive.set_source_info(title)
            return title
        if not key:
            return None
        before, _key, after = _("Settings under %s").partition("%s")
        title = nodes.title("", "", nodes.Text(before), config_value("", key), nodes.Text(after), translatable=False)
        self.directive.set_source_info(title)
        return title

    def row(self, row: Row, within: str) -> config_row:
        """The row of one setting, in the table of the group ``within``."""
        setting, hidden = row.setting, row.hidden
        self.files.append(setting.file)
        text = row.name[len(within) + 1 :] if within else row.name
        made = config_row(
            ids=[self.ids[row.path]], key=row.path, text=text, lead=text.rfind(".") + 1,
            type="", default="", title="", choices=(), source="", url="",
        )  # fmt: skip
        if not row.implied:
            made["source"] = f"{self.file(setting.file)}:{setting.line}"
            made["url"] = line_url(setting.file, setting.line, self.config, self.confdir)
        if row.group:
            made["classes"].append("ckpt-group")
            if row.folded:
                made += config_cell("", line(nodes.Text(_count(row.folded))))
            elif row.name in self.tables_of:
                below = [each for each in self.found.rows if each.path.startswith(f"{row.path}.")]
                count = _count(sum(each.folded or not each.group for each in below))
                link = nodes.reference("", count, refid=self.tables_of[row.name], internal=True)
                made += config_cell("", line(link))
        else:
            declared = self.declaration(row)
            made["type"] = type_text(row, declared.type)
            if not hidden:
                made["choices"] = value_texts(row, declared.type)
            if hidden or setting.name == "_target_" or setting.value == "???" or _composed(setting.value):
                made += config_cell("", line(*self.value(row)), *self.follows(row))
            else:
                made["default"] = self.text(row)
                made["title"] = self.title_of(setting)
        if "description" in self.names:
            made += self.descriptions.of(setting)
        return made

    def declaration(self, row: Row) -> Declaration:
        """What a class declares of a setting; its files are noted as what the page depends on."""
        declared = self.declared.get(row.path, UNDECLARED)
        self.files.extend(declared.files)
        return declared

    def text(self, row: Row) -> str:
        """A default as a text, cut where it is very long."""
        value = row.setting.value if row.resolution.problem else row.resolution.value
        text = shown(redacted(value))
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    def title_of(self, setting: Setting) -> str:
        """Where a setting is set, from the top of the repository."""
        return f"{page_path(setting.file, self.config, self.confdir)}:{setting.line}"

    def value(self, row: Row) -> list[nodes.Node]:
        """A default: a literal, a word for what is required or secret, a link for a class."""
        setting = row.setting
        if row.hidden:
            return [nodes.emphasis("", _("secret, not shown"))]
        if setting.value == "???":
            return [nodes.emphasis("", _("required"))]
        text = self.text(row)
        literal = config_value("", text, title=self.title_of(setting))
        if setting.name == "_target_" and isinstance(setting.value, str) and "." in text:
            return [
                addnodes.pending_xref(
                    "", literal, refdomain="py", reftype="obj", reftarget=text, refdoc=self.env.docname,
                    refexplicit=True, refwarn=False, ckpt_optional=True, ckpt_defined=self.declaration(row).defined,
                )
            ]  # fmt: skip
        return [literal]

    def follows(self, row: Row) -> list[nodes.Node]:
        """The keys that an interpolated default is made of, linked; or that it is known at run time only."""
        if row.hidden or not _composed(row.setting.value):
            return []
        keys = references(row.setting.value, row.path)
        found: list[nodes.Node] = []
        if keys:
            parts: list[nodes.Node] = []
            for key in keys:
                parts += [nodes.Text(", ")] if parts else []
                parts.append(self.key(key))
                target = self.found.root.settings.get(key)
                if target is not None:
                    self.files.append(target.file)
            found.append(told(_("follows %s"), *parts, name="ckpt-follows"))
        if row.resolution.problem:
            found.append(line(nodes.Text(_("known when the program runs")), name="ckpt-follows"))
        return found

    def key(self, key: str) -> nodes.Node:
        """A reference to a key: within the table, or to wherever it is rendered."""
        literal = config_value("", key)
        if key in self.ids:
            return nodes.reference("", "", literal, refid=self.ids[key], internal=True)
        return key_reference(key, self.env.docname, [literal]) if has_key(self.found.root, key) else literal

    def file(self, file: str) -> str:
        known = self.shown_files.get(file)
        if known is None:
            known = os.path.basename(file)
            for place in self.places:
                if file.startswith(place + os.sep):
                    known = os.path.relpath(file, place).replace(os.sep, "/")
            self.shown_files[file] = known
        return known

    # -- what changed --------------------------------------------------------------------------------------------
    def changes(self, found: Sequence[Change]) -> nodes.table:
        """The table of what changed: the key, what happened to it, its default before and now."""
        table = self.frame([(_("Setting"), 38), (_("Change"), 16), (_("Before"), 23), (_("Now"), 23)])
        body = table.children[-1].children[-1]
        assert isinstance(body, nodes.tbody)
        for each in found:
            row = nodes.row()
            name = config_cell("", line(self.changed_key(each)))
            what = config_cell("", *self.told(each))
            what["label"] = _("Change")
            row += [name, what]
            for label, side in ((_("Before"), each.before), (_("Now"), each.now)):
                same = each.kind == MOVED and not each.differs and side is each.before
                content = [] if side is None or same else [line(*self.value(side))]
                row += config_cell("", *content, label=label)
            body += row
        return table

    def changed_key(self, each: Change) -> nodes.Node:
        literal = config_value("", each.path)
        return literal if each.now is None else key_reference(each.path, self.env.docname, [literal])

    def told(self, each: Change) -> list[nodes.Node]:
        words = {NEW: _("new"), CHANGED: _("default changed"), MOVED: _("moved"), GONE: _("removed")}
        found: list[nodes.Node] = [line(nodes.Text(words[each.kind]))]
        if each.kind == MOVED and each.before is not None:
            found.append(told(_("from %s"), config_value("", each.before.path)))
            if each.differs:
                found.append(line(nodes.Text(words[CHANGED])))
        return found


def _composed(value: object) -> bool:
    """Whether a value may be made of other settings."""
    return isinstance(value, (list, dict)) and "${" in str(value) or is_interpolated(value)


def _count(settings: int) -> str:
    """How many settings a group has, in words."""
    return _("1 setting") if settings == 1 else _("%s settings") % settings
