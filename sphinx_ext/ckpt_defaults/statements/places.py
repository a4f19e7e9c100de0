"""The source lines of blocks of code and of the rows of tables, which doctrees tell only roughly."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from docutils import nodes

from . import tables
from .blocks import place_of, source_lines


def first_line(file: str, line: int, text: str) -> int:
    """The line (from 1) on which a block's text starts, searched from the line that its node carries."""
    lines = source_lines(file)
    rows = [_bare(row) for row in text.rstrip().split("\n")]  # MyST ends a block with a line break within Sphinx
    skip: int = next((i for i, row in enumerate(rows) if row), 0)
    wanted = rows[skip : skip + 3]
    near = range(max(0, line - 3), min(len(lines), line + 40))
    before = range(max(0, line - 40), max(0, line - 3))
    for start in itertools.chain(near, before):
        if [_bare(row) for row in lines[start : start + len(wanted)]] == wanted:
            return start + 1 - skip
    return line


def _bare(row: str) -> str:
    """A line without its indentation and the marks of a quotation in Markdown."""
    return row.lstrip(" \t>").rstrip()


def indents(file: str, first: int, text: str) -> Callable[[int], int]:
    """A function from a block's row to the columns by which the source indents it."""
    lines = source_lines(file)
    rows = text.split("\n")

    def indent(row: int) -> int:
        if first - 1 + row >= len(lines):
            return 0
        return max(lines[first - 1 + row].find(rows[row].strip()) - (len(rows[row]) - len(rows[row].lstrip())), 0)

    return indent


class RowLines:
    """The source line of each cell of a table.

    MyST gives all rows of a table one line and docutils the cells of a CSV table none of their own: such rows are
    searched in the source, one after the other, by the first words of their cells.
    """

    def __init__(self, grid: tables.Grid, default: str) -> None:
        self.default = default
        self.found: dict[int, int] = {}
        places = [place_of(row[0].node, default) for row in grid.rows if row]
        if not places:
            self.shared = False
            return
        file, line = places[0]
        before = line_before(next(row[0].node for row in grid.rows if row), file)
        lines = source_lines(file)
        self.shared = line < before or (len(places) > 1 and len({line for _, line in places}) < len(places))
        self.shared = self.shared or any(not _stands_at(row[0], default) for row in grid.rows if row)
        if not self.shared:
            return
        at = max(_below_head(lines, line, grid.heads), before, 0)
        for row in grid.rows:
            tokens = [t for cell in row[:3] for t in re.findall(r"\w+", cell.text)[:2]]
            stop = min(at + 60, len(lines))
            hit = next((n for n in range(at, stop) if all(t in lines[n] for t in tokens)), None)
            if hit is None:
                continue
            at = hit
            for cell in row:
                self.found.setdefault(id(cell), hit + 1)
            at += 1

    def of(self, hit: tables.TableStatement) -> tuple[str, int, bool]:
        """File and line of the cell that a statement stands in, and whether the cell has that line for itself."""
        file, line = place_of(hit.cell.node, self.default)
        if isinstance(hit.cell.node, nodes.entry) and not hit.cell.node.line:
            file, line = self._behind(hit.row, file, line)
        if self.shared and id(hit.cell) in self.found:
            return file, self.found[id(hit.cell)], False
        return file, line, any(place_of(cell.node, self.default)[1] != line for cell in hit.row)

    def _behind(self, row: tuple[tables.Cell, ...], file: str, line: int) -> tuple[str, int]:
        """The place of an empty cell, which has none of its own: in its row, or a line more for each cell of a list."""
        lines: list[int] = [getattr(cell.node, "line", None) or 0 for cell in row]
        known = [index for index, told in enumerate(lines) if told]
        if not known:
            return file, line
        last = known[-1]
        file, line = place_of(row[last].node, self.default)
        beside = len(known) > 1 and lines[known[-2]] == lines[last]
        return file, line if beside else line + len(row) - last


def _stands_at(cell: tables.Cell, default: str) -> bool:
    """Whether the first words of a cell stand on the line that its node tells."""
    file, line = place_of(cell.node, default)
    lines = source_lines(file)
    return line > len(lines) or all(word in lines[line - 1] for word in re.findall(r"\w+", cell.text)[:1])


def _below_head(lines: tuple[str, ...], line: int, heads: list[str]) -> int:
    """The offset of the line below a table's head that stands on ``line`` (from 1) or nearby.

    MyST tells one line too many for each directive around the table.
    """
    tokens = [t for head in heads[:3] for t in re.findall(r"\w+", head)[:2]]
    for start in itertools.chain(range(line - 1, line + 2), range(line - 2, line - 6, -1)):
        if tokens and 0 <= start < len(lines) and all(t in lines[start] for t in tokens):
            return start + 1
    return line - 1


def line_before(node: nodes.Node, file: str) -> int:
    """The line of what stands last before the table of a cell in the same file, 0 when nothing does."""
    current: nodes.Node | None = node
    while current is not None and not isinstance(current, nodes.table):
        current = current.parent
    while current is not None and current.parent is not None:
        for sibling in reversed(current.parent.children[: current.parent.index(current)]):
            told = (getattr(n, "line", None) or 0 for n in sibling.findall() if getattr(n, "source", "") == file)
            last: int = max(told, default=0)
            if last:
                return last
        current = current.parent
    return 0


def comment_place(node: nodes.Node, default: str) -> tuple[str, int]:
    """The file and line of one of our comments; docutils tells the line where a comment ends, or the one after."""
    file, line = place_of(node, default)
    lines = source_lines(file)
    near = (n for n in (line, *range(line - 1, max(line - 6, 0), -1)) if 0 < n <= len(lines))
    return file, next((n for n in near if "ckpt-defaults" in lines[n - 1]), line)
