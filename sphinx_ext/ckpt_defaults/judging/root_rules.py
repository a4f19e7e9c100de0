"""Which roots a statement speaks of: what a marker, the project's settings and the headings around it name."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..roots import Project, Root
from ..settings import ConfigError, shown_path
from ..statements import Statement


def roots_for(
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
        memory[key] = _named_in(context.headings, tuple(base), statement.file in pages)
    found: tuple[Sequence[Root], bool] = memory[key]
    return found


@functools.lru_cache(maxsize=4096)
def _named_in(headings: tuple[str, ...], base: tuple[Root, ...], named: bool) -> tuple[Sequence[Root], bool]:
    """Narrows the roots by what the headings name, the outermost first: a file, a root, a choice."""
    roots: Sequence[Root] = base
    for heading in reversed(headings):
        files = re.findall(r"[\w\-./]*[\w\-]+(?=\.ya?ml\b)", heading)
        stems = {f.rsplit("/", 1)[-1] for f in files}
        by_file = [r for r in base if r.stem in stems or any(_file_stem(f) in stems for f in r.files)]
        if by_file:
            roots, named = _in_folders(by_file, files), True
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


def _in_folders(roots: Sequence[Root], files: Sequence[str]) -> Sequence[Root]:
    """Of several roots whose files are called alike, those in the folders that are named with the file, if any are.

    None of them where the file named is a sister of theirs (``c/conf/app.yaml`` beside ``a/conf/app.yaml`` and
    ``b/conf/app.yaml``): the page speaks of one that is not among the configs.
    """
    telling = _telling_folders(roots)
    folders = [part.lower() for file in files for part in file.split("/")[:-1]]
    if len(roots) < 2 or not folders or not all(telling.values()):
        return roots
    found = [root for root in roots if set(folders) & telling[root.name]]
    common = frozenset.intersection(*(_folders(root) for root in roots))
    return found if found or common & set(folders) else roots


def _file_stem(file: str) -> str:
    return re.sub(r"\.ya?ml$", "", file.replace("\\", "/").rsplit("/", 1)[-1])


@functools.lru_cache(maxsize=1024)
def _folders(root: Root) -> frozenset[str]:
    return frozenset(part.lower() for file in root.files[:1] for part in shown_path(file).split("/")[:-1])


def _telling_folders(roots: Sequence[Root]) -> dict[str, frozenset[str]]:
    """The folders by which each root differs from the others, by its name."""
    folders = {r.name: _folders(r) for r in roots}
    common = frozenset.intersection(*folders.values()) if folders else frozenset()
    return {name: parts - common for name, parts in folders.items()}
