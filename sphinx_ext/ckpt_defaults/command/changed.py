"""What changed since a revision, through git: the lines of pages, and the settings whose value is another."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..roots import Project, Root, find_project
from ..settings import ConfigError
from ..values import display
from ..verdicts import Verdict

_HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


@dataclass(frozen=True)
class Changes:
    """``lines`` that changed or are new, by absolute path of the file (``None``: all of it); ``keys`` whose value is
    another, or that are gone."""

    lines: Mapping[str, frozenset[int] | None]
    keys: frozenset[str]

    def touch(self, verdict: Verdict) -> bool:
        """Whether a statement stands on a changed line, or speaks of a changed setting."""
        s = verdict.statement
        changed = self.lines.get(os.path.realpath(s.file), frozenset())
        if changed is None or s.line in changed:
            return True
        if verdict.path:
            return verdict.path in self.keys
        return any(path == key or path.endswith("." + key) for key in s.keys if key for path in self.keys)


def changes_since(revision: str, files: Iterable[str], project: Project, places: Sequence[str]) -> Changes:
    """What changed in ``files`` and in the configs ``places`` between ``revision`` and the files as they are now.

    Raises :class:`ConfigError` without git, outside a repository and for an unknown revision.
    """
    lines: dict[str, frozenset[int] | None] = {}
    by_folder: dict[str, list[str]] = {}
    for file in files:
        by_folder.setdefault(os.path.dirname(os.path.realpath(file)), []).append(os.path.realpath(file))
    by_top: dict[str, list[str]] = {}
    for folder, members in by_folder.items():
        by_top.setdefault(_top(folder, revision), []).extend(members)
    for top, members in by_top.items():
        lines.update(_changed_lines(top, revision, members))
    return Changes(lines, frozenset(_changed_keys(revision, project, places)))


def _git(folder: str, *args: str) -> bytes:
    try:
        done = subprocess.run(
            ["git", "-c", "core.quotePath=false", "-C", folder, *args], capture_output=True, check=False
        )
    except FileNotFoundError:
        raise ConfigError("--changed-since asks git, which is not installed") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise ConfigError(f"--changed-since: git says {said!r}")
    return done.stdout


def _top(folder: str, revision: str) -> str:
    """The top of the repository around ``folder``, which must know the revision."""
    try:
        top = _git(folder, "rev-parse", "--show-toplevel").decode("utf-8", "surrogateescape").rstrip("\n")
    except ConfigError as error:
        if "not a git repository" in str(error):
            raise ConfigError("is in no git repository; --changed-since needs one", folder) from None
        raise
    if revision.startswith("-"):
        raise ConfigError(f"--changed-since {revision!r} is no revision")
    try:
        _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except ConfigError:
        raise ConfigError(
            f"--changed-since {revision!r} is no revision of {os.path.basename(top)}; fetch it, or name another"
        ) from None
    return top


def _changed_lines(top: str, revision: str, files: Sequence[str]) -> Iterator[tuple[str, frozenset[int] | None]]:
    names = {os.path.relpath(file, os.path.realpath(top)).replace(os.sep, "/"): file for file in files}
    changed = _names(_git(top, "diff", "--name-only", "--no-renames", "-z", revision))
    new = _names(_git(top, "ls-files", "--others", "-z"))
    for name in sorted(changed & names.keys()):
        diff = _git(top, "diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames", revision, "--", name)
        rows: set[int] = set()
        for hunk in _HUNK.finditer(diff):
            start, count = int(hunk.group(1)), int(hunk.group(2) or 1)
            rows.update(range(start, start + count))
        yield names[name], frozenset(rows)
    for name in sorted(new & names.keys()):
        yield names[name], None


def _names(listed: bytes) -> set[str]:
    return {name for name in listed.decode("utf-8", "surrogateescape").split("\0") if name}


# -- settings --------------------------------------------------------------------------------------------------
def _changed_keys(revision: str, project: Project, places: Sequence[str]) -> Iterator[str]:
    """The full keys that have another value than at ``revision`` in some root, are new there, or gone."""
    by_top: dict[str, list[str]] = {}
    for place in places:
        real = os.path.realpath(place)
        folder = real if os.path.isdir(real) else os.path.dirname(real)
        by_top.setdefault(_top(folder, revision), []).append(real)
    for top, reals in by_top.items():
        base = os.path.realpath(top)
        with tempfile.TemporaryDirectory(prefix="ckpt-defaults-") as folder:
            old_base = os.path.realpath(folder)
            there = [p for p in (_exported(top, revision, os.path.relpath(r, base), old_base) for r in reals) if p]
            old = find_project(there).roots if there else ()
            then = {_identity(root, old_base): _values(root) for root in old}
        here = [root for root in project.roots if os.path.realpath(root.files[0]).startswith(base + os.sep)]
        now = {_identity(root, base): _values(root) for root in here}
        everywhere = {pair for values in then.values() for pair in values.items()}
        for identity, values in now.items():
            before = then.get(identity)
            if before is None:
                yield from (path for path, value in values.items() if (path, value) not in everywhere)
                continue
            yield from (path for path, value in values.items() if before.get(path) != value)
            yield from (path for path in before if path not in values)


def _exported(top: str, revision: str, name: str, folder: str) -> str:
    """Writes the YAML of a file or folder of the repository, as at ``revision``, below ``folder``; its place there."""
    try:
        packed = _git(top, "archive", "--format=tar", revision, "--", name.replace(os.sep, "/"))
    except ConfigError:
        return ""  # it was not there
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member) if member.isfile() else None
            target = os.path.normpath(os.path.join(folder, member.name))
            if content is None or not target.startswith(folder + os.sep) or not name_is_config(member.name):
                continue
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as stream:
                stream.write(content.read())
    place = os.path.normpath(os.path.join(folder, name))
    return place if os.path.exists(place) else ""


def name_is_config(name: str) -> bool:
    """Whether a file is YAML, by its ending."""
    return name.endswith((".yaml", ".yml"))


def _identity(root: Root, base: str) -> tuple[str, tuple[str, ...], str]:
    """A root by what stays when the whole tree lies elsewhere: its file, its choices, its document."""
    file = os.path.relpath(os.path.realpath(root.files[0]), base)
    return file, tuple(sorted(root.choices)), root.name.partition("#")[2]


def _values(root: Root) -> dict[str, str]:
    return {
        path: display(setting.value if root.resolve(path).problem else root.resolve(path).value)
        for path, setting in root.settings.items()
        if not isinstance(setting.value, dict)
    }
