"""Statements to verdicts for a whole project: which page means which root, and what is to be left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..roots import Project, Root
from ..statements import Statement
from ..verdicts import AGREES, DISAGREES, UNDECIDED, UNKNOWN_KEY, Verdict
from .ignores import Ignores, matches
from .judge import judge

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
    """The verdicts of a project in the order of files and lines, and what was to be ignored and matched nothing.

    ``unused_comments`` are the places of comments, as file and line. ``known`` counts what a baseline has taken out.
    """

    verdicts: tuple[Verdict, ...]
    unused_ignores: tuple[str, ...] = ()
    unused_comments: tuple[tuple[str, int], ...] = ()
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
    return sift(judge(ordered, project, pages), rules, files)


def joined(
    outcome: Outcome, more: Sequence[Verdict], rules: Rules, names_of: Callable[[str], Sequence[str]]
) -> Outcome:
    """The outcome of the pages together with verdicts from elsewhere, sifted by the same rules."""
    files = {v.statement.file: tuple(names_of(v.statement.file)) for v in more}
    other = sift(more, rules, files)
    return replace(
        outcome,
        verdicts=(*outcome.verdicts, *other.verdicts),
        unused_ignores=tuple(p for p in outcome.unused_ignores if p in other.unused_ignores),
        unused_comments=(*outcome.unused_comments, *other.unused_comments),
    )


def sift(verdicts: Iterable[Verdict], rules: Rules, files: Mapping[str, Sequence[str]]) -> Outcome:
    """The outcome of ``verdicts`` without what is to be left alone. ``files`` gives the names of each file."""
    ignores = Ignores(rules.ignore, files)
    kept = tuple(verdict for verdict in verdicts if not ignores.covers(verdict))
    return Outcome(kept, ignores.unused_patterns(), ignores.unused_comments())
