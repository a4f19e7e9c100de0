"""The report for a person: a line each, and a summary that can be read aloud."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..judging.checking import Outcome
from ..redaction import HIDDEN, is_secret
from ..settings import shown_path
from ..shortening import one_line
from ..verdicts import AGREES, DISAGREES, UNDECIDED, UNKNOWN_KEY, VERDICTS, Verdict
from ..wording import counted, in_words, say
from . import Report

_COLORS = {DISAGREES: "31", UNKNOWN_KEY: "33", AGREES: "32", UNDECIDED: "90"}


def line(verdict: Verdict, color: bool = False, fix: str | None = None) -> str:
    """``file:line:column: message [verdict]``; ``fix`` is what to write instead."""
    code = f"[{verdict.verdict}]"
    if color:
        code = f"\x1b[{_COLORS[verdict.verdict]}m{code}\x1b[0m"
    todo = "" if fix is None else say("; write {fix}", fix=one_line(fix))
    return f"{place(verdict, color)}: {verdict.message}{todo} {code}"


def place(verdict: Verdict, color: bool = False) -> str:
    """``file:line:column`` of a statement."""
    s = verdict.statement
    text = f"{shown_path(s.file)}:{s.line}:{s.column}"
    return f"\x1b[1m{text}\x1b[0m" if color else text


def summary(outcome: Outcome) -> str:
    """One sentence: how many documented defaults are wrong, on how many pages; then what else there is to know."""
    n = outcome.summary()
    judged = n[AGREES] + n[DISAGREES]
    parts: list[str] = []
    if not n["statements"] and not outcome.known:
        return say("No statement of a default was found.")
    if n[DISAGREES]:
        parts.append(
            counted(
                "{number} of {all} is wrong on {pages}.",
                "{number} of {all} are wrong on {pages}.",
                n[DISAGREES],
                all=counted("{number} documented default", "{number} documented defaults", judged),
                pages=counted("{number} page", "{number} pages", n["pages"]),
            )
        )
    else:
        every = counted("{number} documented default", "{number} documented defaults", judged)
        parts.append(say("{all}: none is wrong.", all=every))
    if n[UNKNOWN_KEY]:
        parts.append(
            counted(
                "{number} statement of a key that no config has.",
                "{number} statements of keys that no config has.",
                n[UNKNOWN_KEY],
            )
        )
    if n[UNDECIDED]:
        parts.append(say("{number} not decided.", number=n[UNDECIDED]))
    if outcome.known:
        parts.append(say("{number} known from the baseline.", number=outcome.known))
    return " ".join(parts)


def unused(outcome: Outcome) -> Iterator[str]:
    """What is said of ignores that ignore nothing."""
    for file, at in outcome.unused_comments:
        yield f"{shown_path(file)}:{at}: " + say("the comment ignores nothing any more; remove it")
    for pattern in outcome.unused_ignores:
        yield say("ignore pattern {pattern!r} matches no statement any more; remove it", pattern=pattern)


def write(report: Report) -> str:
    """The lines of what disagrees and of unknown keys (of everything when asked), then the summary."""
    shown = report.outcome.verdicts if report.everything else report.outcome.told()
    lines = [line(v, report.color, report.fix(v)) for v in shown]
    lines += [*unused(report.outcome), *report.remarks]
    if report.statistics:
        lines += _statistics(report.outcome)
    lines.append(summary(report.outcome))
    return "\n".join(lines) + "\n"


def _statistics(outcome: Outcome) -> Iterator[str]:
    """Counts: statements by kind, the pages and keys with the most faults, the reasons of what is not decided."""
    kinds = Counter((v.statement.kind, v.verdict) for v in outcome.verdicts)
    for kind in sorted({kind for kind, _ in kinds}):
        counts = ", ".join(f"{kinds[kind, verdict]} {verdict}" for verdict in VERDICTS if kinds[kind, verdict])
        yield f"{kind}: {counts}"
    wrong = [v for v in outcome.verdicts if v.verdict == DISAGREES]
    pages = Counter(shown_path(v.statement.file) for v in wrong)
    if pages:
        yield say("pages with the most faults:")
        yield from (f"{count:5} {page}" for page, count in _most(pages))
        keys = Counter(HIDDEN if is_secret(v.path) else v.path for v in wrong)
        yield say("keys with the most faults:")
        yield from (f"{count:5} {key}" for key, count in _most(keys))
    reasons = Counter(in_words(v.reason) for v in outcome.verdicts if v.verdict == UNDECIDED)
    if reasons:
        yield say("not decided, because:")
        yield from (f"{count:5} {reason}" for reason, count in _most(reasons))


def _most(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:10]
