"""Two values side by side in a message: on one line each, and of long ones the part in which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .settings import parse_value
from .values import display, same

LONGEST = 200
"""The number of characters of a value that a message shows."""
_BEFORE = 40
"""How many of them stand before the first difference of two texts."""
_GAP = "…"


def one_line(text: str) -> str:
    """A text on one line, without what a terminal would take for a command."""
    return "".join(char if char.isprintable() else "\ufffd" for char in " ".join(text.split()))


def shown(text: str) -> str:
    """A value by itself in a message: on one line, and not without end."""
    return _cut(one_line(text))


def shown_apart(said: str, actual: str) -> tuple[str, str]:
    """Two values that differ, as a message shows them: where one is long, from the place where they part."""
    said, actual = one_line(said), one_line(actual)
    if max(len(said), len(actual)) <= LONGEST:
        return said, actual
    a, b = _value(said), _value(actual)
    if isinstance(a, list) and isinstance(b, list):
        both = zip(a, b, strict=False)
        first = next((at for at, (x, y) in enumerate(both) if not _alike(x, y)), min(len(a), len(b)))
        return _list_from(a, first), _list_from(b, first)
    if isinstance(a, dict) and isinstance(b, dict):
        return _others(a, b), _others(b, a)
    first = next((at for at, (x, y) in enumerate(zip(said, actual, strict=False)) if x != y), 0)
    if first < LONGEST - _BEFORE:
        return _cut(said), _cut(actual)
    start = first - _BEFORE
    return _GAP + _cut(said[start:]), _GAP + _cut(actual[start:])


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + _GAP


def _value(text: str) -> Any:
    try:
        return parse_value(text)
    except ValueError:
        return text


def _alike(a: Any, b: Any) -> bool:
    return display(a) == display(b) or same(a, b)


def _list_from(items: Sequence[Any], first: int) -> str:
    """A list from the item before ``first`` on, as many as fit."""
    start = max(first - 1, 0)
    return f"[{_joined([_GAP] if start else [], [display(item) for item in items[start:]])}]"


def _others(value: Mapping[str, Any], beside: Mapping[str, Any]) -> str:
    """A mapping without what another has as well, as much as fits."""
    own = [key for key in value if key not in beside or not _alike(value[key], beside[key])]
    return f"{{{_joined([_GAP] if len(own) < len(value) else [], [display({key: value[key]})[1:-1] for key in own])}}}"


def _joined(parts: list[str], more: Sequence[str]) -> str:
    """The parts and as many more as fit, the first in any case."""
    size = 0
    for number, part in enumerate(more):
        size += len(part) + 2
        if number and size > LONGEST:
            return ", ".join([*parts, _GAP])
        parts = [*parts, _cut(part)]
    return ", ".join(parts)
