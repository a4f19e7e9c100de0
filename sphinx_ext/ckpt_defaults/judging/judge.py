"""Statements and roots give verdicts. Pure: no file is read, nothing is remembered."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..interpolation import Resolution
from ..literals import is_hidden, told_value
from ..phrases import phrases
from ..redaction import HIDDEN, is_secret
from ..roots import MANDATORY, Project, Root
from ..settings import Setting
from ..statements import DEFAULTS, UNKNOWN, Statement
from ..values import DIFFERENT, SAME, UNREADABLE, clean, display, readings
from ..verdicts import AGREES, DISAGREES, NO_DEFAULT, UNDECIDED, UNKNOWN_KEY, Verdict
from ..wording import later
from . import keys as key_rules
from .groups import as_listing, prefix_of, with_key_column
from .keys import BARE, EXACT, Match
from .outcomes import other_kind, outcome
from .root_rules import roots_for

_NAME = re.compile(r"[a-z]\w|\w+[._-]\w")
_ENVIRONMENT = re.compile(r"[A-Z][A-Z\d]*(?:_[A-Z\d]+)*")
_CODE = frozenset({"null", "None", "nil"})  # as code writes it, which means no other nothing

NO_ROOT = later("no root is called {name}")
CALLED = later("{number} settings are called {key}")
NO_VALUE = later("its words are no value that a rule reads")
OTHER_KIND = later("the value is of another kind, the sentence may speak of something else")
SELECTS = later("it selects which of its neighbours is in force: a block may show another")
NO_CONFIG = later("it speaks of a file that is no config here")
STRANGERS = later("the keys beside it are of no config here: this one may only be called alike")
HANDED_ON = later("{key} is handed on: its keys are not this config's")
NOT_OURS = later("no config has this key, and nothing says that it is one of this project's")
ENVIRONMENT = later("no config has it, and it is written as environment variables are")
OPTION = later("a command in the same section has an option of that name")
ONE_CASE = later("the sentence tells what holds in one case only")
FREE_NAME = later("the key stands for several, and this one may be set")
"""Reasons for which a statement is undecided."""

_NOTHING = Setting("", None, "", 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Hit:
    """A key of a statement found in one root, and what the value there says."""

    match: Match
    paths: tuple[str, ...]
    outcome: str
    path: str
    resolution: Resolution


def judge(
    statements: Sequence[Statement], project: Project, pages: Mapping[str, Sequence[Root]] | None = None
) -> list[Verdict]:
    """The verdicts of ``statements``, in their order. ``pages`` gives the roots that one page describes, by file."""
    groups: dict[str, list[int]] = {}
    for index, statement in enumerate(statements):
        groups.setdefault(statement.group or f"#{index}", []).append(index)
    verdicts: list[Verdict | None] = [None] * len(statements)
    memory: dict[Any, Any] = {}
    for members in groups.values():
        group = [statements[i] for i in members]
        for index, verdict in zip(members, _judge_group(group, project, pages or {}, memory), strict=True):
            verdicts[index] = verdict
    return _with_pages([v for v in verdicts if v is not None])


def _judge_group(
    group: Sequence[Statement], project: Project, pages: Mapping[str, Sequence[Root]], memory: dict[Any, Any]
) -> list[Verdict]:
    first = group[0]
    roots, named = roots_for(first, project, pages, memory)
    if not named and not any(key_rules.find(root, key) for root in roots for s in group for key in s.keys if key):
        roots = pages.get(first.file, project.roots)  # what the headings name has none of these keys
    if first.kind == "table":
        group = with_key_column(group, roots)
    if first.kind not in ("table", "listing"):
        return [_judge_one(s, roots, named) for s in group]
    prefix = prefix_of(group, roots, first)
    judged = [_judge_one(s, roots, named, prefix) for s in group]
    return as_listing(judged, first.cue) if first.kind == "listing" or first.cue == UNKNOWN else judged


def _judge_one(s: Statement, roots: Sequence[Root], named: bool, prefixes: tuple[str, ...] = ()) -> Verdict:
    if not roots:
        said = NO_ROOT.format(name=repr(s.context.root)) if s.context.root else NO_CONFIG
        return Verdict(s, UNDECIDED, reason=said)
    given, tried = s, list[str]()
    for key in s.keys:
        if tried and s.kind == "prose":
            s = replace(s, loose=True)
        hits = _hits(s, key, roots, prefixes)
        beyond_doubt = len({h.path for h in hits}) == 1 and hits[0].outcome == SAME
        if hits and not beyond_doubt and any(longer.endswith("." + key) for longer in tried):
            continue  # the page gave the parents and they are wrong
        if hits and tried and isinstance(hits[0].resolution.value, dict) and "{" not in s.documented:
            break  # the group that the page speaks of is there, the key in it is not
        if hits:
            verdict = _decide(s, key, hits)
            if verdict.verdict == DISAGREES and s.kind == "prose" and _of_another(key, tried):
                break  # it speaks of a key that is gone; what else the sentence names has a default of its own
            return verdict
        tried.append(key)
    return _unknown(given, roots)


def _of_another(key: str, tried: Sequence[str]) -> bool:
    """Whether a sentence names a key that no root has (one of ``tried``) before ``key``."""
    return any(_NAME.match(other) and not other.endswith("." + key) for other in tried)


def _hits(s: Statement, key: str, roots: Sequence[Root], prefixes: tuple[str, ...]) -> list[_Hit]:
    """What the best way of finding ``key`` gives, a hit a root."""
    matches = [m for root in roots if (m := _by_prefix(root, key, prefixes)) is not None]
    if not matches:
        found = [_by_parent(root, key, s) or key_rules.find(root, key) for root in roots]
        matches = [m for m in found if m is not None and not (m.how == BARE and "" in prefixes)]
    if any(not m.root.fragment for m in matches):
        matches = [m for m in matches if not m.root.fragment]
    least = min(max((m.how for m in matches), default=0), key_rules.SUFFIX)
    hits = []
    for match in matches:
        if match.how < least:
            continue
        paths = key_rules.narrow(match.paths, key, s.context.parents, s.context.headings)
        hits += [_hit(s, match, paths, path) for path in paths]
    return hits


def _by_prefix(root: Root, key: str, prefixes: tuple[str, ...]) -> Match | None:
    paths = tuple(p + key for p in prefixes if p + key in root.settings)
    return Match(root, paths, EXACT) if paths else None


def _by_parent(root: Root, key: str, s: Statement) -> Match | None:
    """The key below a parent bullet or earlier block."""
    for parent in s.context.parents:
        match = key_rules.find(root, f"{parent}.{key}")
        if match is not None and match.how > BARE:
            return match
    for heading in s.context.headings:
        title = heading.strip().strip("`'\"")
        if re.fullmatch(r"[\w.\-]+", title):
            match = key_rules.find(root, f"{title}.{key}")
            if match is not None and match.how >= key_rules.SUFFIX:
                return match
    return None


def _hit(s: Statement, match: Match, paths: tuple[str, ...], path: str) -> _Hit:
    said, path, resolution = outcome(s, match.root, path)
    if said == DIFFERENT and _nothing(s) and resolution.value in (None, "", [], {}):
        said = UNREADABLE  # in a sentence "empty" and "not set" may be meant of each of them
    return _Hit(match, paths, said, path, resolution)


def _nothing(s: Statement) -> bool:
    """Whether a sentence says in words of its own that there is no value."""
    word = s.documented.strip(" .()（）")
    in_words = not s.literal and (s.kind == "prose" or not word.isascii() or s.documented.strip()[0] in "(（")
    said = phrases().values.get(word.lower()) if in_words else ""
    return said == "empty" or (said == "null" and word not in _CODE)


def _decide(s: Statement, key: str, hits: Sequence[_Hit]) -> Verdict:
    agreeing = [h for h in hits if h.outcome == SAME]
    several = len({h.path for h in hits}) > 1
    bare = several and all(h.match.how == BARE for h in hits)
    bare = bare and len({display(h.resolution.value) for h in hits}) > 1
    if agreeing:
        if bare and s.group == "" and len(agreeing) < len(hits):
            return _verdict(s, UNDECIDED, agreeing[0], CALLED.format(number=len({h.path for h in hits}), key=key))
        return _verdict(s, AGREES, agreeing[0])
    different = [h for h in hits if h.outcome == DIFFERENT]
    if not different:
        reason = next((h.outcome for h in hits if h.outcome != UNREADABLE), NO_VALUE)
        return _verdict(s, UNDECIDED, hits[0], reason)
    doubtful = s.loose or (s.kind == "prose" and not s.literal and all(_is_switch(h) for h in different))
    if doubtful and all(other_kind(s, h.resolution.value) for h in different):
        return _verdict(s, UNDECIDED, different[0], OTHER_KIND)
    if s.conditional or s.option:
        return _verdict(s, UNDECIDED, different[0], OPTION if s.option else ONE_CASE)
    if key_rules.has_free_name(key) and None in readings(clean(s.documented), s.literal):
        return _verdict(s, UNDECIDED, different[0], FREE_NAME)
    if bare:
        return _verdict(s, UNDECIDED, different[0], CALLED.format(number=len({h.path for h in hits}), key=key))
    if len(different) < len(hits):
        return _verdict(s, UNDECIDED, different[0], later("not every root decides it"))
    if s.kind == "listing" and all(_is_selector(h) for h in different):
        return _verdict(s, UNDECIDED, different[0], SELECTS)
    verdict = _verdict(s, DISAGREES, different[0])
    actual = dict.fromkeys(_told(hit.match.root, hit.path) for hit in different)
    return replace(verdict, others=tuple(a for a in actual if a != verdict.actual))


def _is_switch(hit: _Hit) -> bool:
    return isinstance(hit.resolution.value, bool)


def _is_selector(hit: _Hit) -> bool:
    """Whether a setting's value names a mapping beside it, of which there are several to choose from."""
    value, parent = hit.resolution.value, hit.path.rpartition(".")[0]
    beside = f"{parent}.{value}" if parent else str(value)
    return isinstance(value, str) and isinstance(hit.match.root.settings.get(beside, _NOTHING).value, dict)


def _verdict(s: Statement, verdict: str, hit: _Hit, reason: str = "") -> Verdict:
    actual = _told(hit.match.root, hit.path)
    if HIDDEN in actual:
        s = replace(s, documented=HIDDEN, span=0)  # what repeats a secret, or was one, is one as well
    setting = hit.match.root.settings[hit.path]
    return Verdict(s, verdict, hit.path, hit.match.root.name, actual, setting, reason)


@functools.lru_cache(maxsize=65536)
def _told(root: Root, path: str) -> str:
    """What a report says of the setting at ``path``: its value, unless that must not be told or there is none."""
    resolution = root.resolve(path)
    if is_secret(path) or is_hidden(root, path):
        return HIDDEN
    if resolution.value == MANDATORY:
        return NO_DEFAULT
    if resolution.follows and resolution.problem:
        return f"${{{resolution.follows}}}"
    return display(told_value(root, path, resolution.value))


def _unknown(s: Statement, roots: Sequence[Root]) -> Verdict:
    """A key that no root has: below an open mapping nothing is decided, else it is unknown."""
    for key in s.keys:
        for root in roots:
            above = key_rules.open_parent(root, key)
            if above:
                return Verdict(s, UNDECIDED, reason=HANDED_ON.format(key=above))
    if s.option:
        return Verdict(s, UNDECIDED, reason=OPTION)
    if _ENVIRONMENT.fullmatch(s.key) and not any(name.isupper() for root in roots for name in root.by_name):
        return Verdict(s, UNDECIDED, reason=ENVIRONMENT)
    return Verdict(s, UNKNOWN_KEY, suggestion=key_rules.suggestion(roots, s.key))


def _of_settings(s: Statement) -> bool:
    """Whether the nearest heading (of a table: one of those around) speaks of settings."""
    near = s.context.headings if s.kind == "table" else s.context.headings[:1]
    return any(phrases().sections.search(heading) for heading in near)


def _company(s: Statement) -> tuple[str, ...]:
    """What a statement stands among: its table or listing, or the section of its page."""
    return (s.group,) if s.group else (s.file, *s.context.headings)


def _strangers(verdicts: Sequence[Verdict]) -> set[tuple[str, ...]]:
    """The tables and sections whose keys are for the most part in no root."""
    keys: dict[tuple[str, ...], tuple[set[str], set[str]]] = {}
    for v in verdicts:
        known, unknown = keys.setdefault(_company(v.statement), (set(), set()))
        if v.path:
            known.add(v.statement.key)
        elif v.verdict == UNKNOWN_KEY:
            unknown.add(v.statement.key)
    return {place for place, (known, unknown) in keys.items() if len(unknown) >= 4 and len(unknown) > len(known)}


def _with_pages(verdicts: list[Verdict]) -> list[Verdict]:
    """What only the other statements of a page can tell.

    A sentence in a row, or one tied to its key by nearness alone, does not outweigh a statement beside it that gives
    the default. Unknown keys are told only where the page speaks of the config at all.

    In a table or listing, a neighbour that is known says so; elsewhere a component of the key that is known, or the
    page as a whole.
    """
    known_groups = {v.statement.group for v in verdicts if v.statement.group and v.path}
    known_pages: dict[str, int] = {}
    for v in verdicts:
        if v.verdict in (AGREES, DISAGREES):
            known_pages[v.statement.file] = known_pages.get(v.statement.file, 0) + 1
    agreeing: dict[tuple[str, str], list[Verdict]] = {}
    for v in verdicts:
        if v.verdict == AGREES:
            agreeing.setdefault((v.statement.file, v.path), []).append(v)
    strangers = _strangers(verdicts)
    result = []
    for v in verdicts:
        s = v.statement
        if v.verdict == DISAGREES and _company(s) in strangers and s.key.isalnum():
            v = v.unsure(STRANGERS)
        if v.verdict == DISAGREES and s.kind in ("prose", "comment"):
            beside = [a.statement for a in agreeing.get((s.file, v.path), ())]
            if any((a.kind == "table" and a.line == s.line) or (s.loose and abs(a.line - s.line) < 10) for a in beside):
                v = v.unsure(later("a statement beside it gives the default"))
        if v.verdict == UNKNOWN_KEY:
            listed = s.kind == "listing" and s.cue >= DEFAULTS and not s.key[:1].isdigit()  # a config is no list
            announced = listed or (s.kind == "table" and _of_settings(s))
            ours = known_pages.get(s.file, 0) > 2
            sure = s.group in known_groups or (ours and announced) if s.group else bool(v.suggestion) or ours
            sure = sure or (s.kind == "prose" and not s.loose and _of_settings(s))
            if not sure:
                v = v.unsure(NOT_OURS)
        result.append(v)
    return result
