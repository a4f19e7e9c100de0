"""Which roots a project has: plain YAML files, and Hydra's primary configs composed with their groups."""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .defaults_lists import ENDING, says_generated
from .garbage import uncollected
from .interpolation import NEEDS_OMEGACONF, Resolution, resolve_all
from .settings import ConfigError, ConfigFile, Setting, load, shown_path, yaml_files

MANDATORY = "???"
"""The value by which OmegaConf marks a setting that has no default."""

_OPEN = re.compile(r"(?:^|_)(?:kwargs|override|overrides|extra|additional)(?:_|$)")


@dataclass(frozen=True, eq=False)
class Root:
    """A config as a user gets it.

    ``settings`` by full path (``value`` as written), ``resolved`` what the interpolated ones mean, ``words`` the words
    by which a heading may name the root (a file's stem, a choice such as ``megatron``), ``fragment`` true for a file
    that no root is composed of: it counts only where no other root has the key.
    """

    name: str
    settings: Mapping[str, Setting]
    resolved: Mapping[str, Resolution]
    files: tuple[str, ...]
    choices: frozenset[str] = frozenset()
    fragment: bool = False
    by_name: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    by_lower: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    def resolve(self, path: str) -> Resolution:
        """What the setting at ``path`` means. Raises ``KeyError`` where the root has no such setting."""
        found = self.resolved.get(path)
        return found if found is not None else Resolution(self.settings[path].value)

    def is_open(self, path: str) -> bool:
        """Whether keys below ``path`` are not this config's own: an empty mapping, or one handed to a library."""
        setting = self.settings.get(path)
        if setting is None or not (isinstance(setting.value, dict) or setting.value is None):
            return False
        return setting.value == {} or bool(_OPEN.search(setting.name))

    @property
    def stem(self) -> str:
        """The name without the choices and the ending: what ``--root`` and headings use."""
        return re.sub(r"\[.*\]$|\.ya?ml$", "", self.name).rsplit("/", 1)[-1]


@dataclass(frozen=True)
class Project:
    """The roots of a project, the generated files among its configs, and remarks to be told once.

    ``key`` is a digest of what the project was read from, where the reader made one.
    """

    roots: tuple[Root, ...]
    generated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    key: str = ""

    def named(self, name: str) -> tuple[Root, ...]:
        """The roots called ``name``: by full name, by stem, or by the end of a file's path.

        Raises :class:`ConfigError` that lists the roots when there is none.
        """
        wanted = name.strip()
        found = tuple(r for r in self.roots if r.name == wanted or r.stem == wanted)
        if not found:
            tail = "/" + wanted.lstrip("./")
            found = tuple(r for r in self.roots if any(("/" + shown_path(f)).endswith(tail) for f in r.files[:1]))
        if not found:
            have = ", ".join(sorted({r.name for r in self.roots})) or "none"
            raise ConfigError(f"no root is called {name!r}; there are: {have}")
        return found


@uncollected()
def find_project(places: Sequence[str], names: Sequence[str] = ()) -> Project:
    """The project whose configs are ``places`` (YAML files or folders), narrowed to the roots called ``names``.

    Raises :class:`ConfigError` for a place without YAML or YAML that cannot be read.
    """
    roots: list[Root] = []
    generated: list[str] = []
    notes: list[str] = []
    files: list[str] = []
    for place in places:
        found = tuple(os.path.abspath(file) for file in yaml_files(place))
        documents = {file: load(file) for file in found if file not in files}
        files.extend(documents)
        roots_here, generated_here, notes_here = _roots_of(place, documents)
        roots += roots_here
        generated += generated_here
        notes += notes_here
    if any(r.problem == NEEDS_OMEGACONF for root in roots for r in root.resolved.values()):
        notes.append(f"interpolated values are left undecided: resolving them {NEEDS_OMEGACONF}")
    project = Project(tuple(roots), tuple(generated), tuple(dict.fromkeys(notes)), tuple(files))
    if names:
        chosen = tuple(dict.fromkeys(root for name in names for root in project.named(name)))
        project = Project(chosen, project.generated, project.notes, project.files)
    return project


def _roots_of(place: str, documents: Mapping[str, tuple[ConfigFile, ...]]) -> tuple[list[Root], list[str], list[str]]:
    generated = [file for file, parts in documents.items() if says_generated(file, parts[0].header)]
    hydra = [
        file
        for file, parts in documents.items()
        if isinstance(parts[0].value.get("defaults"), list) and file not in generated
    ]
    if not hydra or not os.path.isdir(place):
        return [root for file, parts in documents.items() for root in _plain(file, parts)], [], []
    documents = {file: tuple(map(_without_list, parts)) for file, parts in documents.items()}
    if importlib.util.find_spec("hydra") is None:
        note = "Hydra configs are not composed: install sphinx-ckpt-defaults[hydra]"
        flat = [root for file in generated for root in _plain(file, documents[file])]
        rest = [file for file in documents if file not in generated]
        return [*flat, *(r for file in rest for r in _plain(file, documents[file], fragment=bool(flat)))], [], [note]
    top = os.path.abspath(place)
    starts = [file for file in hydra if os.path.dirname(file) == top and file.endswith(ENDING)]
    roots, used, notes = _composed(top, starts, documents)
    for file, parts in documents.items():
        if file not in used and file not in generated:
            roots += _plain(file, parts, fragment=os.path.dirname(file) != top)
    return roots, generated, notes


def _without_list(part: ConfigFile) -> ConfigFile:
    """A file of a Hydra tree without its defaults list: that says what to compose, and is no setting."""
    if not isinstance(part.value.get("defaults"), list):
        return part
    settings = {path: s for path, s in part.settings.items() if path.partition(".")[0] != "defaults"}
    value = {key: item for key, item in part.value.items() if key != "defaults"}
    return ConfigFile(part.file, settings, value, part.document, part.header)


def _composed(
    folder: str, starts: Sequence[str], documents: Mapping[str, tuple[ConfigFile, ...]]
) -> tuple[list[Root], set[str], list[str]]:
    """The roots that the files ``starts`` compose to, the files they are made of, and what could not be composed.

    A config that cannot be composed as it stands (a choice that the user must make, another search path) must not keep
    the others from being read: its file stands for itself.
    """
    from .composition import compose, engine_choices

    roots: list[Root] = []
    used: set[str] = set()
    notes: dict[str, str] = {}
    for start in starts:
        name = os.path.basename(start).removesuffix(ENDING)
        try:
            choices = engine_choices(folder, name)
        except ConfigError as error:
            notes[name] = f"{name} is not composed: {error}"
            continue
        for overrides in choices:
            title = f"{name}[{','.join(overrides)}]" if overrides else name
            try:
                composed = compose(folder, name, overrides)
            except ConfigError as error:
                notes.setdefault(name, f"{title} is not composed: {error}")
                continue
            settings: dict[str, Setting] = {}
            for layer in composed.layers:
                used.add(os.path.abspath(layer.file))
                parts = documents.get(os.path.abspath(layer.file)) or load(layer.file)
                _lay(settings, parts[0], layer.package)
            chosen = frozenset(o.split("=", 1)[1].lower() for o in overrides)
            roots.append(_root(title, _known(settings, composed.values), composed.values, (start,), chosen))
    return roots, used, list(notes.values())


def _lay(settings: dict[str, Setting], part: ConfigFile, package: str) -> None:
    """Lays a file's settings at ``package`` over those that are there."""
    prefix = package + "." if package else ""
    for path, setting in part.settings.items():
        if path == "defaults" or path.startswith("defaults."):
            continue
        settings[prefix + path] = replace(setting, path=prefix + path)


def _known(settings: Mapping[str, Setting], values: Mapping[str, Any]) -> dict[str, Setting]:
    """The settings that the composition holds, with its values (a mapping is merged from several files)."""
    known: dict[str, Setting] = {}
    for path, value in _walk(values, ""):
        setting = settings.get(path)
        if setting is None:
            continue
        known[path] = replace(setting, path=path, value=value) if isinstance(value, dict) else setting
    return known


def _walk(values: Any, prefix: str) -> Iterable[tuple[str, Any]]:
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in items:
        path = f"{prefix}{key}"
        yield path, value
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict) for v in value)):
            yield from _walk(value, path + ".")


def _plain(file: str, parts: Sequence[ConfigFile], fragment: bool = False) -> list[Root]:
    name = shown_path(file)
    return [
        _root(
            name if part.document == 0 else f"{name}#{part.document + 1}",
            part.settings,
            part.value,
            (file,),
            frozenset(),
            fragment,
        )
        for part in parts
        if part.settings
    ]


def _root(
    name: str,
    settings: Mapping[str, Setting],
    values: Mapping[str, Any],
    files: tuple[str, ...],
    choices: frozenset[str] = frozenset(),
    fragment: bool = False,
) -> Root:
    return Root(name, settings, resolve_all(settings, values), files, choices, fragment, *index_names(settings))


def index_names(settings: Iterable[str]) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The paths by their last component, as it is and in lower case."""
    by_name: dict[str, list[str]] = {}
    by_lower: dict[str, list[str]] = {}
    for path in settings:
        last = path.rsplit(".", 1)[-1]
        by_name.setdefault(last, []).append(path)
        by_lower.setdefault(last.lower(), []).append(path)
    return (
        {key: tuple(paths) for key, paths in by_name.items()},
        {key: tuple(paths) for key, paths in by_lower.items()},
    )
