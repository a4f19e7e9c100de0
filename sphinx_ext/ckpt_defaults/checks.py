"""The whole check of a project, as the command runs it: configs, pages, verdicts."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .cache import FOLDER, Cache, config_key
from .judging.checking import Outcome, joined
from .options import Options
from .pages import digests, find_pages, judge_pages, names_of
from .roots import Project, find_project
from .settings import shown_path
from .statements.blocks import forget_sources

_BAR = 30
_BAR_FROM = 20


def load_project(options: Options, cache: Cache) -> Project:
    """The project of configs that ``options`` names, from the cache where nothing of it changed.

    Raises :class:`ConfigError` for configs that cannot be read and roots that there are not.
    """
    key = config_key(options.config, options.root, digests)
    project = cache.project(key)
    if project is None:
        found = find_project(options.config, options.root)
        project = Project(found.roots, found.generated, found.notes, found.files, key)
        cache.keep_project(project)
    return project


def run_check(options: Options, jobs: int = 1, cached: bool = True) -> tuple[Outcome, Sequence[str]]:
    """The outcome of the check of a project, and remarks to be told beside it.

    Generated files are judged as well and, where that is asked for, the copies of defaults in code and config; these
    alone where no pages are named.
    Raises :class:`ConfigError` for a config or page that cannot be read.
    """
    forget_sources()
    cache = Cache(FOLDER if cached else None)
    pages = find_pages(options.docs) if options.docs or not _copies_wanted(options) else []
    project = load_project(options, cache)
    outcome, notes = judge_pages(pages, project, options.rules, cache, jobs, _progress)
    cache.save()
    whole, remarks = with_copies(outcome, project, options)
    return whole, [*project.notes, *notes, *remarks]


def with_copies(outcome: Outcome, project: Project, options: Options) -> tuple[Outcome, Sequence[str]]:
    """The outcome together with the verdicts on the copies that ``options`` ask for, and remarks.

    Raises :class:`ConfigError` for folders of code and files of the config that cannot be read.
    """
    if not (_copies_wanted(options) or project.generated):
        return outcome, ()
    from .judging.code_statements import asked_for

    copies = asked_for(project, options.code, every_place=options.code_every_place, in_config=options.config_copies)
    return joined(outcome, copies.verdicts, options.rules, lambda file: names_of(shown_path(file))), copies.notes


def _copies_wanted(options: Options) -> bool:
    return bool(options.code) or options.config_copies


def _progress(done: int, of: int) -> None:
    """A bar on a terminal, for runs long enough to want one; nothing in a pipe."""
    if of < _BAR_FROM or not sys.stderr.isatty():
        return
    filled = _BAR * done // of
    end = "\r\x1b[K" if done == of else ""
    sys.stderr.write(f"\r[{'=' * filled}{' ' * (_BAR - filled)}] {done}/{of} pages{end}")
    sys.stderr.flush()
