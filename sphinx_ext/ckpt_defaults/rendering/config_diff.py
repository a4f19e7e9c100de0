"""What differs between two roots, or between two releases of one: new, gone, moved and changed settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..interpolation import is_interpolated
from ..literals import shown
from ..redaction import HIDDEN
from ..roots import Project, Root
from ..settings import ConfigError
from ..values import same
from .selection import Query, Row, find_key, has_key, roots_meant, rows_of

NEW, CHANGED, MOVED, GONE = "new", "changed", "moved", "gone"


@dataclass(frozen=True)
class Change:
    """One difference: ``before`` is ``None`` for what is new, ``now`` for what is gone; ``differs``: the value too."""

    kind: str
    before: Row | None
    now: Row | None
    differs: bool = True

    @property
    def path(self) -> str:
        """The key as it is now, or as it was."""
        row = self.now or self.before
        return row.path if row else ""


def equal(a: Row, b: Row) -> bool:
    """Whether two settings have the same default: what it resolves to, else as it is written."""
    if a.resolution.problem or b.resolution.problem:
        return same(a.setting.value, b.setting.value)
    return same(a.resolution.value, b.resolution.value)


def changes(old: Root, new: Root, key: str, query: Query) -> tuple[Change, ...]:
    """How ``new`` differs from ``old`` under ``key``: changed, moved, new, gone, each in the order of the config."""
    now, before = _leaves(new, key, query), _leaves(old, key, query)
    found = [
        Change(CHANGED, before[path], row)
        for path, row in now.items()
        if path in before and not equal(before[path], row)
    ]
    fresh = [row for path, row in now.items() if path not in old.settings]
    lost = [row for path, row in before.items() if path not in new.settings]
    # What moved across the border of the section is told as well, so the other end is looked for in the whole root.
    every = _leaves(new, "", Query(""))
    former = _leaves(old, "", Query(""))
    pairs = _moves(
        [row for path, row in former.items() if path not in new.settings],
        [row for path, row in every.items() if path not in old.settings],
    )
    concerned = {row.path for row in (*fresh, *lost)}
    moved = {was.path: each for was, each in pairs if was.path in concerned or each.path in concerned}
    arrived = {each.path for each in moved.values()}
    found += [Change(MOVED, former[was], each, not equal(former[was], each)) for was, each in moved.items()]
    found += [Change(NEW, None, row) for row in fresh if row.path not in arrived]
    found += [Change(GONE, row, None) for row in lost if row.path not in moved]
    return tuple(found)


def _leaves(root: Root, key: str, query: Query) -> dict[str, Row]:
    """The settings under ``key`` that hold no others, by full key; none where the root does not have the key."""
    if key and not has_key(root, key):
        return {}
    return {row.path: row for row in rows_of(root, key, query) if not row.group or row.folded}


def _moves(lost: Sequence[Row], fresh: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Pairs of a gone and a new setting of one name that mean the same: the likeliest first, each used once."""
    by_name: dict[str, list[Row]] = {}
    for row in fresh:
        by_name.setdefault(row.setting.name, []).append(row)
    scored = []
    for was in lost:
        for row in by_name.get(was.setting.name, ()):
            alike = bool(was.setting.comment) and was.setting.comment == row.setting.comment
            score = 4 * alike + 2 * equal(was, row) + _common_end(was.path, row.path)
            if alike or equal(was, row):
                scored.append((score, was, row))
    scored.sort(key=lambda each: (-each[0], each[1].path, each[2].path))
    pairs: list[tuple[Row, Row]] = []
    used: set[str] = set()
    for score, was, row in scored:
        tied = [
            each for each in scored
            if each[0] == score and (each[1] is was) != (each[2] is row) and not {each[1].path, each[2].path} & used
        ]  # fmt: skip
        if was.path in used or row.path in used or tied:
            continue
        used |= {was.path, row.path}
        pairs.append((was, row))
    return pairs


def _common_end(a: str, b: str) -> int:
    """How many components two keys have in common at their ends."""
    count = 0
    for x, y in zip(reversed(a.split(".")), reversed(b.split(".")), strict=False):
        if x != y:
            break
        count += 1
    return count


def older_root(older: Project, root: Root) -> Root:
    """The root of an older config that ``root`` was: of its name, else of its stem and choices, else of its stem.

    Raises :class:`ConfigError` when there is none.
    """
    exact = [each for each in older.roots if each.name == root.name]
    stems = [each for each in older.roots if each.stem == root.stem and not each.fragment]
    stems.sort(key=lambda each: each.choices != root.choices)
    if exact or stems:
        return (exact or stems)[0]
    listed = ", ".join(sorted({each.stem for each in older.roots})) or "none"
    raise ConfigError(f"the older config has no root called {root.stem!r}; it has: {listed}")


def diff_lines(base: Root, other: Root, key: str, query: Query) -> tuple[tuple[str, ...], int]:
    """What ``other`` changes against ``base`` under ``key`` as lines of a YAML diff, and how many settings differ."""
    if key and not has_key(other, key):
        raise ConfigError(f"the root {other.stem!r} has no key {key!r}, so there is nothing to compare")
    ours, theirs = _leaves(base, key, query), _leaves(other, key, query)
    lines: list[str] = []
    open_groups: list[str] = []
    count = 0
    for path in _merged(ours, theirs):
        a, b = ours.get(path), theirs.get(path)
        if a is not None and b is not None and equal(a, b):
            continue
        name = (a or b).name  # type: ignore[union-attr]
        count += 1
        *groups, last = name.split(".")
        shared = 0
        while shared < min(len(groups), len(open_groups)) and groups[shared] == open_groups[shared]:
            shared += 1
        lines += [f"  {'  ' * level}{groups[level]}:" for level in range(shared, len(groups))]
        open_groups = groups
        pad = "  " * len(groups)
        lines += [f"{mark} {pad}{last}: {_written(row)}" for mark, row in (("-", a), ("+", b)) if row is not None]
    return tuple(lines), count


def _merged(ours: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """The keys of two configs in one order, each group together."""
    tree: dict[str, dict[str, object]] = {}
    for path in (*ours, *theirs):
        level: dict[str, object] = tree  # type: ignore[assignment]
        for part in path.split("."):
            level = level.setdefault(part, {})  # type: ignore[assignment]

    found: list[str] = []

    def walk(level: dict[str, object], prefix: str) -> None:
        for name, below in level.items():
            path = prefix + name
            if below:
                walk(below, path + ".")  # type: ignore[arg-type]
            else:
                found.append(path)

    walk(tree, "")  # type: ignore[arg-type]
    return found


def _written(row: Row) -> str:
    if row.hidden:
        return HIDDEN
    if row.folded:
        return f"# {row.folded} settings"
    raw = row.setting.value
    text = raw if isinstance(raw, str) and is_interpolated(raw) else shown(raw)
    if is_interpolated(raw) and not row.resolution.problem:
        text += f"  # {shown(row.resolution.value)}"
    return text


def changed_root(project: Project, older: Project, query: Query, page_root: str = "") -> tuple[Root, Root, str]:
    """The older root, the root and the key that ``:since:`` is about: the key may be gone in either, not in both."""
    if not query.key:
        root, key = find_key(project, "", query.root, page_root)
        return older_root(older, root), root, key
    try:
        root, key = find_key(project, query.key, query.root, page_root)
    except ConfigError:
        for root in roots_meant(project, query.root, page_root):
            try:
                before = older_root(older, root)
            except ConfigError:
                continue
            if has_key(before, query.key):
                return before, root, query.key
        raise
    return older_root(older, root), root, key
