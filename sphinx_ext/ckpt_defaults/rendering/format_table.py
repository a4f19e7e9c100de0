"""The nodes of ``.. ckpt-defaults::``: the table of formats, the warning, the known defects and the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from docutils import nodes
from sphinx.locale import get_translation
from sphinx.util.docutils import SphinxDirective

from ..formats import EXPERT, EXPERT_ONE, FORMATS, GATHER, LEAN, N_, Fact, Format, Source
from ..memory.example import example

_translated = get_translation("ckpt_defaults")


def _(message: str) -> str:
    """``message`` in the language of the build."""
    return str(_translated(message))


EXAMPLE = N_(
    "For scale: saving %(model)s on %(gpus)s GPUs of one host (expert parallelism %(ep)s) takes %(own)s of its memory"
    " with dp-reshardable, %(gathered)s with fully-reshardable and %(lean)s with the memory-efficient flag, on top of"
    " what training itself holds there. The directive ``ckpt-memory`` and the command ``ckpt-defaults memory`` compute"
    " it for other models and layouts."
)
"""What the formats cost one model: the figures come from the formula, not from this text."""

TABLE_CLASS = "ckpt-formats"
"""The class of the table; the style sheet and the transform that fits it to a medium go by it."""

COLUMNS: tuple[tuple[str, int], ...] = (
    (N_("Format and setting"), 27),
    (N_("Resume with another"), 16),
    (N_("Who gathers what at save"), 17),
    (N_("Extra memory"), 20),
    (N_("Speed"), 10),
    (N_("Use it for"), 16),
)
"""Heads (message ids) and relative widths."""

_OUTCOMES = (("works", N_("Works: %s.")), ("fails", N_("Fails: %s.")))
_HOW = {
    "code": N_("Read in the source"),
    "run": N_("Run"),
    "derived": N_("Derived"),
    "report": N_("Published"),
}
_T = TypeVar("_T", bound=nodes.TextElement)
_INLINE = re.compile(r"``(.+?)``|\*\*(.+?)\*\*")


class Place(NamedTuple):
    """A line of a config as a page shows it: ``path:line``, and its address ('' when it has none)."""

    text: str
    url: str


class FormatTable:
    """Builds the nodes for one use of the directive; ``serial`` keeps ids apart when a page uses it twice."""

    def __init__(self, directive: SphinxDirective, serial: int) -> None:
        self.directive = directive
        self.serial = serial
        self.sources: dict[Source, int] = {}

    def build(self, default: Format, place: Place, lean_is_set: bool) -> tuple[nodes.table, list[nodes.Node]]:
        """The table with ``default`` marked, and what follows it."""
        table = nodes.table(classes=[TABLE_CLASS, "colwidths-given"])
        self.directive.set_source_info(table)
        table += self.told(nodes.title(), _("Megatron-Core's optimizer checkpoint formats"))
        group = nodes.tgroup(cols=len(COLUMNS))
        table += group
        for index, (_head, width) in enumerate(COLUMNS):
            column = nodes.colspec(colwidth=width)
            if index == 0:
                column["stub"] = 1  # its cells head their rows
            group += column
        head = nodes.thead()
        head += self.row([[self.paragraph(_(text))] for text, _width in COLUMNS])
        body = nodes.tbody()
        for each in FORMATS:
            row = self.row(self.cells(each, place if each is default else None, lean_is_set))
            if each is default:
                row["classes"].append("ckpt-default")
            body += row
        group += [head, body]
        return table, [self.warning(default, place), *self.defects(), *self.source_list()]

    def cells(self, each: Format, place: Place | None, lean_is_set: bool) -> list[list[nodes.Node]]:
        """The cells of a format's row; ``place`` is where the config selects it, ``None`` for what is no default."""
        name = self.paragraph("")
        name += nodes.strong("", each.title)
        first: list[nodes.Node] = [name]
        if place is not None:
            first.append(self.mark(place))
        first += [self.value(f"{key}: {value}") for key, value in each.flags.items()]
        if place is not None and lean_is_set and LEAN not in each.flags:
            first.append(self.paragraph(_("``%(lean)s: True`` has no effect here.") % {"lean": LEAN}))
        return [
            first,
            self.resume(each),
            self.facts(each.gather),
            self.facts(each.host_memory, each.load, each.device_memory),
            self.facts(each.speed),
            self.facts(each.when),
        ]

    def mark(self, place: Place) -> nodes.paragraph:
        """The words that say that a format is the default, and which line of which file says so."""
        mark = nodes.paragraph("", translatable=False, classes=["ckpt-mark"])
        before, _place, after = _("**The default**, set in %s").partition("%s")
        mark += [*inline(before), self.link(place), *inline(after)]
        return mark

    def link(self, place: Place) -> nodes.Node:
        """``path:line`` as a literal, a link where it has an address."""
        literal = nodes.literal("", place.text)
        return nodes.reference("", "", literal, refuri=place.url, internal=False) if place.url else literal

    def resume(self, each: Format) -> list[nodes.Node]:
        """What a resume may change and what not, from the format's matrix; what was not tried is not told."""
        found: list[nodes.Node] = []
        for outcome, text in _OUTCOMES:
            changes = [case.change for case in each.resume if case.outcome == outcome]
            if EXPERT in changes and EXPERT_ONE in changes:
                changes[changes.index(EXPERT)] = N_("EP")
                changes.remove(EXPERT_ONE)
            if changes:
                found.append(self.paragraph(_(text) % _(", ").join(map(_, changes))))
        found.append(self.references(dict.fromkeys(case.source for case in each.resume if case.outcome != "untried")))
        return found

    def facts(self, *facts: Fact) -> list[nodes.Node]:
        """Statements with the numbers of their sources."""
        found: list[nodes.Node] = [self.paragraph(_(fact.text)) for fact in facts]
        found.append(self.references(dict.fromkeys(source for fact in facts for source in fact.sources)))
        return found

    def warning(self, default: Format, place: Place) -> nodes.warning:
        """What the default costs, or what leaving it would cost."""
        warning = nodes.warning(classes=["ckpt-warning"])
        self.directive.set_source_info(warning)
        held = nodes.container()  # the text builder runs the paragraphs of an admonition together
        warning += held
        names = {"gather": GATHER, "lean": LEAN}
        for fact in default.warning:
            held += self.paragraph(_(fact.text) % names)
        if default is not FORMATS[0]:
            held += self.mark(place)
        held += self.paragraph(_(EXAMPLE) % example())
        held += self.references(dict.fromkeys(source for fact in default.warning for source in fact.sources))
        return warning

    def defects(self) -> list[nodes.Node]:
        """Known faults of released versions, each with the formats and versions that have it."""
        known = dict.fromkeys(defect for each in FORMATS for defect in each.defects)
        listed = nodes.bullet_list(bullet="*", classes=["ckpt-defects"])
        for defect in known:
            names = [each.title for each in FORMATS if defect in each.defects]
            who = _("All formats") if len(names) == len(FORMATS) else _("; ").join(names)
            item = nodes.list_item()
            head = self.paragraph("", translatable=False)
            head += [nodes.strong("", who), nodes.Text(f" ({_(defect.versions)})")]
            item += [head, self.paragraph(_(defect.text)), self.references([defect.source])]
            listed += item
        return [self.rubric(_("Known defects of released versions")), listed]

    def source_list(self) -> list[nodes.Node]:
        """The sources that the statements referred to, numbered in the order in which they were."""
        listed = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".", classes=["ckpt-sources"])
        for source, number in self.sources.items():
            entry = self.paragraph("", translatable=False)
            entry += nodes.target("", "", ids=[self.anchor(number)])
            entry += nodes.Text(f"{_(_HOW[source.how])}: {source.where}")
            listed += nodes.list_item("", entry)
        return [self.rubric(_("Where this is known from")), listed]

    def references(self, sources: Iterable[Source]) -> nodes.paragraph:
        """The numbers of ``sources``, each a link to its entry in the list."""
        found = nodes.paragraph("", translatable=False, classes=["ckpt-refs"])
        for source in sources:
            number = self.sources.setdefault(source, len(self.sources) + 1)
            if found.children:
                found += nodes.Text(" ")
            found += nodes.reference("", f"[{number}]", refid=self.anchor(number), internal=True)
        return found

    def anchor(self, number: int) -> str:
        return f"ckpt-defaults-{self.serial}-source-{number}"

    def rubric(self, text: str) -> nodes.rubric:
        return self.told(nodes.rubric(classes=["ckpt-rubric"]), text)

    def value(self, text: str) -> nodes.paragraph:
        """A value: a literal that is no message for translators."""
        return nodes.paragraph("", "", nodes.literal("", text), translatable=False, classes=["ckpt-value"])

    def paragraph(self, text: str, **attributes: Any) -> nodes.paragraph:
        """A paragraph of translatable text, or an empty one to fill."""
        if not text:
            attributes.setdefault("translatable", False)
        return self.told(nodes.paragraph(**attributes), text)

    def told(self, node: _T, text: str) -> _T:
        """``node`` filled with ``text`` (reST literals and strong text), known to message catalogues by its place."""
        node.rawsource = text
        node.extend(inline(text))
        self.directive.set_source_info(node)
        return node

    @staticmethod
    def row(cells: Sequence[Sequence[nodes.Node]]) -> nodes.row:
        return nodes.row("", *(nodes.entry("", *cell) for cell in cells))


def inline(text: str) -> list[nodes.Node]:
    """Text with reST's literals and strong text as nodes."""
    found: list[nodes.Node] = []
    end = 0
    for hit in _INLINE.finditer(text):
        if hit.start() > end:
            found.append(nodes.Text(text[end : hit.start()]))
        found.append(nodes.literal("", hit.group(1)) if hit.group(1) is not None else nodes.strong("", hit.group(2)))
        end = hit.end()
    if end < len(text):
        found.append(nodes.Text(text[end:]))
    return found
