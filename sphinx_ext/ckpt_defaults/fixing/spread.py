"""A value that a listing writes over several lines: which of its parts have to change, each where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from ..settings import parse_value
from ..values import display, same
from ..verdicts import Verdict
from ..wording import say
from .spelling import Style, spelled, true_value

_REACH = 200
"""How many lines a value may run over."""


class Unspreadable(Exception):
    """The parts cannot be replaced one by one; the message says why."""


@dataclass(frozen=True)
class Piece:
    """``new`` for ``old`` at ``line`` and ``column`` (from 1)."""

    line: int
    column: int
    old: str
    new: str


def pieces_of(lines: Sequence[str], verdict: Verdict, style: Style) -> list[Piece]:
    """What has to be replaced for a list or mapping below or behind a key to be the true one, part by part.

    Only parts that stand on one line each are replaced: a list keeps the number of its items, a mapping its keys.
    Raises :class:`Unspreadable`.
    """
    s = verdict.statement
    whole = say("its value does not stand as one piece on a line")
    if s.kind != "listing" or not 0 < s.line <= len(lines):
        raise Unspreadable(whole)
    region = _region(lines, s.line - 1, s.column - 1)
    try:
        node = yaml.compose("\n".join(region), Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError, ValueError):
        node = None
    if not isinstance(node, yaml.CollectionNode):
        raise Unspreadable(whole)
    found = [
        Piece(s.line + row, column + 1, old, _new(old, value, verdict, style))
        for row, column, old, value in _differing(region, node, true_value(verdict))
    ]
    if not found:
        raise Unspreadable(whole)
    return found


def _region(lines: Sequence[str], row: int, column: int) -> list[str]:
    """The lines of a value from ``column`` of ``row`` on (from 0), at their columns, to the end of what is below it."""
    keyed = column > 0  # else the block is the value
    start = len(lines[row]) - len(lines[row].lstrip(" -" if keyed else " "))
    region = [" " * column + lines[row][column:]]
    for line in lines[row + 1 : row + _REACH]:
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if bare and (indent < start or (indent == start and keyed and not bare.startswith(("- ", "]", "}")))):
            break
        region.append(line)
    return region


def _differing(region: Sequence[str], node: yaml.Node, value: Any) -> Iterator[tuple[int, int, str, Any]]:
    """The parts of a value that differ from the true one's: row and column (from 0), as written, and the true part."""
    if isinstance(node, yaml.SequenceNode) and isinstance(value, list):
        if len(node.value) != len(value):
            counts = {"number": len(node.value), "other": len(value)}
            raise Unspreadable(
                say("its list and the config's differ in length ({number} and {other}): write it anew", **counts)
            )
        for inner, item in zip(node.value, value, strict=True):
            yield from _differing(region, inner, item)
    elif isinstance(node, yaml.MappingNode) and isinstance(value, dict):
        keys = [key.value for key, _ in node.value]
        if sorted(keys) != sorted(map(str, value)):
            raise Unspreadable(say("its mapping has other keys than the config's: write it anew"))
        true = {str(key): item for key, item in value.items()}
        for key, inner in node.value:
            yield from _differing(region, inner, true[key.value])
    elif isinstance(node, yaml.ScalarNode) and not isinstance(value, (list, dict)):
        start, end = node.start_mark, node.end_mark
        old = region[start.line][start.column : end.column]
        if start.line != end.line or node.style in ("|", ">") or not old or old != old.strip():
            raise Unspreadable(say("a part of its value does not stand as one piece on a line"))
        try:
            written = parse_value(old)
        except ValueError:
            written = old
        if not same(written, value) or type(written) is not type(value):
            yield start.line, start.column, old, value
    else:
        raise Unspreadable(say("its value is built otherwise than the config's: write it anew"))


def _new(old: str, value: Any, verdict: Verdict, style: Style) -> str:
    python = style.python(verdict.statement, value) if value is None or isinstance(value, bool) else False
    new = spelled(value, old, "", python, True, verdict.path)
    if new is None or new == old:
        raise Unspreadable(
            say("{said} has no like for {actual}: the sentence has to be written anew", said=old, actual=display(value))
        )
    return new
