"""HTML tables inside Markdown pages, as the tables that docutils would make of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from docutils import nodes

from .blocks import place_of, source_lines
from .places import first_line

_OPENS = re.compile(r"<table\b", re.I)
_CLOSES = re.compile(r"</table\s*>", re.I)
_LITERAL = frozenset({"code", "pre", "tt", "kbd", "samp"})
_UNREAD = frozenset({"summary", "script", "style"})
_MOST_ROWS = 2_000


def html_table(node: nodes.raw, default: str) -> tuple[nodes.table, int] | None:
    """The table that a block of HTML opens, and the line (from 1) on which it ends; ``None`` where it opens none.

    It is read from the source of the page: Markdown ends a block of HTML at a blank line, and the table goes on.
    """
    text = node.astext()
    opening = _OPENS.search(text)
    if opening is None:
        return None
    file, line = place_of(node, default)
    start = first_line(file, line, text) + text.count("\n", 0, opening.start())
    lines = source_lines(file)[start - 1 :]
    size = next((number for number, row in enumerate(lines, 1) if _CLOSES.search(row)), 0)
    reader = _Reader(start, file)
    reader.feed("\n".join(lines[:size]) if size else text[opening.start() :])
    reader.close()
    table = reader.table()
    return None if table is None else (table, start + (size or text.count("\n")))


class _Reader(HTMLParser):
    """Gathers the rows of the outermost table; what its cells hold becomes text and literals."""

    def __init__(self, first: int, file: str) -> None:
        super().__init__(convert_charrefs=True)
        self.first, self.file = first, file
        self.rows: list[tuple[nodes.row, bool]] = []
        self.heads: list[nodes.row] = []
        self.entry: nodes.entry | None = None
        self.depth = self.unread = self.literal = 0
        self.in_head = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.depth += tag == "table"
        self.unread += tag in _UNREAD
        if self.depth != 1:
            return
        if tag in ("thead", "tbody"):
            self.in_head = tag == "thead"
            self.begin_row()
        elif tag == "tr":
            self.begin_row()
        elif tag in ("th", "td"):
            self.begin_cell(tag == "th", dict(attrs))
        elif tag in _LITERAL:
            self.literal += 1
        elif tag in ("br", "p", "div", "li"):
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag == "table" and self.depth > 0
        self.unread -= tag in _UNREAD and self.unread > 0
        self.literal -= tag in _LITERAL and self.literal > 0
        if tag in ("th", "td", "tr") and self.depth <= 1:
            self.entry, self.literal = None, 0
        elif tag == "thead":
            self.in_head = False

    def handle_data(self, data: str) -> None:
        if self.entry is None or self.unread:
            return
        paragraph = self.entry.children[0]
        assert isinstance(paragraph, nodes.paragraph)
        if data.strip() and not paragraph.children:
            self.entry.line = paragraph.line = self.first + self.getpos()[0] - 1 + _blank_lines(data)
        bare = data.strip().strip("`").strip() if self.literal else data
        if self.literal and bare:
            paragraph += nodes.literal(bare, " ".join(bare.split()))
        elif not self.literal and (data.strip() or paragraph.children):
            paragraph += nodes.Text(re.sub(r"\s+", " ", data))

    def begin_row(self) -> None:
        self.entry, self.literal = None, 0
        if len(self.rows) < _MOST_ROWS:
            self.rows.append((nodes.row(), self.in_head))

    def begin_cell(self, head: bool, attrs: dict[str, str | None]) -> None:
        if not self.rows:
            self.begin_row()
        row = self.rows[-1][0]
        if head and not row.children and len(self.rows) == 1:
            self.rows[-1] = (row, True)
        paragraph = nodes.paragraph()
        self.entry = nodes.entry("", paragraph)
        self.entry.source = paragraph.source = self.file
        self.entry.line = paragraph.line = self.first + self.getpos()[0] - 1
        for name, more in (("colspan", "morecols"), ("rowspan", "morerows")):
            span = attrs.get(name) or ""
            if re.fullmatch(r"\d{1,2}", span) and int(span) > 1:
                self.entry[more] = int(span) - 1
        self.literal = 0
        row += self.entry

    def table(self) -> nodes.table | None:
        """What was read as a table of docutils; ``None`` without rows."""
        rows = [(row, head) for row, head in self.rows if row.children]
        if not rows:
            return None
        group = nodes.tgroup()
        parts: tuple[nodes.Element, nodes.Element] = (nodes.tbody(), nodes.thead())
        for row, head in rows:
            parts[head].append(row)
        group += [parts[True], parts[False]]
        return nodes.table("", group)


def _blank_lines(data: str) -> int:
    """The line breaks before the first word."""
    return data[: len(data) - len(data.lstrip())].count("\n")
