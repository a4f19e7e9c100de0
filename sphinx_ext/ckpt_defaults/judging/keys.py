"""Which settings of a root a key, as a page writes it, may mean."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..roots import Root

EXACT, SUFFIX, INNER, BARE = 4, 3, 2, 1
"""How a key was found: as the full path; as its end on dot boundaries; with levels left out between its first and its
last component; by its last component alone, of which there may be several."""

_SWITCHES = ("enabled", "enable", "enabled_", "use")
_WORD = re.compile(r"[A-Za-z]\w*")
_WILD = re.compile(r"^(?:\*|<.*>|\{.*\}|\[.*\]|N|\d+)$")
_FREE = re.compile(r"[<{].*(?:name|\bid|名|名前|名称)[>}]$", re.I)


@dataclass(frozen=True, slots=True)
class Match:
    """The settings of one root that a key may mean, and how they were found."""

    root: Root
    paths: tuple[str, ...]
    how: int


@functools.lru_cache(maxsize=16384)
def components(key: str) -> tuple[str, ...]:
    """The dotted components of a key; list indices (``a[0].b``, ``a[].b``) are components of their own."""
    return tuple(part for part in re.sub(r"\[(\w*|\*)\]", r".\1", key).split(".") if part)


@functools.lru_cache(maxsize=65536)
def find(root: Root, key: str) -> Match | None:
    """The settings of ``root`` that ``key`` may mean, ``None`` when there is none."""
    if key in root.settings:
        return Match(root, (key,), EXACT)
    parts = components(key)
    if not parts:
        return None
    if len(parts) > 1 and ".".join(parts) in root.settings:  # ``a[0].b``
        return Match(root, (".".join(parts),), EXACT)
    if any(_WILD.match(part) for part in parts):
        return _wild(root, parts)
    named = root.by_name.get(parts[-1], ())
    if len(parts) == 1:
        return Match(root, named, BARE) if named else None
    found = _by_end(root, parts, named, str)
    return found or _by_end(root, [part.lower() for part in parts], root.by_lower.get(parts[-1].lower(), ()), str.lower)


def _by_end(root: Root, parts: Sequence[str], named: Sequence[str], fold: Callable[[str], str]) -> Match | None:
    """The settings among ``named`` that end like ``parts``, else those that hold them in their order."""
    end = "." + ".".join(parts)
    ending = tuple(path for path in named if ("." + fold(path)).endswith(end))
    if ending:
        exact = tuple(path for path in ending if fold(path) == end[1:])
        return Match(root, exact or ending, EXACT if exact else SUFFIX)
    inner = tuple(path for path in named if _within(parts, fold(path).split(".")))
    return Match(root, inner, INNER) if inner else None


def _within(parts: Sequence[str], path: Sequence[str]) -> bool:
    """Whether ``parts`` stand at the end of ``path`` in their order, the last at its end, with few levels between."""
    if path[-1] != parts[-1] or parts[0] not in path:
        return False
    below = path[len(path) - 1 - list(reversed(path)).index(parts[0]) :]
    if len(below) - len(parts) > 2:
        return False
    rest = iter(below)
    return all(part in rest for part in parts)


def _wild(root: Root, parts: Sequence[str]) -> Match | None:
    """A key with placeholders (``<name>``, ``*``, an index)."""
    if _WILD.match(parts[-1]):
        return None
    pattern = re.compile(
        r"(?:.*\.)?" + r"\.".join(r"[^.]+" if _WILD.match(part) else re.escape(part) for part in parts) + "$"
    )
    found = tuple(path for path in root.by_name.get(parts[-1], ()) if pattern.match(path))
    return Match(root, found, SUFFIX) if found else None


def has_free_name(key: str) -> bool:
    """Whether a key has a name that its user chooses (``<name>``, ``{job_name}``)."""
    return any(_FREE.match(part) for part in components(key))


@functools.lru_cache(maxsize=16384)
def narrow(paths: tuple[str, ...], key: str, parents: tuple[str, ...], headings: tuple[str, ...]) -> tuple[str, ...]:
    """Of several settings of one name, those that what stands around speaks of; all of them when it says nothing."""
    left = paths
    for parent in parents:
        if len(left) < 2:
            return left
        wanted = components(parent)
        kept = tuple(path for path in left if _holds(path.split(".")[:-1], wanted))
        left = kept or left
    for heading in headings:
        if len(left) < 2:
            return left
        said = _words(heading)
        scores = {path: _score(path, key, said) for path in left}
        best = max(scores.values())
        if best:
            left = tuple(path for path in left if scores[path] == best)
    return left


def _holds(path: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether ``wanted`` stands in ``path`` as a run of components."""
    size = len(wanted)
    return any(list(path[i : i + size]) == list(wanted) for i in range(len(path) - size + 1))


@functools.lru_cache(maxsize=8192)
def _words(heading: str) -> frozenset[str]:
    found = {word.lower() for word in _WORD.findall(heading)}
    return frozenset(found | {word.rstrip("s") for word in found} | {part for w in found for part in w.split("_")})


def _score(path: str, key: str, said: frozenset[str]) -> int:
    ahead = path.split(".")[: -len(components(key))]
    return sum(1 for part in ahead if part.lower() in said or part.lower().rstrip("s") in said)


def switch_of(root: Root, path: str) -> str | None:
    """The key that switches the mapping at ``path`` on and off (``enabled``, ``enable``), if it has one."""
    for name in _SWITCHES:
        if f"{path}.{name}" in root.settings:
            return f"{path}.{name}"
    return None


def beside_switch(root: Root, path: str) -> str | None:
    """The one setting of the mapping at ``path`` beside its switch, if that is all that it holds."""
    switch, value = switch_of(root, path), root.settings[path].value
    others = [name for name in value if f"{path}.{name}" != switch] if switch and isinstance(value, dict) else []
    return f"{path}.{others[0]}" if len(others) == 1 and f"{path}.{others[0]}" in root.settings else None


def open_parent(root: Root, key: str) -> str | None:
    """The mapping above ``key`` whose keys belong to another library, if ``key`` lies below one."""
    parts = components(key)
    for size in range(len(parts) - 1, 0, -1):
        found = find(root, ".".join(parts[:size]))
        if found is not None and (found.how > BARE or size == 1):
            return next((path for path in found.paths if root.is_open(path)), None)
    return None


def known_part(root: Root, key: str) -> int:
    """How many leading components of ``key`` the root knows as a path from its top or as the end of one."""
    parts = components(key)
    for size in range(len(parts) - 1, 0, -1):
        if find(root, ".".join(parts[:size])) is not None:
            return size
    return 0


def suggestion(roots: Sequence[Root], key: str) -> str:
    """A key that the page may have meant: one of the same name elsewhere, or one spelt alike; ``''`` for none."""
    return _suggestion(tuple(roots), key)


@functools.lru_cache(maxsize=4096)
def _suggestion(roots: tuple[Root, ...], key: str) -> str:
    parts = components(key)
    if not parts:
        return ""
    wanted = ".".join(parts)
    moved = sorted({path for root in roots for path in root.by_name.get(parts[-1], ())})
    if moved:
        return max(moved, key=lambda path: (difflib.SequenceMatcher(None, wanted, path).ratio(), -len(path)))
    near = difflib.get_close_matches(parts[-1], _names(roots), n=1, cutoff=0.8)
    if not near:
        return ""
    paths = sorted({path for root in roots for path in root.by_name.get(near[0], ())})
    return max(paths, key=lambda path: (difflib.SequenceMatcher(None, wanted, path).ratio(), -len(path)))


@functools.lru_cache(maxsize=64)
def _names(roots: tuple[Root, ...]) -> tuple[str, ...]:
    return tuple(sorted({name for root in roots for name in root.by_name}))
