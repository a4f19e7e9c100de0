"""Tables and blocks of YAML are judged as a whole: which column holds the keys, where a block stands, whether it lists
defaults at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..interpolation import environment_default
from ..roots import Root
from ..settings import Setting
from ..statements import DEFAULTS, DESCRIBED, EXAMPLE, Statement
from ..values import SAME
from ..verdicts import AGREES, DISAGREES, Verdict
from ..wording import later
from . import keys as key_rules
from .keys import BARE, INNER
from .outcomes import outcome

_UNSET = frozenset({"null", "''", "[]", "{}"})


def with_key_column(group: Sequence[Statement], roots: Sequence[Root]) -> list[Statement]:
    """Each row's keys with those of the column first that names settings most often."""
    slots = max(len(s.keys) for s in group)
    scores = [0.0] * slots
    for statement in group:
        for slot, key in enumerate(statement.keys):
            if key:
                how = max((m.how for root in roots if (m := key_rules.find(root, key))), default=0)
                scores[slot] += 0 if how == 0 else 1 + how / 10 if how > BARE or slot % 2 == 0 else 0.9
    order = sorted(range(slots), key=lambda slot: (-scores[slot], slot))
    best = order[0]
    pair = [best, best ^ 1]
    if scores[best & ~1] == 0 and _names_apart(group, best & ~1):
        pair = [best]
    result = []
    for s in group:
        keys = tuple(s.keys[slot] for slot in (sorted(pair) if scores[best] else range(slots)) if slot < len(s.keys))
        keys = tuple(dict.fromkeys(k for k in keys if k)) or tuple(dict.fromkeys(k for k in s.keys if k))
        result.append(replace(s, keys=keys))
    return result


def _names_apart(group: Sequence[Statement], slot: int) -> bool:
    """Whether what stands before the keys of a column differs from row to row: another name of each, no parent."""
    before = [s.keys[slot][: -len(s.keys[slot + 1]) - 1] for s in group if len(s.keys) > slot + 1 and s.keys[slot + 1]]
    return len(before) > 1 and "" not in before and len(set(before)) == len(before)


def prefix_of(group: Sequence[Statement], roots: Sequence[Root], first: Statement) -> tuple[str, ...]:
    """The places in a root at which a group's keys stand: those that hold most of its keys, best told by headings."""
    votes: dict[str, set[str]] = {}
    for key in dict.fromkeys(s.key for s in group):
        for root in roots:
            match = key_rules.find(root, key)
            if match is None or match.how == INNER:
                continue
            for path in match.paths:
                if path.endswith(key):
                    votes.setdefault(path[: -len(key)], set()).add(key)
    if not votes:
        return ()
    most = max(len(keys) for keys in votes.values())
    best = [prefix for prefix, keys in votes.items() if len(keys) == most]
    if "" in best and first.kind == "listing":
        return ("",)
    if len(best) > 1:
        marked = key_rules.narrow(tuple(p + "x" for p in best), "x", first.context.parents, first.context.headings)
        best = [path[:-1] for path in marked]
    if len(best) == 1:
        return tuple(best)
    agreeing = {prefix: _agreeing(group, roots, prefix) for prefix in best}
    top = max(agreeing.values())
    return tuple(prefix for prefix in best if agreeing[prefix] == top)


def _agreeing(group: Sequence[Statement], roots: Sequence[Root], prefix: str) -> int:
    """How many statements of a group, in how many roots, agree when its keys stand at ``prefix``."""
    return sum(
        1
        for s in group
        for root in roots
        if prefix + s.key in root.settings and outcome(s, root, prefix + s.key)[0] == SAME
    )


def as_listing(verdicts: list[Verdict], cue: int) -> list[Verdict]:
    """A block that is no listing of defaults says nothing: its statements are dropped to undecided."""
    known = [v for v in verdicts if v.verdict in (AGREES, DISAGREES)]
    right = sum(1 for v in known if v.verdict == AGREES)
    if known and right == len(known) and cue == EXAMPLE:
        return [v if v.verdict == AGREES else v.unsure(later("it stands in an example")) for v in verdicts]
    if known and right == len(known):
        return verdicts
    if cue == EXAMPLE and len(known) >= 6 and right >= 0.85 * len(known):
        return [
            v.unsure(later("the words before the block say to set it")) if v.verdict != AGREES else v for v in verdicts
        ]
    if cue == EXAMPLE:
        return [v if _names_default(v) else v.unsure(later("it stands in an example")) for v in verdicts]
    if cue >= DEFAULTS or _copied(known):
        return verdicts
    if cue == DESCRIBED and len(known) >= 5 and right >= 0.75 * len(known):
        return verdicts
    if len(known) >= 6 and right >= 0.85 * len(known):
        return verdicts
    return [
        v if v.verdict == AGREES else v.unsure(later("nothing says that the block lists defaults")) for v in verdicts
    ]


def _names_default(verdict: Verdict) -> bool:
    """Whether a value names its own default, rightly (``${NAME:x}``): an example leaves it as the config has it."""
    return verdict.verdict == AGREES and environment_default(verdict.statement.documented) is not None


def _copied(known: Sequence[Verdict]) -> bool:
    """Whether a block was copied from the config: most of its comments stand there too, at the same keys.

    A copy that fills in what the config leaves unset is a template that somebody filled in.
    """
    commented = [v for v in known if len(v.statement.comment) > 12 and v.setting is not None]
    alike = [v for v in commented if v.setting is not None and _same_comment(v.statement.comment, v.setting)]
    filled_in = [v for v in known if v.verdict == DISAGREES and v.actual in _UNSET]
    return len(alike) >= 3 and len(alike) >= 0.6 * len(commented) and 3 * len(filled_in) < len(known)


def _same_comment(comment: str, setting: Setting) -> bool:
    theirs = " ".join(f"{setting.comment} {setting.remark}".split()).lower()
    ours = " ".join(comment.split()).lower()
    return ours in theirs or (theirs != "" and theirs in ours)
