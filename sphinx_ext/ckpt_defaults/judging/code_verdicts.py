"""A copy of a default in code or config, and the roots, give verdicts. Pure: no file is read, nothing is remembered.

One class may stand at several places of a config, and a role may differ on purpose: of the settings that are laid from
one mapping, a copy disagrees only where none has its value, in no root, unless every place is asked for. A mapping that
names the class deep inside another component is a role as well: what it says counts where no other mapping has the key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..interpolation import is_interpolated
from ..literals import is_hidden, redacted
from ..redaction import HIDDEN, is_secret
from ..roots import MANDATORY, Project
from ..settings import shown_path
from ..statements.copies import Copy, Place
from ..values import DIFFERENT, SAME, display, same
from ..verdicts import AGREES, DISAGREES, NO_DEFAULT, UNDECIDED, Verdict
from ..wording import later
from .judge import judge

LAID_OVER = later("{file} says so too, and other files lay their values over it")
REQUIRED = later("the config asks for a value here (???)")
FOLLOWS = later("it follows {key}, which this root does not have")


@dataclass(frozen=True, slots=True)
class _Hit:
    place: Place
    outcome: str
    """:data:`SAME`, :data:`DIFFERENT`, or why neither can be said."""
    actual: str


def judge_copies(copies: Iterable[Copy], every_place: bool = False) -> list[Verdict]:
    """The verdicts of ``copies``, in the order of files and lines; ``every_place`` asks for each key by itself.

    A literal that several classes inherit is told once where it is wrong for all of them. Where it is right for some,
    it is told for the others without a length to rewrite: a change of it would be wrong for the first.
    """
    by_literal: dict[tuple[str, int, int, str], list[Copy]] = {}
    for copy in copies:
        s = copy.statement
        by_literal.setdefault((s.file, s.line, s.column, s.documented), []).append(copy)
    verdicts: list[Verdict] = []
    for group in by_literal.values():
        judged = [verdict for copy in group for verdict in _judge(copy, every_place)]
        verdicts += _once(judged) if every_place else _together(judged)
    return sorted(verdicts, key=lambda v: (v.statement.file, v.statement.line, v.statement.column, v.path))


def _together(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts on one literal, by several classes or mappings, as those that a person should see."""
    wrong = _once(v for v in verdicts if v.verdict == DISAGREES)
    others = [v for v in verdicts if v.verdict != DISAGREES]
    if not wrong:
        return [next((v for v in others if v.verdict == AGREES), others[0])]
    if not any(v.verdict == AGREES for v in others):
        return [wrong[0] if len({v.actual for v in wrong}) == 1 else _not_to_rewrite(wrong[0])]
    return [next(v for v in others if v.verdict == AGREES), *map(_not_to_rewrite, wrong)]


def _once(verdicts: Iterable[Verdict]) -> list[Verdict]:
    first: dict[tuple[str, str], Verdict] = {}
    for verdict in verdicts:
        first.setdefault((verdict.path, verdict.verdict), verdict)
    return list(first.values())


def _not_to_rewrite(verdict: Verdict) -> Verdict:
    return replace(verdict, statement=replace(verdict.statement, span=0))


def _judge(copy: Copy, every_place: bool) -> list[Verdict]:
    """The verdicts on one copy: one for each mapping that is not a role of another component, or one for each key."""
    groups: dict[object, list[_Hit]] = {}
    least = min((place.declared[0] for place in copy.places), default=0)
    for place in copy.places:
        if every_place or place.declared[0] == least:
            groups.setdefault(place.path if every_place else place.declared, []).append(_hit(copy, place, every_place))
    if not groups:
        return [Verdict(copy.statement, UNDECIDED, reason=later("no root has a setting that it repeats"))]
    return [_decide(copy, hits) for hits in groups.values()]


def _decide(copy: Copy, hits: Sequence[_Hit]) -> Verdict:
    agreeing = [hit for hit in hits if hit.outcome == SAME]
    if agreeing:
        return _verdict(copy, AGREES, _plainest(agreeing))
    different = [hit for hit in hits if hit.outcome == DIFFERENT]
    unsure = [hit for hit in hits if hit.outcome not in (SAME, DIFFERENT)]
    if unsure:
        return _verdict(copy, UNDECIDED, unsure[0], unsure[0].outcome)
    verdict = _verdict(copy, DISAGREES, _plainest(different))
    return verdict if len({hit.actual for hit in different}) == 1 else _not_to_rewrite(verdict)


def _hit(copy: Copy, place: Place, strictly: bool) -> _Hit:
    resolution = place.root.resolve(place.path)
    if place.problem:
        return _Hit(place, place.problem, "" if resolution.problem else display(redacted(resolution.value)))
    if resolution.problem:
        return _Hit(place, resolution.problem, f"${{{resolution.follows}}}" if resolution.follows else "")
    value = resolution.value
    if value is None and resolution.follows and resolution.follows not in place.root.settings:
        return _Hit(place, FOLLOWS.format(key=resolution.follows), "null")
    if value == MANDATORY:
        return _Hit(place, REQUIRED, NO_DEFAULT)
    if copy.words:  # read as a page's words are, at this one key
        said = replace(copy.statement, keys=(place.path,))
        read = judge([said], Project((place.root,)))[0]
        outcome = {AGREES: SAME, DISAGREES: DIFFERENT}.get(read.verdict, read.reason)
    else:
        outcome = SAME if any(same(reading, value) for reading in copy.values) else DIFFERENT
        below = [same(reading, value) for reading in copy.values for value in place.beneath]
        if outcome == DIFFERENT and any(below) and not strictly:
            outcome = LAID_OVER.format(file=shown_path(place.declared[1]))
    return _Hit(place, outcome, display(redacted(value)))


def _plainest(hits: Sequence[_Hit]) -> _Hit:
    """The hit whose setting has a value of its own, rather than one taken from another key."""
    own = (hit for hit in hits if not is_interpolated(hit.place.root.settings[hit.place.path].value))
    return next(own, hits[0])


def _verdict(copy: Copy, verdict: str, hit: _Hit, reason: str = "") -> Verdict:
    path = hit.place.path
    statement = copy.statement
    if statement.keys[:1] != (path,):
        statement = replace(statement, keys=tuple(dict.fromkeys((path, *statement.keys[1:]))))
    actual = hit.actual
    if is_hidden(hit.place.root, path):
        actual = HIDDEN
        if not is_secret(path):  # a key that takes its value from a secret: what repeats it is one as well
            statement = replace(statement, documented=HIDDEN, span=0)
    return Verdict(statement, verdict, path, hit.place.root.name, actual, hit.place.root.settings[path], reason)
