"""A statement and the roots give a verdict. Pure: no file is read, nothing is remembered."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import keys as key_rules
from .interpolation import Resolution, environment_default, typed_default
from .keys import BARE, EXACT, Match
from .phrases import phrases
from .redaction import HIDDEN, is_secret
from .roots import MANDATORY, Project, Root
from .settings import ConfigError, Setting, shown_path
from .statements import DEFAULTS, EXAMPLE, Statement
from .values import DIFFERENT, SAME, UNREADABLE, clean, compare, display, readings, same

AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED = "agrees", "disagrees", "unknown-key", "undecided"
_NOTHING = Setting("", None, "", 0, 0, 0)
_UNSET = frozenset({"null", "''", "[]", "{}"})
VERDICTS = (AGREES, DISAGREES, UNKNOWN_KEY, UNDECIDED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a statement.

    ``path`` is the full key that it means (empty when none was found), ``root`` the root's name, ``actual`` the value
    as the config would write it (``HIDDEN`` for a secret), ``setting`` the setting that says so, ``reason`` why a
    verdict is undecided or a key unknown, ``suggestion`` a key that may have been meant.
    """

    statement: Statement
    verdict: str
    path: str = ""
    root: str = ""
    actual: str = ""
    setting: Setting | None = None
    reason: str = ""
    suggestion: str = ""

    @property
    def message(self) -> str:
        """One line for a person: what is documented, what is true, where, or what is not known."""
        s = self.statement
        secret = is_secret(self.path or s.key)
        said = HIDDEN if secret else s.documented
        if self.verdict == DISAGREES and self.setting is not None:
            return f"{self.path} is documented as {said}; {self.setting.place} says {self.actual}"
        if self.verdict == AGREES and self.setting is not None:
            return f"{self.path} is {self.actual}, as {self.setting.place} says"
        if self.verdict == UNKNOWN_KEY:
            hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
            return f"{s.key} is documented as {said}, but no config has this key{hint}"
        return f"{self.path or s.key} is documented as {said}: not decided, {self.reason}"


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
    roots, named = _roots_for(first, project, pages, memory)
    if not named and not any(key_rules.find(root, key) for root in roots for s in group for key in s.keys if key):
        roots = pages.get(first.file, project.roots)  # what the headings name has none of these keys
    if first.kind == "table":
        group = _with_key_column(group, roots)
        return [_judge_one(s, roots, named, _prefix_of(group, roots, first)) for s in group]
    if first.kind == "listing":
        prefix = _prefix_of(group, roots, first)
        return _as_listing([_judge_one(s, roots, named, prefix) for s in group], first.cue)
    return [_judge_one(s, roots, named) for s in group]


# -- roots -----------------------------------------------------------------------------------------------------
def _roots_for(
    statement: Statement, project: Project, pages: Mapping[str, Sequence[Root]], memory: dict[Any, Any]
) -> tuple[Sequence[Root], bool]:
    """The roots that a statement may speak of, and whether a name (not only a word) singled them out."""
    context = statement.context
    if context.root:
        try:
            return project.named(context.root), True
        except ConfigError:
            return (), True
    key = (statement.file, context.headings)
    if key not in memory:
        base: Sequence[Root] = pages.get(statement.file, project.roots)
        memory[key] = _named_in(context.headings, base, statement.file in pages)
    found: tuple[Sequence[Root], bool] = memory[key]
    return found


def _named_in(headings: Iterable[str], roots: Sequence[Root], named: bool) -> tuple[Sequence[Root], bool]:
    """Narrows ``roots`` by what the headings name, the outermost first: a file, a root, a choice."""
    base = roots
    for heading in reversed(tuple(headings)):
        files = re.findall(r"[\w\-./]*[\w\-]+(?=\.ya?ml\b)", heading)
        stems = {f.rsplit("/", 1)[-1] for f in files}
        by_file = [r for r in base if r.stem in stems or any(_file_stem(f) in stems for f in r.files)]
        if by_file:
            roots, named = by_file, True
            continue
        words = {w.lower() for w in re.findall(r"[A-Za-z][\w-]*", heading)}
        by_choice = [r for r in roots if r.choices & words]
        if by_choice and len(by_choice) < len(roots):
            roots = by_choice
            continue
        telling = _telling_folders(roots)
        by_folder = [r for r in roots if not r.fragment and words & telling[r.name]]
        if by_folder and len(by_folder) < len(roots) and len(words) <= 3:
            roots = by_folder
    return roots, named


def _file_stem(file: str) -> str:
    return re.sub(r"\.ya?ml$", "", file.replace("\\", "/").rsplit("/", 1)[-1])


def _folders(root: Root) -> frozenset[str]:
    return frozenset(part.lower() for file in root.files[:1] for part in shown_path(file).split("/")[:-1])


def _telling_folders(roots: Sequence[Root]) -> dict[str, frozenset[str]]:
    """The folders by which each root differs from the others, by its name."""
    folders = {r.name: _folders(r) for r in roots}
    common = frozenset.intersection(*folders.values()) if folders else frozenset()
    return {name: parts - common for name, parts in folders.items()}


# -- groups ----------------------------------------------------------------------------------------------------
def _with_key_column(group: Sequence[Statement], roots: Sequence[Root]) -> list[Statement]:
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
    result = []
    for s in group:
        keys = tuple(s.keys[slot] for slot in (sorted(pair) if scores[best] else range(slots)) if slot < len(s.keys))
        keys = tuple(dict.fromkeys(k for k in keys if k)) or tuple(dict.fromkeys(k for k in s.keys if k))
        result.append(replace(s, keys=keys))
    return result


def _prefix_of(group: Sequence[Statement], roots: Sequence[Root], first: Statement) -> tuple[str, ...]:
    """The places in a root at which a block's keys stand: those that hold most of its keys, best told by headings."""
    votes: dict[str, set[str]] = {}
    agreeing: dict[str, int] = {}
    for statement in group:
        for root in roots:
            match = key_rules.find(root, statement.key)
            for path in match.paths if match else ():
                if match is not None and match.how in (EXACT, key_rules.SUFFIX, BARE):
                    prefix = path[: -len(statement.key)] if path.endswith(statement.key) else ""
                    votes.setdefault(prefix, set()).add(statement.key)
                    if _outcome(statement, root, path)[0] == SAME:
                        agreeing[prefix] = agreeing.get(prefix, 0) + 1
    if not votes:
        return ()
    most = max(len(keys) for keys in votes.values())
    best = [prefix for prefix, keys in votes.items() if len(keys) == most]
    if "" in best and first.kind == "listing":
        return ("",)
    if len(best) > 1:
        marked = key_rules.narrow([p + "x" for p in best], "x", first.context.parents, first.context.headings)
        best = [path[:-1] for path in marked]
    top = max(agreeing.get(p, 0) for p in best)
    return tuple(p for p in best if agreeing.get(p, 0) == top)


def _as_listing(verdicts: list[Verdict], cue: int) -> list[Verdict]:
    """A block that is no listing of defaults says nothing: its statements are dropped to undecided."""
    known = [v for v in verdicts if v.verdict in (AGREES, DISAGREES)]
    right = sum(1 for v in known if v.verdict == AGREES)
    if known and right == len(known):
        return verdicts
    if cue == EXAMPLE and len(known) >= 6 and right >= 0.85 * len(known):
        return [_unsure(v, "the words before the block say to set it") if v.verdict != AGREES else v for v in verdicts]
    if cue == EXAMPLE:
        return [_unsure(v, "it stands in an example") for v in verdicts]
    if cue >= DEFAULTS or _copied(known):
        return verdicts
    if len(known) >= 6 and right >= 0.85 * len(known):
        return verdicts
    return [v if v.verdict == AGREES else _unsure(v, "nothing says that the block lists defaults") for v in verdicts]


def _of_settings(s: Statement) -> bool:
    """Whether the nearest heading (of a table: one of those around) speaks of settings."""
    near = s.context.headings if s.kind == "table" else s.context.headings[:1]
    return any(phrases().sections.search(heading) for heading in near)


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


def _unsure(v: Verdict, reason: str) -> Verdict:
    return Verdict(v.statement, UNDECIDED, v.path, v.root, v.actual, v.setting, reason)


# -- one statement ---------------------------------------------------------------------------------------------
def _judge_one(s: Statement, roots: Sequence[Root], named: bool, prefixes: tuple[str, ...] = ()) -> Verdict:
    if not roots:
        return Verdict(s, UNDECIDED, reason=f"no root is called {s.context.root!r}")
    tried: list[str] = []
    for key in s.keys:
        if tried and s.kind == "prose":
            s = replace(s, loose=True)
        hits = _hits(s, key, roots, prefixes)
        if hits and any(longer.endswith("." + key) for longer in tried):
            # the page gave the parents and they are wrong: the bare name counts only where it is beyond doubt
            if len({h.path for h in hits}) > 1 or hits[0].outcome != SAME:
                continue
        if hits and tried and isinstance(hits[0].resolution.value, dict) and "{" not in s.documented:
            break  # the group that the page speaks of is there, the key in it is not
        if hits:
            return _decide(s, key, hits)
        tried.append(key)
    return _unknown(s, roots)


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
    outcome, path, resolution = _outcome(s, match.root, path)
    return _Hit(match, paths, outcome, path, resolution)


_INHERITS = re.compile(r"[A-Za-z_][\w.]*\.[\w.]+|[A-Za-z]\w*_\w+")


def _outcome(s: Statement, root: Root, path: str) -> tuple[str, str, Resolution]:
    """What the value at ``path`` says of the statement: the same, different, unreadable, or a problem's words."""
    setting = root.settings[path]
    resolution = root.resolve(path)
    text = s.documented.strip()
    documented = environment_default(text)
    if documented is not None:
        agrees = same(typed_default(documented), resolution.value)
        return (SAME if agrees else compare(documented or '""', resolution.value, True)), path, resolution
    if text in ("", "-", "--", "—", "–"):
        return (SAME if resolution.value in (None, "", [], {}) else UNREADABLE), path, resolution
    if isinstance(setting.value, dict) and setting.value:
        if re.match(r"^[\w.]+: \S", text):
            return compare("{" + text + "}", resolution.value, True), path, resolution
        switch = key_rules.switch_of(root, path)
        if switch and text.strip("*` ").lower() in phrases().values:
            return _outcome(s, root, switch)
        if not text.startswith("{"):
            return UNREADABLE, path, resolution
    if isinstance(setting.value, str) and text.strip("`'\" ") == setting.value.strip():
        return SAME, path, resolution
    if isinstance(setting.value, str) and _spaceless(text) == _spaceless(setting.value):
        return SAME, path, resolution
    reference = _reference(text, root, resolution)
    if reference:
        outcome = _same_reference(reference, root, path, resolution)
        if outcome == DIFFERENT and text.startswith("$") and reference in root.settings:
            outcome = SAME if same(root.resolve(reference).value, resolution.value) else DIFFERENT
        return outcome, path, resolution
    if resolution.problem:
        return resolution.problem, path, resolution
    if resolution.value == MANDATORY:
        return (SAME if compare(text, MANDATORY, s.literal) == SAME else DIFFERENT if s.literal else UNREADABLE), path, resolution
    return compare(text, resolution.value, s.literal), path, resolution


def _spaceless(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _reference(text: str, root: Root, resolution: Resolution) -> str:
    """The key that a documented text refers to ("same as ``a.b``", ``${a.b}``, ``a.b``), else ``''``."""
    whole = re.fullmatch(r"\$\{(?:oc\.select:)?([\w.]+)(?:,[^}]*)?\}", text.strip("`'\" "))
    if whole:
        return whole.group(1)
    bare = text.strip("`'\" ")
    if "." in bare and (bare in root.settings or bare == resolution.follows) and bare != resolution.value:
        return bare
    if phrases().inherits.search(bare):
        hit = _INHERITS.search(bare)
        return hit.group(0) if hit else ""
    return ""


def _same_reference(reference: str, root: Root, path: str, resolution: Resolution) -> str:
    if resolution.follows:
        follows = resolution.follows
        wanted = key_rules.components(reference)
        if key_rules.components(follows)[-len(wanted) :] == wanted:
            return SAME
        # what both lead to may still be the same key (a chain of references)
        seen = {path}
        while follows in root.settings and follows not in seen:
            seen.add(follows)
            follows = root.resolve(follows).follows
            if follows and key_rules.components(follows)[-len(wanted) :] == wanted:
                return SAME
        return DIFFERENT
    if resolution.problem:
        return resolution.problem
    return DIFFERENT


def _decide(s: Statement, key: str, hits: Sequence[_Hit]) -> Verdict:
    agreeing = [h for h in hits if h.outcome == SAME]
    several = len({h.path for h in hits}) > 1
    alike = len({display(h.resolution.value) for h in hits}) == 1
    bare = all(h.match.how == BARE for h in hits) and several and not alike
    if agreeing:
        if bare and s.group == "" and len(agreeing) < len(hits):
            return _verdict(s, UNDECIDED, agreeing[0], f"{len({h.path for h in hits})} settings are called {key}")
        return _verdict(s, AGREES, agreeing[0])
    different = [h for h in hits if h.outcome == DIFFERENT]
    if not different:
        reason = next((h.outcome for h in hits if h.outcome != UNREADABLE), "its words are no value that a rule reads")
        return _verdict(s, UNDECIDED, hits[0], reason)
    if s.loose and all(_other_kind(s, h.resolution.value) for h in different):
        return _verdict(s, UNDECIDED, different[0], "the value is of another kind, the sentence may speak of something else")
    if bare:
        return _verdict(s, UNDECIDED, different[0], f"{len({h.path for h in hits})} settings are called {key}")
    if len(different) < len(hits):
        return _verdict(s, UNDECIDED, different[0], "not every root decides it")
    if s.kind == "listing" and all(_is_selector(h) for h in different):
        return _verdict(s, UNDECIDED, different[0], "it selects which of its neighbours is in force: a block may show another")
    return _verdict(s, DISAGREES, different[0])


def _is_selector(hit: _Hit) -> bool:
    """Whether a setting's value names a mapping beside it, of which there are several to choose from."""
    value, parent = hit.resolution.value, hit.path.rpartition(".")[0]
    beside = f"{parent}.{value}" if parent else str(value)
    return isinstance(value, str) and isinstance(hit.match.root.settings.get(beside, _NOTHING).value, dict)


def _other_kind(s: Statement, value: Any) -> bool:
    """Whether a documented text cannot be of the kind of the value: a number for a switch, a word for a number."""
    kinds = {type(r) for r in readings(clean(s.documented), s.literal) if isinstance(r, (bool, int, float))}
    numeric = {int, float} & kinds
    if isinstance(value, bool):
        return bool not in kinds
    if isinstance(value, (int, float)):
        return not numeric
    return value is not None and isinstance(value, (list, dict))


def _verdict(s: Statement, verdict: str, hit: _Hit, reason: str = "") -> Verdict:
    setting = hit.match.root.settings[hit.path]
    value = hit.resolution.follows and hit.resolution.problem and f"${{{hit.resolution.follows}}}"
    actual = HIDDEN if is_secret(hit.path) else value or display(hit.resolution.value)
    if hit.resolution.value == MANDATORY:
        actual = "required (???), it has no default"
    return Verdict(s, verdict, hit.path, hit.match.root.name, actual, setting, reason)


def _unknown(s: Statement, roots: Sequence[Root]) -> Verdict:
    """A key that no root has: below an open mapping nothing is decided, else it is unknown."""
    for key in s.keys:
        for root in roots:
            above = key_rules.open_parent(root, key)
            if above:
                return Verdict(s, UNDECIDED, reason=f"{above} is handed on: its keys are not this config's")
    return Verdict(s, UNKNOWN_KEY, suggestion=key_rules.suggestion(roots, s.key))


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
    result = []
    for v in verdicts:
        s = v.statement
        if v.verdict == DISAGREES and s.kind in ("prose", "comment"):
            beside = [a.statement for a in agreeing.get((s.file, v.path), ())]
            if any(a.kind == "table" and a.line == s.line or s.loose and abs(a.line - s.line) < 10 for a in beside):
                v = _unsure(v, "a statement beside it gives the default")
        if v.verdict == UNKNOWN_KEY:
            announced = s.kind == "listing" and s.cue >= DEFAULTS or s.kind == "table" and _of_settings(s)
            ours = known_pages.get(s.file, 0) > 2
            sure = s.group in known_groups or ours and announced if s.group else bool(v.suggestion) or ours
            sure = sure or s.kind == "prose" and not s.loose and _of_settings(s)
            if not sure:
                v = _unsure(v, "no config has this key, and nothing says that it is one of this project's")
        result.append(v)
    return result
