"""Statements to verdicts for a whole project: which page means which root, and what is to be left alone."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .judging import judge
from .roots import Project, Root
from .statements import Statement
from .verdicts import AGREES, DISAGREES, UNDECIDED, UNKNOWN_KEY, Verdict

FAIL_ON = (DISAGREES, UNKNOWN_KEY, "never")
"""What a project may ask to fail on; ``unknown-key`` fails on disagreements too."""


@dataclass(frozen=True)
class Rules:
    """What a project asks for: which page describes which root, what to leave alone, what to fail on."""

    pages: Mapping[str, str] = field(default_factory=dict)
    ignore: Sequence[str] = ()
    fail_on: str = DISAGREES

    def fails(self, verdict: Verdict) -> bool:
        """Whether a verdict fails the check."""
        if self.fail_on == "never":
            return False
        return verdict.verdict == DISAGREES or (self.fail_on == UNKNOWN_KEY and verdict.verdict == UNKNOWN_KEY)


@dataclass(frozen=True)
class Outcome:
    """The verdicts of a project in the order of files and lines, and the ignore patterns that matched nothing.

    ``known`` counts what a baseline has taken out.
    """

    verdicts: tuple[Verdict, ...]
    unused_ignores: tuple[str, ...] = ()
    known: int = 0

    def told(self) -> list[Verdict]:
        """The verdicts that are reported: what disagrees, and keys that are gone."""
        return [v for v in self.verdicts if v.verdict in (DISAGREES, UNKNOWN_KEY)]

    def summary(self) -> dict[str, int]:
        """How many statements there are of each verdict, and the pages that a disagreement stands on."""
        counts = dict.fromkeys((AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED), 0)
        for verdict in self.verdicts:
            counts[verdict.verdict] += 1
        wrong = {v.statement.file for v in self.verdicts if v.verdict == DISAGREES}
        return {**counts, "statements": len(self.verdicts), "pages": len(wrong)}


def matches(pattern: str, names: Iterable[str]) -> bool:
    """Whether a page pattern (shell style, ``*`` crosses folders) means a page that goes by one of ``names``."""
    return any(fnmatch.fnmatchcase(name, pattern) or name.endswith("/" + pattern) for name in names)


def check(
    statements: Sequence[Statement], project: Project, rules: Rules, names_of: Callable[[str], Sequence[str]]
) -> Outcome:
    """Judges all statements of a project. ``names_of`` gives the names by which a pattern may call a file.

    Raises :class:`~ckpt_defaults.settings.ConfigError` when ``rules.pages`` names a root that there is not.
    """
    ordered = sorted(statements, key=lambda s: (s.file, s.line, s.column))
    files = {s.file: tuple(names_of(s.file)) for s in ordered}
    pages: dict[str, Sequence[Root]] = {}
    for pattern, name in rules.pages.items():
        roots = project.named(name)
        pages.update({file: roots for file, names in files.items() if matches(pattern, names)})
    used: set[str] = set()
    kept = [v for v in judge(ordered, project, pages) if not _ignored(v, rules.ignore, files, used)]
    return Outcome(tuple(kept), tuple(p for p in rules.ignore if p not in used))


def _ignored(verdict: Verdict, patterns: Sequence[str], files: Mapping[str, Sequence[str]], used: set[str]) -> bool:
    """Whether a pattern of ``page`` or ``page:key`` takes a verdict out; the reason behind ``#`` does not count."""
    for written in patterns:
        page, _, key = written.split(" #", 1)[0].strip().partition(":")
        names = [n for n in (verdict.path, *verdict.statement.keys) if n]
        if matches(page, files[verdict.statement.file]) and (
            not key or any(fnmatch.fnmatchcase(n, key) for n in names)
        ):
            used.add(written)
            return True
    return False
