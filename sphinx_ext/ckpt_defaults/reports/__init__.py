"""Reports: what a check found, written for a person, a program or a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..checking import Outcome, Rules
from ..verdicts import AGREES, Verdict


@dataclass(frozen=True)
class Report:
    """What is to be written: the outcome, the rules it was made by, and whether all verdicts are told.

    ``color`` allows escape sequences for a terminal, ``statistics`` adds counts by kind and key.
    """

    outcome: Outcome
    rules: Rules
    everything: bool = False
    color: bool = False
    statistics: bool = False

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts that the report holds: all of them, or those that are not ``agrees``."""
        return [v for v in self.outcome.verdicts if self.everything or v.verdict != AGREES]


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
