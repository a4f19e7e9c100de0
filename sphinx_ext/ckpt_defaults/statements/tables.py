"""Statements in tables: a column of defaults, wherever it stands, and sentences in the other cells."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from docutils import nodes

from ..phrases import CLOSE, OPEN, phrases
from . import prose
from .blocks import as_key, marked, unmarked

_LITERAL = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
_BETWEEN = re.compile(r"\s*(?:/|\||\bor\b|,?\s*\band\b|、|或)\s*")
_DASHES = frozenset({"", "-", "--", "---", "—", "——", "–", "－"})
_NESTED = re.compile(r"^(?:(?:-{1,2}|[–—›»↳]|[├└│][─-]*)\s+)+(?=\S)")
_REMARK = re.compile(r"\s+[(（][^()（）]*[)）]$")
_CARRIED = _DASHES | {'"', "〃", "″"}


@dataclass(frozen=True, slots=True)
class Cell:
    """The marked text of a cell and the node that holds it (the paragraph that fell out of a table, for its rows)."""

    text: str
    node: nodes.Node
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TableStatement:
    """A value in a row: ``keys`` by column (two a column: with the parents of earlier rows, and bare)."""

    keys: tuple[str, ...]
    value: str
    cell: Cell
    start: int
    literal: bool
    kind: str
    head: str = ""
    row: tuple[Cell, ...] = ()
    loose: bool = False
    sure: bool = True
    conditional: bool = False


@dataclass
class Grid:
    """A table's heads and rows, spans filled in.

    ``carried`` is what earlier rows left in each column of keys, ``above`` the keys in force there, outermost first,
    where marks before a key ("-- level", "└ level") tell how deep it lies.
    """

    heads: list[str]
    rows: list[list[Cell]]
    carried: dict[int, str] = field(default_factory=dict)
    above: dict[int, list[str]] = field(default_factory=dict)

    def nest(self, column: int, depth: int, key: str) -> list[str]:
        """The keys above a key that lies ``depth`` levels deep; it is in force for the rows below."""
        above = self.above.get(column, [])[:depth]
        self.above[column] = [*above, key]
        return above


def grid_of(table: nodes.Element) -> Grid | None:
    """The cells of a docutils table; without a head row, the first row where it holds a head for defaults."""
    heads: list[str] = []
    rows: list[list[Cell]] = []
    for group in table.findall(nodes.tgroup):
        for part in group.children:
            if isinstance(part, nodes.thead):
                for row in _rows(part):
                    heads = [(a + " " + c.text).strip() if a else c.text for a, c in _pairs(heads, row)]
            elif isinstance(part, nodes.tbody):
                rows += _rows(part)
        break
    if not heads and rows and any(phrases().is_head(unmarked(cell.text)) for cell in rows[0]):
        heads = [cell.text for cell in rows.pop(0)]
    return Grid([unmarked(h) for h in heads], rows) if rows or heads else None


def _pairs(heads: list[str], row: list[Cell]) -> list[tuple[str, Cell]]:
    return [(heads[i] if i < len(heads) else "", cell) for i, cell in enumerate(row)]


def _rows(part: nodes.Element) -> list[list[Cell]]:
    """The rows of a table part; a cell that spans stands in each place that it covers."""
    rows: list[list[Cell]] = []
    below: dict[int, tuple[int, Cell]] = {}
    for row in part.children:
        cells: list[Cell] = []
        for entry in row.children:
            _fill(cells, below)
            if not isinstance(entry, nodes.entry):
                continue
            cell = Cell(cell_text(entry), next((c for c in entry.children if getattr(c, "line", None)), entry))
            for _ in range(entry.get("morecols", 0) + 1):
                if entry.get("morerows"):
                    below[len(cells)] = (entry["morerows"], cell)
                cells.append(cell)
        _fill(cells, below)
        rows.append(cells)
    return rows


def _fill(cells: list[Cell], below: dict[int, tuple[int, Cell]]) -> None:
    """Adds the cells that earlier rows let down into the next places of a row."""
    while len(cells) in below:
        left, cell = below.pop(len(cells))
        if left > 1:
            below[len(cells)] = (left - 1, cell)
        cells.append(cell)


def cell_text(entry: nodes.Element) -> str:
    """The marked text of a cell; its paragraphs are separated by line breaks."""
    return "\n".join(
        marked(child).strip() for child in entry.children if not isinstance(child, nodes.Invisible)
    ).strip()


def fallen_rows(paragraph: nodes.Element) -> list[list[Cell]] | None:
    """The rows of a Markdown table that a blank line turned into a paragraph, or ``None`` when it is none."""
    text = marked(paragraph)
    lines = text.split("\n")
    if not all(line.lstrip().startswith("|") and line.count("|") > 2 for line in lines if line.strip()):
        return None
    rows = []
    offset = 0
    for line in lines:
        cells, begin = [], offset + line.index("|") + 1 if "|" in line else offset
        for part in re.split(r"(?<!\\)\|", line.strip().strip("|")):
            cells.append(Cell(part.strip(), paragraph, begin + len(part) - len(part.lstrip())))
            begin += len(part) + 1
        if not re.fullmatch(r"[\s|:\-]*", line):
            rows.append(cells)
        offset += len(line) + 1
    return rows


def read(grid: Grid, key_of_section: str, parents: tuple[str, ...]) -> Iterator[TableStatement]:
    """The statements of a table's rows: its columns of defaults, then the sentences in its other cells."""
    p = phrases()
    columns = [i for i, head in enumerate(grid.heads) if p.is_head(head)]
    sure = bool(columns)
    if not sure:
        columns = [i for i, head in enumerate(grid.heads) if i and p.may_be_head(head)]
    for row in grid.rows:
        keys = _keys(grid, row, columns)
        for column in columns:
            if column < len(row) and not (column and row[column - 1] is row[column]):
                for found in default_cell(row[column], keys, grid.heads[column]):
                    yield replace(found, row=tuple(row[:column]), sure=sure)
        named = tuple(key for key in keys if key)
        if not named:
            continue
        for index, cell in enumerate(row):
            if index in columns or (index and row[index - 1] is cell):
                continue
            for hit in prose.find(cell.text, named[0], (*named[1:2], *parents), key_of_section, owned=index > 0):
                yield TableStatement(
                    hit.keys, hit.value, cell, hit.start, hit.literal, "prose", "", tuple(row[:index]), hit.loose,
                    conditional=hit.conditional,
                )  # fmt: skip


def _keys(grid: Grid, row: list[Cell], columns: list[int]) -> tuple[str, ...]:
    """The keys that a row may speak of, two a column; ``''`` where a column has none."""
    keys: list[str] = []
    chain: list[str] = []
    limit = min(columns, default=len(row))
    for index, cell in enumerate(row):
        if index in columns:
            continue
        text = unmarked(cell.text).strip()
        if text in _CARRIED:
            if index < limit and grid.carried.get(index):
                chain.append(grid.carried[index])
            keys += ["", ""]
            continue
        marks = _NESTED.match(cell.text)
        first = _LITERAL.match(cell.text, marks.end() if marks else 0)
        key = as_key(first.group(1) if first else _REMARK.sub("", text[marks.end() if marks else 0 :]))
        nested = grid.nest(index, len(marks.group(0).split()) if marks else 0, key) if key else []
        if index < limit or not columns:
            if key and grid.carried.get(index) != key:
                grid.carried = {i: k for i, k in grid.carried.items() if i < index}
            if key:
                grid.carried[index] = key
        keys += [".".join([*chain, *nested, key]) if key else key, key]
        if key and index < limit:
            chain.append(key)
    return tuple(keys)


def _chosen(text: str) -> tuple[str, int] | None:
    """Of several values in a cell, a line each, the one that is marked as the default, and its offset."""
    mark = prose.OPTION.search(text)
    if mark is None:
        return None
    begin = text.rfind("\n", 0, mark.start()) + 1
    value = text[begin : mark.start()].strip(" *-•・")
    return (value, text.index(value, begin)) if value and " " not in value else None


def default_cell(cell: Cell, keys: tuple[str, ...], head: str = "") -> Iterator[TableStatement]:
    """The value or values that a default cell states."""
    text = cell.text.strip()
    p = phrases()
    bare = unmarked(text).strip()
    if bare in _DASHES:
        yield TableStatement(keys, bare, cell, 0, False, "table", head)
        return
    if {bare.lower(), bare.lower().strip("()（）*_")} & p.no_value and not text.startswith(OPEN):
        return
    chosen = _chosen(text)
    if chosen is not None:
        value, start = chosen
        yield TableStatement(keys, value, cell, start, value.startswith(OPEN), "table", head)
        return
    literals = list(_LITERAL.finditer(text))
    if len(literals) > 1 and text.startswith(OPEN):
        rest = [text[a.end() : b.start()] for a, b in itertools.pairwise(literals)]
        tail = text[literals[-1].end() :].strip()
        if all(_BETWEEN.fullmatch(part) for part in rest) and (not tail or tail[0] in "(（"):
            for literal in literals:
                yield TableStatement(keys, literal.group(0), cell, literal.start(), True, "table", head)
            return
    if literals and text.startswith(OPEN):
        first = literals[0]
        tail = text[first.end() :].strip()
        if not tail or tail[0] in "(（,，;；.。—–-" or len(literals) == 1:
            yield TableStatement(keys, first.group(0), cell, first.start(), True, "table", head)
            return
    label = re.match(r"^\s*([^:：\n]{1,20}?)\s*(?::\s+|：\s*)", text)
    start = label.end() if label and p.is_label(label.group(1)) else 0
    yield TableStatement(keys, text[start:], cell, start, False, "table", head)
