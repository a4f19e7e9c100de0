"""A value put into a line so that the columns of a table stay where they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from ..roots import Project
from ..values import display
from ..verdicts import AGREES, Verdict
from ..wording import say

_RULE = re.compile(r"^[ \t]{0,40}\|?(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*(?::?-+:?[ \t]*)?$")
_BORDER = re.compile(r"^\s*=+(?:\s+=+)+\s*$")
_REACH = 400
"""How many lines above a row its table may begin."""


def one_left(verdict: Verdict, beside: Sequence[Verdict], project: Project) -> Verdict | None:
    """The verdict on one of several values of a cell with the one true value that the others leave for it.

    A cell gives a value for each of several roots; all but this are right, and only one root's value is not among them.
    ``None`` where that is not so.
    """
    right = {v.actual for v in beside if v.verdict == AGREES}
    left = [value for value in (verdict.actual, *verdict.others) if value not in right]
    if len(right) != len(beside) - 1 or len(left) != 1 or not verdict.others:
        return None
    for root in project.roots:
        setting = root.settings.get(verdict.path)
        if setting is not None and display(root.resolve(verdict.path).value) == left[0]:
            return replace(verdict, actual=left[0], others=(), root=root.name, setting=setting)
    return None


class TooNarrow(Exception):
    """The cell has no room for the value."""


def width(text: str) -> int:
    """The columns that a text takes on a terminal: two for a wide character, none for a combining one."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def put(lines: Sequence[str], row: int, start: int, old: str, new: str) -> str:
    """The line ``row`` (from 0) with ``new`` where ``old`` stands at ``start`` (from 0).

    In a grid table or simple table the columns to the right keep their places, in a Markdown table as far as it is laid
    out in columns and has the room. Raises :class:`TooNarrow` where a cell of the first two has no room.
    """
    line = lines[row]
    before, after = line[:start], line[start + len(old) :]
    growth = width(new) - width(old)
    if growth == 0:
        return before + new + after
    if line.lstrip().startswith("|"):
        borders = _bars_of_border(lines, row)
        end = _next_bar(line, start + len(old), borders)
        if end is not None:
            rest, tail = line[start + len(old) : end], line[end:]
            if borders is not None:
                return before + new + _fitted(rest, growth, new, strict=True) + tail
            if growth > 0 or _in_column(lines, row, end):
                return before + new + _fitted(rest, growth, new, strict=False) + tail
        return before + new + after
    stop = _simple_column_end(lines, row, start)
    if stop is not None and after[stop - start - len(old) :].strip():
        at = stop - start - len(old)
        return before + new + _fitted(after[:at], growth, new, strict=True) + after[at:]
    return before + new + after


def _fitted(rest: str, growth: int, new: str, strict: bool) -> str:
    """``rest``, from the value to the end of its cell, ``growth`` columns shorter; one space at least is left."""
    if growth < 0:
        return rest + " " * -growth
    gap = re.match(r"([`'\"*]*)( {2,})(?=\S)", rest)
    if gap:
        taken = min(growth, len(gap.group(2)) - 1)
        rest, growth = rest[: gap.end() - taken] + rest[gap.end() :], growth - taken
    room = len(rest) - len(rest.rstrip(" "))
    taken = max(min(growth, room - 1), 0)
    if strict and taken < growth:
        missing = growth - taken
        raise TooNarrow(
            say("its cell of the table is {number} too narrow for {new}; widen the column", number=missing, new=new)
        )
    return rest[: len(rest) - taken]


def _next_bar(line: str, start: int, borders: frozenset[int] | None) -> int | None:
    """The offset of the bar that ends the cell."""
    bars = [hit.start() for hit in re.finditer(r"(?<!\\)\|", line) if hit.start() >= start]
    if borders is not None:
        bars = [bar for bar in bars if width(line[:bar]) in borders] or bars
    return bars[0] if bars else None


def _bars_of_border(lines: Sequence[str], row: int) -> frozenset[int] | None:
    """The columns in which the borders of a grid table have their corners; ``None`` for a Markdown table."""
    corners: set[int] = set()
    for step in (-1, 1):
        at = row + step
        while 0 <= at < len(lines) and abs(at - row) < _REACH and lines[at].lstrip()[:1] in ("|", "+"):
            if lines[at].lstrip().startswith("+"):
                corners |= {width(lines[at][: hit.start()]) for hit in re.finditer(r"\+", lines[at])}
                break
            at += step
    return frozenset(corners) if corners else None


def _in_column(lines: Sequence[str], row: int, end: int) -> bool:
    """Whether the bar at ``end`` stands below one of the table's rule and of another row: the table has columns."""
    near = [lines[at] for at in (row - 1, row + 1) if 0 <= at < len(lines)]
    for at in range(row - 1, max(row - _REACH, -1), -1):
        if not lines[at].lstrip().startswith("|") and lines[at].strip():
            break
        if _RULE.match(lines[at]):
            near = [lines[at - 1] if line is lines[at] else line for line in near]
            return _bar_at(lines[at], lines[row][:end]) and any(_bar_at(line, lines[row][:end]) for line in near)
    return False


def _bar_at(line: str, left: str) -> bool:
    """Whether ``line`` has a bar where ``left`` ends, by characters or by columns."""
    return line[len(left) : len(left) + 1] == "|" or width(left) in {
        width(line[: hit.start()]) for hit in re.finditer(r"\|", line)
    }


def _simple_column_end(lines: Sequence[str], row: int, start: int) -> int | None:
    """The offset in the row at which the next column of a simple table begins; ``None`` outside one and in the last."""
    border = None
    for at in range(row - 1, max(row - _REACH, -1), -1):
        if _BORDER.match(lines[at]):
            border = lines[at]
            break
        indent = len(lines[at]) - len(lines[at].lstrip())
        if lines[at].strip() and indent < len(lines[row]) - len(lines[row].lstrip()) - start:
            return None
    if border is None or not any(line.rstrip() == border.rstrip() for line in lines[row + 1 : row + _REACH]):
        return None
    here = width(lines[row][:start])
    columns = [hit.start() for hit in re.finditer(r"=+", border)]
    following = next((column for column in columns if column > here), None)
    if following is None or here < columns[0]:
        return None
    position = 0
    for offset, char in enumerate(lines[row]):
        if position >= following:
            return offset
        position += width(char)
    return None
