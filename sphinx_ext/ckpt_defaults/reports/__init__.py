"""Reports: what a check found, written for a person, a program or a service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..fixing.spelling import Style, replacement, style_of
from ..judging.checking import Outcome, Rules
from ..shortening import one_line
from ..statements import Statement
from ..verdicts import AGREES, Verdict
from ..wording import say


@dataclass(frozen=True)
class Report:
    """What is to be written: the outcome, the rules it was made by, and whether all verdicts are told.

    ``color`` allows escape sequences for a terminal, ``statistics`` adds counts by kind and key, ``remarks`` are lines
    to be told beside the verdicts.
    """

    outcome: Outcome
    rules: Rules
    everything: bool = False
    color: bool = False
    statistics: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts that the report holds: all of them, or those that are not ``agrees``."""
        return [v for v in self.outcome.verdicts if self.everything or v.verdict != AGREES]

    @cached_property
    def styles(self) -> Mapping[str, Style]:
        """How each file spells its values."""
        words: dict[str, list[Statement]] = {}
        for verdict in self.outcome.verdicts:
            words.setdefault(verdict.statement.file, []).append(verdict.statement)
        return {file: style_of(statements) for file, statements in words.items()}

    def fix(self, verdict: Verdict) -> str | None:
        """What the page would have to write instead, ``None`` where a program cannot say."""
        return replacement(verdict, self.styles.get(verdict.statement.file))

    def told(self, verdict: Verdict) -> str:
        """The message of a verdict, with what to write where that is known and not what the config shows anyway."""
        new = self.fix(verdict)
        return verdict.message if new is None else verdict.message + say("; write {fix}", fix=one_line(new))


def writers() -> dict[str, Callable[[Report], str]]:
    """The function that writes each format, by its name for ``--format``."""
    from . import as_github, as_json, as_junit, as_sarif, as_text

    return {
        "text": as_text.write,
        "json": as_json.write,
        "sarif": as_sarif.write,
        "github": as_github.write,
        "junit": as_junit.write,
    }
