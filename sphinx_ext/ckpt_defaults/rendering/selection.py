"""Which settings a directive or a role shows: the root that is meant, the key, and the rows below it.

An answer is computed anew in every build from a :class:`Query`, so that the build knows which pages are out of date.
"""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..interpolation import Resolution
from ..judging.keys import suggestion
from ..literals import is_hidden
from ..roots import Project, Root
from ..settings import YAML_ENDINGS, ConfigError, Setting

SORTS = ("config", "name")
"""Orders of the rows: as the config has them, or by name."""


@dataclass(frozen=True)
class Query:
    """What is asked: the settings under ``key`` (``''``: all) of ``root`` (``''``: whichever has the key).

    ``depth`` is the number of levels below the key (0: all); ``only`` and ``exclude`` are patterns of names;
    ``kind`` and ``other`` tell apart what is done with them (another root, a folder of an older config).
    """

    key: str
    root: str = ""
    depth: int = 0
    only: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    sort: str = "config"
    kind: str = ""
    other: str = ""


@dataclass(frozen=True)
class Row:
    """A setting to show: ``name`` is relative to the key that was asked for.

    ``group``: it holds settings of its own; ``folded``: so many of them are below the depth that is shown;
    ``hidden``: its value must not be told; ``implied``: no file sets the group itself, only what is in it.
    """

    name: str
    setting: Setting
    resolution: Resolution
    group: bool = False
    folded: int = 0
    hidden: bool = False
    implied: bool = False

    @property
    def path(self) -> str:
        """The full key."""
        return self.setting.path


@dataclass(frozen=True)
class Answer:
    """The root and the full key that were meant, and the rows."""

    root: Root
    key: str
    rows: tuple[Row, ...]

    def digest(self) -> str:
        """A short text that differs where what is shown differs."""
        told = [
            (
                r.path, r.name, r.setting.file, r.setting.line, r.setting.comment, r.setting.remark,
                None if r.group else r.setting.value, r.resolution.problem, r.resolution.follows,
                None if r.group else r.resolution.value, r.group, r.folded,
            )
            for r in self.rows
        ]  # fmt: skip
        return hashlib.blake2b(repr((self.key, told)).encode(), digest_size=12).hexdigest()


_groups: dict[int, tuple[Root, frozenset[str]]] = {}


def groups_of(root: Root) -> frozenset[str]:
    """The full keys of all groups of a root: also of those that stand in no file, but come about by composition."""
    known = _groups.get(id(root))
    if known is None or known[0] is not root:
        found = {path[:at] for path in root.settings for at, letter in enumerate(path) if letter == "."}
        known = (root, frozenset(found))
        _groups[id(root)] = known
        while len(_groups) > 64:
            del _groups[next(iter(_groups))]
    return known[1]


def has_key(root: Root, key: str) -> bool:
    """Whether ``key`` is the full key of a setting or a group of ``root``."""
    return key in root.settings or key in groups_of(root)


def roots_meant(project: Project, name: str, page_root: str = "") -> tuple[Root, ...]:
    """The roots that ``name`` means, else those of the page, else all: fragments last.

    ``name`` is a root's name, its stem, the end of its file's path, or a choice that one root alone makes
    (``megatron``). Raises :class:`ConfigError` when there is none, or several that are not told apart.
    """
    if name:
        exact = [root for root in project.roots if root.name == name]
        if exact:
            return tuple(exact[:1])
        chosen = [root for root in project.roots if name.lower() in root.choices]
        found = _named(project, name)
        if not found and len(chosen) == 1:
            return tuple(chosen)
        listed = ", ".join(sorted(called(project, root) for root in found or project.roots))
        if len(found) > 1:
            raise ConfigError(f"the root {name!r} is ambiguous: {listed}; write one of these names")
        if not found:
            names = sorted({called(project, root) for root in project.roots} | {root.stem for root in project.roots})
            near = difflib.get_close_matches(name, names, n=1)
            advice = f"; did you mean {near[0]!r}?" if near else ""
            raise ConfigError(f"no root is called {name!r}; there are: {listed or 'none'}{advice}")
        return found
    if page_root:
        return project.named(page_root)
    return tuple(sorted(project.roots, key=lambda root: root.fragment))


def _named(project: Project, name: str) -> tuple[Root, ...]:
    for each in (name, f"{name}.yaml", f"{name}.yml"):
        with contextlib.suppress(ConfigError):
            return project.named(each)
    return ()


def called(project: Project, root: Root) -> str:
    """The shortest name by which ``:root:`` finds a root; for a file as much of its path as tells it apart."""
    if not root.name.endswith(YAML_ENDINGS):
        return root.name
    parts = re.sub(r"\.ya?ml$", "", root.files[0]).replace(os.sep, "/").split("/")
    others = [re.sub(r"\.ya?ml$", "", each.files[0]).replace(os.sep, "/") for each in project.roots if each is not root]
    for size in range(1, len(parts)):
        tail = "/" + "/".join(parts[-size:])
        if not any(("/" + other).endswith(tail) for other in others):
            return tail[1:]
    return root.name


def find_key(project: Project, key: str, root: str = "", page_root: str = "") -> tuple[Root, str]:
    """The root and the full path that ``key`` means there.

    The first root that has it as a full path, else the one setting whose path ends so. Raises :class:`ConfigError`
    for a key that there is not, or that may mean several.
    """
    roots = roots_meant(project, root, page_root)
    if not key:
        own = [each for each in roots if not each.fragment] or list(roots)
        if not own:
            raise ConfigError("the config has no settings; look at ckpt_defaults_config in conf.py")
        if len(own) > 1 and not page_root:
            listed = ", ".join(sorted(called(project, each) for each in own))
            raise ConfigError(f"no key is named and there are several roots: {listed}; name one with :root:")
        return own[0], ""
    ends: dict[str, Root] = {}
    for fragments in (False, True):  # a file that no root is composed of counts where no root has the key
        some = [each for each in roots if each.fragment is fragments]
        for each in some:
            if has_key(each, key):
                return each, key
        end = "." + key
        for each in some:
            for path in (*each.by_name.get(key.rpartition(".")[2], ()), *groups_of(each)):
                if path.endswith(end):
                    ends.setdefault(path, each)
        if len(ends) == 1:
            path, each = next(iter(ends.items()))
            return each, path
        if ends:
            break
    where = f"the root {called(project, roots[0])!r} has" if root else "no root has"
    if ends:
        raise ConfigError(f"the key {key!r} is ambiguous: {_listed(ends)}; write the full key")
    near = suggestion(roots, key) or next(iter(difflib.get_close_matches(key, roots[0].settings, n=1)), "")
    advice = f"; did you mean {near!r}?" if near else "; check how it is spelt"
    raise ConfigError(f"{where} {'no' if root else 'the'} key {key!r}{advice}")


def _listed(names: Iterable[str], most: int = 6) -> str:
    names = list(names)
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def answer(project: Project, query: Query, page_root: str = "") -> Answer:
    """The rows that ``query`` asks for. Raises :class:`ConfigError` like :func:`find_key`, and when no row is left."""
    root, key = find_key(project, query.key, query.root, page_root)
    rows = rows_of(root, key, query)
    if not rows:
        patterns = " ".join(query.only or query.exclude)
        under = key or called(project, root)
        raise ConfigError(f"no setting under {under!r} is left by the patterns {patterns!r}; mend :only: or :exclude:")
    return Answer(root, key, rows)


def row_of(root: Root, path: str, name: str = "") -> Row:
    """The row of one setting."""
    setting = root.settings[path]
    group = isinstance(setting.value, dict) and bool(setting.value)
    return Row(name or path, setting, root.resolve(path), group, 0, is_hidden(root, path))


def rows_of(root: Root, key: str, query: Query) -> tuple[Row, ...]:
    """The rows below ``key``, groups before what they hold; the key itself where it holds nothing."""
    prefix = f"{key}." if key else ""
    size = len(prefix)
    whole = root.settings.get(key) if key else None
    if whole is not None and not (isinstance(whole.value, dict) and whole.value):
        return (row_of(root, key, whole.name),)
    kept: dict[str, Row] = {}
    below: dict[str, int] = {}
    closed = "\0"  # the last list: what stands below it is part of its value
    for path, setting in _with_groups(root, prefix):
        if path.startswith(closed):
            continue
        name = path[size:]
        group = isinstance(setting.value, dict) and bool(setting.value)
        if isinstance(setting.value, list):
            closed = path + "."
        if query.exclude and any(_fits(part, prefix, query.exclude) for part in _ancestry(name)):
            continue
        if query.only and not group and not any(_fits(part, prefix, query.only) for part in _ancestry(name)):
            continue
        if query.depth and name.count(".") >= query.depth:
            if not group:
                top = ".".join(name.split(".")[: query.depth])
                below[top] = below.get(top, 0) + 1
            continue
        implied = path not in root.settings
        meaning = Resolution() if implied else root.resolve(path)
        kept[name] = Row(name, setting, meaning, group, 0, not group and is_hidden(root, path), implied)
    if below:
        for name, count in below.items():
            row = kept[name]
            kept[name] = Row(name, row.setting, row.resolution, True, count, row.hidden, row.implied)
    names = list(kept)
    if query.only or query.exclude:
        wanted = {part for name, row in kept.items() if not row.group or row.folded for part in _ancestry(name)}
        names = [name for name in names if name in wanted]
    if query.sort == "name":
        names.sort(key=lambda name: [(part.lower(), part) for part in name.split(".")])
    return tuple(kept[name] for name in names)


def _with_groups(root: Root, prefix: str) -> Iterator[tuple[str, Setting]]:
    """The settings whose key starts with ``prefix``; before the first of a group that no file sets, the group."""
    told: set[str] = set()
    for path, setting in root.settings.items():
        if not path.startswith(prefix):
            continue
        at = path.find(".", len(prefix))
        while at > 0:
            group = path[:at]
            if group not in told:
                told.add(group)
                if group not in root.settings:
                    yield (
                        group,
                        Setting(group, {"": None}, setting.file, setting.line, setting.column, setting.value_line),
                    )
            at = path.find(".", at + 1)
        yield path, setting


def _ancestry(name: str) -> list[str]:
    """``a.b.c`` as ``a.b.c``, ``a.b``, ``a``."""
    parts = name.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]


def _fits(name: str, prefix: str, patterns: Sequence[str]) -> bool:
    """Whether a name, its last component or its full key fits a pattern of the shell."""
    texts = (name, name.rpartition(".")[2], prefix + name)
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns for text in texts)
