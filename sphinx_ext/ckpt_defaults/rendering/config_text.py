"""The YAML of a root's settings as text: the lines as they stand in their files, laid one below the other."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..literals import redacted, shown
from ..redaction import HIDDEN
from ..settings import read_text
from .selection import Answer, Row

INDENT = 2
"""Columns by which a level is indented."""


@dataclass(frozen=True)
class Line:
    """A line of a listing: its number in ``file`` (from 1), and the full key that it belongs to."""

    text: str
    number: int
    file: str
    key: str
    first: bool = False


def lines_of(found: Answer, comments: bool = True) -> tuple[Line, ...]:
    """The lines that set the settings of ``found``, with the comments above and behind them or without any comment.

    What must not be told is replaced. Raises :class:`~ckpt_defaults.settings.ConfigError` for an unreadable file.
    """
    lines: list[Line] = []
    flows: list[str] = []
    for row in found.rows:
        if any(row.path.startswith(flow) for flow in flows):
            continue  # stands within the braces of its group
        flow = row.group and not row.folded and _is_flow(row, found.rows)
        if flow:
            flows.append(row.path + ".")
        lines += _of_row(row, comments, flow, first=not lines)
    return tuple(lines)


@functools.lru_cache(maxsize=64)
def _source(file: str, time: int, size: int) -> tuple[str, ...]:
    return tuple(read_text(file).splitlines())


def source_of(file: str) -> tuple[str, ...]:
    """The lines of a YAML file, read once until it changes."""
    try:
        state = os.stat(file)
    except OSError:
        return tuple(read_text(file).splitlines())  # says what is wrong
    return _source(file, state.st_mtime_ns, state.st_size)


def _is_flow(row: Row, rows: tuple[Row, ...]) -> bool:
    """Whether a group is written in braces, and nothing in it comes from elsewhere."""
    if row.implied:
        return False
    source = source_of(row.setting.file)
    line = source[row.setting.line - 1][row.setting.column - 1 :] if row.setting.line <= len(source) else ""
    if not re.match(r"(?:\"[^\"]*\"|'[^']*'|[^\s:]+)\s*:\s*\{", line):
        return False
    inside = [each for each in rows if each.path.startswith(row.path + ".")]
    return all(each.setting.file == row.setting.file and not each.hidden for each in inside)


def _of_row(row: Row, comments: bool, flow: bool, first: bool) -> Iterator[Line]:
    setting, file = row.setting, row.setting.file
    source = source_of(file)
    pad = " " * (INDENT * row.name.count("."))
    at = setting.line - 1
    own = source[at] if at < len(source) else ""

    def line(text: str, index: int, start: bool = False) -> Line:
        return Line((pad + text).rstrip() if text.strip() else "", index + 1, file, row.path, start)

    if row.implied:
        yield line(f"{setting.name}:", at, True)
        return
    if comments:
        top = at
        while top > 0 and source[top - 1].lstrip().startswith("#") and _indent(source[top - 1]) < setting.column:
            top -= 1
        if not first and top > 0 and not source[top - 1].strip():
            yield line("", top - 1)
        for index in range(top, at):
            yield line(source[index].strip(), index)
    remark = f"  # {setting.remark}" if comments and setting.remark else ""
    if row.folded:
        yield line(f"{setting.name}:  # {row.folded} settings", at, True)
    elif row.group and not flow:
        yield line(f"{setting.name}:{remark}", at, True)
    elif row.hidden:
        yield line(f"{setting.name}: {HIDDEN}{remark}", at, True)
    elif redacted(setting.value) != setting.value:
        yield line(f"{setting.name}: {shown(redacted(setting.value))}{remark}", at, True)
    elif own[: setting.column - 1].strip() or setting.name != _key_in(own[setting.column - 1 :]):
        yield line(f"{setting.name}: {shown(setting.value)}{remark}", at, True)  # within braces, or an item of a list
    else:
        yield from _raw(row, source, comments, line)


def _raw(row: Row, source: tuple[str, ...], comments: bool, line: object) -> Iterator[Line]:
    """The lines of a value as they stand, moved to where the listing has them."""
    setting = row.setting
    column, start = setting.column - 1, setting.line - 1
    end = start + 1
    listed = isinstance(setting.value, list)
    text = isinstance(setting.value, str)
    while end < len(source):
        bare = source[end].strip()
        deeper = _indent(source[end]) > column or (listed and _indent(source[end]) == column and bare.startswith("-"))
        if bare and not deeper and not (bare[0] in "]}" and not text):
            break
        end += 1
    while end > start + 1 and (not source[end - 1].strip() or source[end - 1].lstrip().startswith("#")) and not text:
        end -= 1
    while end > start + 1 and not source[end - 1].strip():
        end -= 1
    for index in range(start, end):
        raw = source[index]
        bare = raw.strip()
        if not comments and not text and (not bare or bare.startswith("#")):
            continue
        if not comments and setting.remark and bare.endswith(setting.remark):
            raw = re.sub(r"\s+#\s*" + re.escape(setting.remark) + r"\s*$", "", raw)
        elif not comments and not text and index > start:
            raw = re.sub(r"\s#\s.*$", "", raw)
        cut = raw[column:] if not raw[:column].strip() else raw.lstrip()
        yield line(cut, index, index == start)  # type: ignore[operator]


def _key_in(text: str) -> str:
    """The key that a line starts with, unquoted."""
    hit = re.match(r"(?:\"([^\"]*)\"|'([^']*)'|([^\s:#\[\]{},][^:#]*?))\s*:(?:\s|$)", text)
    return next((part for part in hit.groups() if part is not None), "") if hit else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
