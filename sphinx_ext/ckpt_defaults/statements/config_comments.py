"""Statements in the comments of the config itself: ``# Defaults to 1`` above ``x: 2``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..phrases import phrases
from ..roots import Project
from ..settings import Setting, read_text
from . import Statement
from .copies import SEVERAL, Copy, Place, statement_at
from .passages import Piece, comment_passages, comment_piece, said_of

_FAR = 60
"""Over how many lines a value may run before the comment behind it."""


def comment_copies(project: Project) -> list[Copy]:
    """What the comments above and behind a setting say its default is, as copies of that very setting.

    A comment counts in the roots in which the line that it stands at decides. Raises
    :class:`~ckpt_defaults.settings.ConfigError` for a file that cannot be read any more.
    """
    lines: dict[str, list[str]] = {}
    said: dict[tuple[str, int], list[tuple[Statement, str]]] = {}
    places: dict[Statement, list[Place]] = {}
    word = phrases().word
    for root in project.roots:
        for path, setting in root.settings.items():
            if not (word.search(setting.comment) or word.search(setting.remark)):
                continue
            at = (setting.file, setting.line)
            if at not in said:
                if setting.file not in lines:
                    lines[setting.file] = read_text(setting.file).splitlines()
                said[at] = list(_statements(setting, path, lines[setting.file]))
            for statement, problem in said[at]:
                places.setdefault(statement, []).append(Place(root, path, problem=problem))
    return [Copy(statement, found, words=True) for statement, found in places.items()]


def _statements(setting: Setting, path: str, lines: Sequence[str]) -> Iterator[tuple[Statement, str]]:
    for passage in [*comment_passages(_above(setting, lines)), _behind(setting, lines)]:
        said = said_of(setting.name, passage) if passage else []
        problem = SEVERAL if len({one.value for one in said}) > 1 else ""
        for one in said:
            yield statement_at(setting.file, one.place, "comment", (path,), one.value, literal=one.literal), problem


def _above(setting: Setting, lines: Sequence[str]) -> list[Piece]:
    count = len(setting.comment.split("\n")) if setting.comment else 0
    numbers = range(max(setting.line - count, 1), setting.line)
    rows = [(number, lines[number - 1]) for number in numbers]
    return [comment_piece(number, row, row.find("#")) for number, row in rows if row.lstrip().startswith("#")]


def _behind(setting: Setting, lines: Sequence[str]) -> list[Piece]:
    if setting.remark:
        for number in range(setting.line, min(setting.line + _FAR, len(lines) + 1)):
            row = lines[number - 1].rstrip()
            if row.endswith(setting.remark) and "#" in row:
                return [Piece(number, len(row) - len(setting.remark) + 1, setting.remark)]
    return []
