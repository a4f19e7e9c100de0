"""What the config answers to a page: the project, the root that the page is about, and the digest of each answer."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ..roots import Project, Root
from ..settings import ConfigError
from ..sources import confdir_of, project_of
from .config_diff import Change, changed_root, changes, diff_lines
from .config_text import Line, lines_of
from .declared import Declaration, declared_of
from .selection import Answer, Query, answer, called, find_key, roots_meant, row_of

if TYPE_CHECKING:
    from sphinx.environment import BuildEnvironment

TABLE, VALUE, LISTING, DIFF, SINCE = "table", "value", "listing", "diff", "since"
"""Kinds of a :class:`~ckpt_defaults.rendering.selection.Query`."""


def project_here(config: Any, env: BuildEnvironment, check: bool = False) -> Project:
    """The project of the build. Raises :class:`ConfigError`."""
    return project_of(config, confdir_of(env), check=check)


def older_project(config: Any, env: BuildEnvironment, place: str, check: bool = False) -> Project:
    """The project of an older copy of the config; ``place`` starts at conf.py. Raises :class:`ConfigError`."""
    return project_of(SimpleNamespace(ckpt_defaults_config=[place]), confdir_of(env), check=check)


def page_root(config: Any, env: BuildEnvironment, docname: str) -> str:
    """The root that ``ckpt_defaults_pages`` gives a page, ``''`` for none."""
    rules: dict[str, str] = config.ckpt_defaults_pages
    if not rules:
        return ""
    path = os.path.relpath(env.doc2path(docname), env.srcdir).replace(os.sep, "/")
    for pattern, root in rules.items():
        if any(fnmatch.fnmatchcase(name, pattern) or name.endswith("/" + pattern) for name in (path, docname)):
            return root
    return ""


def answer_table(
    config: Any, env: BuildEnvironment, query: Query, page: str
) -> tuple[Answer, Mapping[str, Declaration], str]:
    """The settings of a table, what the code declares of them, and the digest of both. Raises :class:`ConfigError`."""
    found = answer(project_here(config, env), query, page)
    declared = declared_of(config, env, found.root, found.rows)
    if not declared:
        return found, declared, found.digest()
    told = [(key, each.type, each.defined) for key, each in declared.items()]
    return found, declared, digest((found.digest(), told))


def answer_listing(project: Project, query: Query, page: str) -> tuple[Answer, tuple[Line, ...]]:
    """The settings and the lines of a listing; ``query.other`` is ``bare`` for one without comments."""
    found = answer(project, query, page)
    return found, lines_of(found, comments=query.other != "bare")


def answer_diff(
    project: Project, query: Query, page: str
) -> tuple[tuple[Root, Root], tuple[str, str], str, tuple[str, ...], int]:
    """Two roots, what they are called, the key, the lines of the diff and the count of settings that differ.

    ``query.other`` names the second root.
    """
    root, key = find_key(project, query.key, query.root, page)
    other = roots_meant(project, query.other)[0]
    names = (called(project, root), called(project, other))
    return (root, other), names, key, *diff_lines(root, other, key, query)


def answer_value(project: Project, query: Query, page: str) -> Answer:
    """The one setting that a role means. Raises :class:`ConfigError`, also for a group."""
    if not query.key:
        raise ConfigError("names no key; write :config-default:`KEY`")
    root, path = find_key(project, query.key, query.root, page)
    if path not in root.settings or (isinstance(root.settings[path].value, dict) and root.settings[path].value):
        raise ConfigError(f"{path!r} is a group of settings and has no default of its own; name one that it holds")
    return Answer(root, path, (row_of(root, path),))


def answer_since(project: Project, older: Project, query: Query, page: str) -> tuple[Root, str, tuple[Change, ...]]:
    """The root, the key, and what changed since the older config."""
    before, now, key = changed_root(project, older, query, page)
    return now, key, changes(before, now, key, query)


def digest_of(config: Any, env: BuildEnvironment, docname: str, query: Query, told: dict[Any, str]) -> str:
    """What tells one answer from another; ``told`` keeps those of this build. The answer may be an error."""
    try:
        page = page_root(config, env, docname)
        if (page, query) not in told:
            told[page, query] = _digest(config, env, query, page)
        return told[page, query]
    except ConfigError as error:
        return failed(error)


def failed(error: ConfigError) -> str:
    """The digest of an answer that is an error."""
    return f"error: {error}"


def digest(parts: object) -> str:
    """A short text that differs where ``parts`` do."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


def digest_lines(lines: tuple[Line, ...]) -> str:
    return digest([(line.text, line.number, line.key) for line in lines])


def digest_changes(found: tuple[Change, ...]) -> str:
    return digest([
        (each.kind, *((row.path, row.setting.value, row.resolution.value, row.setting.line) if row else None
                      for row in (each.before, each.now)))
        for each in found
    ])  # fmt: skip


def _digest(config: Any, env: BuildEnvironment, query: Query, page: str) -> str:
    project = project_here(config, env)
    if query.kind == VALUE:
        return answer_value(project, query, page).digest()
    if query.kind == LISTING:
        return digest_lines(answer_listing(project, query, page)[1])
    if query.kind == DIFF:
        return digest(answer_diff(project, query, page)[1:4:2])
    if query.kind == SINCE:
        older = older_project(config, env, query.other, check=True)
        return digest_changes(answer_since(project, older, query, page)[2])
    return answer_table(config, env, query, page)[2]
