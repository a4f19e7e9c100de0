"""Statements in interpolations: the ``VALUE`` of ``${oc.select:KEY,VALUE}`` repeats the default of ``KEY``.

The ``VALUE`` of ``${oc.env:NAME,VALUE}`` repeats nothing that could be checked; it is listed as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..interpolation import is_interpolated, typed_default
from ..roots import Project, Root
from ..settings import Setting, read_text
from ..wording import later
from . import Statement
from .copies import Copy, Place, statement_at

SECTION = later("it stands for a whole section")
ENVIRONMENT = later("the environment decides")

_OPENING = re.compile(r"\$\{\s*oc\.(select|env)\s*:\s*([^,{}\s]+)\s*(?=[,}])")
_QUOTES = "\"'"


@dataclass(frozen=True, slots=True)
class Written:
    """A fallback in a text: what it stands in for (a key, a variable of the environment), its value and its place."""

    key: str
    value: str
    start: int
    environment: bool


def fallback_copies(project: Project) -> list[Copy]:
    """The fallbacks in all settings of ``project``, each as a copy of the settings that its key names in the roots.

    Raises :class:`~ckpt_defaults.settings.ConfigError` for a file that cannot be read any more.
    """
    lines: dict[str, list[str]] = {}
    places: dict[tuple[str, int, int, int], tuple[Statement, Written, list[Place]]] = {}
    at: dict[tuple[str, int, str], list[tuple[Written, tuple[int, int, int]]]] = {}
    for root in project.roots:
        for path, setting in root.settings.items():
            for text in _texts(setting.value):
                key = (setting.file, setting.value_line, text)
                if key not in at:
                    if setting.file not in lines:
                        lines[setting.file] = read_text(setting.file).splitlines()
                    at[key] = [(one, _place(one, text, setting, lines[setting.file])) for one in written(text)]
                for one, place in at[key]:
                    target = path if one.environment else _absolute(one.key, path)
                    said = statement_at(setting.file, place, "fallback", (target, path), one.value)
                    known = places.setdefault((setting.file, *place[:2], one.start), (said, one, []))
                    known[2].extend(_repeated(root, target, one))
    return [Copy(said, found, (typed_default(one.value),)) for said, one, found in places.values()]


def _repeated(root: Root, target: str, one: Written) -> Iterator[Place]:
    if one.environment:
        yield Place(root, target, problem=ENVIRONMENT)
    elif target in root.settings:
        section = isinstance(root.resolve(target).value, dict) and root.resolve(target).value != {}
        yield Place(root, target, problem=SECTION if section else "")


def _texts(value: Any) -> Iterator[str]:
    """The interpolated texts of a setting; a list's mappings are settings of their own."""
    if is_interpolated(value) and "oc." in value:
        yield value
    elif isinstance(value, list):
        for item in value:
            if not isinstance(item, dict):
                yield from _texts(item)


def written(text: str) -> Iterator[Written]:
    """The fallbacks in a text, inner ones too; one that is itself an interpolation repeats no value and is left out."""
    for hit in _OPENING.finditer(text):
        if text[hit.end()] != ",":
            continue
        end = _closing(text, hit.end() + 1)
        inner = text[hit.end() + 1 : end]
        value = inner.strip()
        if "${" not in value:
            start = hit.end() + 1 + len(inner) - len(inner.lstrip())
            yield Written(hit.group(2), value, start, hit.group(1) == "env")


def _closing(text: str, start: int) -> int:
    """Where the interpolation around ``start`` ends: its closing brace, with quotes and inner braces passed over."""
    depth, quote = 0, ""
    for index in range(start, len(text)):
        sign = text[index]
        if quote:
            quote = "" if sign == quote and text[index - 1] != "\\" else quote
        elif sign in _QUOTES:
            quote = sign
        elif sign == "{":
            depth += 1
        elif sign == "}":
            if depth == 0:
                return index
            depth -= 1
    return len(text)


def _absolute(key: str, path: str) -> str:
    """The full key that ``key``, relative by its leading dots to the setting at ``path``, names."""
    bare = key.lstrip(".")
    up = len(key) - len(bare)
    return ".".join([*path.split(".")[:-up], bare]) if up else bare


def _place(one: Written, text: str, setting: Setting, lines: list[str]) -> tuple[int, int, int]:
    """Line, column and length of a fallback's value in the file; length 0 where the text is folded or escaped there."""
    for number in range(setting.value_line, min(setting.value_line + 40, len(lines)) + 1):
        found = lines[number - 1].find(text)
        if found >= 0:
            return number, found + one.start + 1, len(one.value)
    return setting.value_line, 1, 0
