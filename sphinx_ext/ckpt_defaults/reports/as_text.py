"""The report for a person: a line each, and a summary that can be read aloud."""

from __future__ import annotations

from collections import Counter

from ..checking import Outcome
from ..settings import shown_path
from ..verdicts import AGREES, DISAGREES, UNDECIDED, UNKNOWN_KEY, Verdict
from . import Report

_COLORS = {DISAGREES: "31", UNKNOWN_KEY: "33", AGREES: "32", UNDECIDED: "90"}


def line(verdict: Verdict, color: bool = False) -> str:
    """``file:line:column: message [verdict]``."""
    s = verdict.statement
    code = f"[{verdict.verdict}]"
    if color:
        code = f"\x1b[{_COLORS[verdict.verdict]}m{code}\x1b[0m"
    return f"{shown_path(s.file)}:{s.line}:{s.column}: {verdict.message} {code}"


def summary(outcome: Outcome) -> str:
    """One sentence: how many documented defaults are wrong, on how many pages; then what else there is to know."""
    n = outcome.summary()
    judged = n[AGREES] + n[DISAGREES]
    if not n["statements"]:
        return "No statement of a default was found."
    if n[DISAGREES]:
        verb = "is" if n[DISAGREES] == 1 else "are"
        text = f"{n[DISAGREES]} of {_count(judged, 'documented default')} {verb} wrong on {_count(n['pages'], 'page')}."
    else:
        text = f"{_count(judged, 'documented default')}: none is wrong."
    if n[UNKNOWN_KEY]:
        text += f" {_count(n[UNKNOWN_KEY], 'statement')} of keys that no config has."
    if n[UNDECIDED]:
        text += f" {n[UNDECIDED]} not decided."
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def write(report: Report) -> str:
    """The lines of what disagrees and of unknown keys (of everything when asked), then the summary."""
    shown = report.outcome.verdicts if report.everything else report.outcome.told()
    lines = [line(v, report.color) for v in shown]
    lines += [f"ignore pattern {p!r} matches no statement any more; remove it" for p in report.outcome.unused_ignores]
    if report.statistics:
        lines += _statistics(report.outcome)
    lines.append(summary(report.outcome))
    return "\n".join(lines) + "\n"


def _statistics(outcome: Outcome) -> list[str]:
    by_kind = Counter((v.statement.kind, v.verdict) for v in outcome.verdicts)
    reasons = Counter(v.reason for v in outcome.verdicts if v.verdict == UNDECIDED)
    lines = [f"{count:6} {kind} {verdict}" for (kind, verdict), count in sorted(by_kind.items())]
    return lines + [f"{count:6} not decided: {reason}" for reason, count in reasons.most_common(10)]
