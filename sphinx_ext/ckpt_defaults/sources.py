"""The project of configs that a Sphinx build speaks of, and how a page names and links a line of them."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .checkpoint import Default, default_format
from .roots import Project, find_project
from .settings import ConfigError, yaml_files

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_KEPT = 8
"""How many projects a process remembers; a build has one."""

_Stamp = tuple[tuple[str, int, int], ...]
_cache: dict[tuple[str, ...], tuple[_Stamp, Project | ConfigError]] = {}


def note_confdir(app: Sphinx) -> None:
    """Keeps the folder of conf.py with the environment, where directives find it (for ``builder-inited``)."""
    app.env.ckpt_defaults_confdir = str(app.confdir or app.srcdir)  # type: ignore[attr-defined]


def look_again(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Reads the project anew where its files changed (for ``env-before-read-docs``: before workers are forked)."""
    with contextlib.suppress(ConfigError):  # told where a page needs the project
        project_of(app.config, confdir_of(env))


def confdir_of(env: BuildEnvironment) -> str:
    """The folder of conf.py, from which the paths of ``ckpt_defaults_config`` start."""
    return str(getattr(env, "ckpt_defaults_confdir", env.srcdir))


def places_of(config: Any, confdir: str | os.PathLike[str]) -> tuple[str, ...]:
    """The absolute paths of ``ckpt_defaults_config`` (relative ones start at ``confdir``, the folder of conf.py).

    Raises :class:`ConfigError` when none is given.
    """
    given: Sequence[str] | str = config.ckpt_defaults_config
    places = [given] if isinstance(given, str) else list(given or ())
    if not places:
        raise ConfigError("ckpt_defaults_config is empty; name the YAML files or folders of the config in conf.py")
    return tuple(os.path.normpath(os.path.join(confdir, place)) for place in places)


def code_folders(config: Any, confdir: str | os.PathLike[str]) -> tuple[str, ...]:
    """The absolute paths of ``ckpt_defaults_code``, relative ones starting at the folder of conf.py."""
    return tuple(os.path.normpath(os.path.join(confdir, path)) for path in config.ckpt_defaults_code)


def project_of(config: Any, confdir: str | os.PathLike[str], *, check: bool = True) -> Project:
    """The project that ``config.ckpt_defaults_config`` names.

    It is read once a process and again when a file of it came, went, or changed its time or size. ``check=False``
    takes what this process has without looking at the files: for use within one build, after a call with ``check``.
    Raises :class:`ConfigError` for a missing file or YAML that cannot be read, each time it is asked.
    """
    places = places_of(config, confdir)
    known = _cache.get(places)
    if known is None or check:
        stamp = _stamp(places)
        if known is None or known[0] != stamp:
            known = (stamp, _read(places))
            _cache.pop(places, None)
            _cache[places] = known
            while len(_cache) > _KEPT:
                del _cache[next(iter(_cache))]
    found = known[1]
    if isinstance(found, ConfigError):
        raise found.with_traceback(None)
    return found


def _read(places: tuple[str, ...]) -> Project | ConfigError:
    try:
        return find_project(places)
    except ConfigError as error:
        return error


def _stamp(places: Sequence[str]) -> _Stamp:
    """Path, time (ns) and size (bytes) of every YAML file; raises :class:`ConfigError` as :func:`yaml_files` does."""
    stamps = []
    for place in places:
        for file in yaml_files(place):
            try:
                state = os.stat(file)
            except OSError as error:
                raise ConfigError(f"cannot be read ({error.strerror}); check the path", file) from None
            stamps.append((os.path.abspath(file), state.st_mtime_ns, state.st_size))
    return tuple(stamps)


def page_path(file: str, config: Any, confdir: str | os.PathLike[str]) -> str:
    """``file`` as a page names it: relative to the repository, with forward slashes.

    Without a repository around conf.py: relative to the folder that holds both conf.py and the config. A file outside
    is named from the folder that was configured. Never an absolute path: a page must not depend on where it is built.
    """
    try:
        places = places_of(config, confdir)
    except ConfigError:
        places = ()
    return _page_path(os.path.abspath(file), os.path.abspath(confdir), places)


@functools.lru_cache(maxsize=1024)
def _page_path(file: str, confdir: str, places: tuple[str, ...]) -> str:
    for start in (_repository(confdir), _common((confdir, *places)), *map(os.path.dirname, places)):
        if start and os.path.dirname(start) != start and _common((start, file)) == start:
            return os.path.relpath(file, start).replace(os.sep, "/")
    return os.path.basename(file)


def _common(paths: Sequence[str]) -> str:
    try:
        return os.path.commonpath(paths)
    except ValueError:  # several drives
        return ""


@functools.lru_cache(maxsize=64)
def _repository(folder: str) -> str:
    """The nearest folder from ``folder`` upwards that a version control or a Python project starts in, else ''."""
    for marks in ((".git", ".hg"), ("pyproject.toml", "setup.py")):
        here = folder
        while True:
            if any(os.path.exists(os.path.join(here, mark)) for mark in marks):
                return here
            parent = os.path.dirname(here)
            if parent == here:
                break
            here = parent
    return ""


def line_url(file: str, line: int, config: Any, confdir: str | os.PathLike[str]) -> str:
    """The address of a line by the template ``ckpt_defaults_source_url`` (``{path}``, ``{line}``); '' without one."""
    template = str(getattr(config, "ckpt_defaults_source_url", "") or "")
    if not template:
        return ""
    path = quote(page_path(file, config, confdir))
    return template.replace("{path}", path).replace("{line}", str(line))


def default_for_page(env: BuildEnvironment, chosen: str = "") -> Default:
    """The format that the project's config selects; ``chosen`` is the end of a file's path, or a root.

    The page being read depends on what was read for it, also where that is a fault. Raises :class:`ConfigError`.
    """
    files: tuple[str, ...] = ()
    try:
        confdir = confdir_of(env)
        files = places_of(env.config, confdir)
        project = project_of(env.config, confdir, check=False)
        files = project.files
        default = default_format(project, chosen)
        files = default.files
        return default
    finally:
        for file in files:
            env.note_dependency(file)
