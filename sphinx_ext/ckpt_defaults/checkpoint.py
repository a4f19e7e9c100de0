"""Which optimizer checkpoint format a project's config selects by default, and where it says so."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .defaults_lists import says_generated
from .formats import GATHER, GOVERNING, LEAN, Format, selected_format
from .interpolation import NEEDS_OMEGACONF, Resolution, is_interpolated
from .roots import Project, Root, find_project
from .settings import ConfigError, Setting, load, shown_path


@dataclass(frozen=True)
class Section:
    """A place of a config that holds the settings which select a format: ``prefix`` is the path of their parent."""

    root: str
    prefix: str
    settings: tuple[Setting, ...]
    resolutions: tuple[Resolution, ...]

    @property
    def gather(self) -> Setting:
        """The setting :data:`~ckpt_defaults.formats.GATHER`."""
        return self.settings[0]

    @property
    def is_direct(self) -> bool:
        """Whether the settings stand there themselves, not as interpolations of others."""
        return not any(is_interpolated(setting.value) for setting in self.settings)

    def selected(self) -> Format:
        """The format that this section selects.

        Raises :class:`ConfigError`, at the setting's line, for a setting that is missing, is not static or has a value
        that no format has.
        """
        if len(self.settings) < len(GOVERNING):
            raise ConfigError(f"{LEAN} is missing beside {GATHER}; add it", self.gather.file, self.gather.line)
        for setting, resolution in zip(self.settings, self.resolutions, strict=True):
            if resolution.problem:
                message = (
                    f"{setting.name} is {setting.value!r}, which cannot be told from the config: {resolution.problem}"
                )
                raise ConfigError(message, setting.file, setting.line)
            if not isinstance(resolution.value, bool):
                try:
                    selected_format(*(resolution.value if key == setting.name else True for key in GOVERNING))
                except ValueError as error:
                    raise ConfigError(str(error), setting.file, setting.line) from None
        return selected_format(*(resolution.value for resolution in self.resolutions))


@dataclass(frozen=True)
class Default:
    """The format that is the default, the section that says so, and the files that it was read from."""

    format: Format
    section: Section
    files: tuple[str, ...]


_known: list[tuple[Project, tuple[Section, ...]]] = []


def sections(project: Project) -> tuple[Section, ...]:
    """Every section of the project's roots that has :data:`~ckpt_defaults.formats.GATHER`, generated files left out.

    Sections of files that no root is composed of count only where no root has one. Remembered for a few projects.
    """
    for known, found in _known:
        if known is project:
            return found
    roots = [root for root in project.roots if root.by_name.get(GATHER) and not _generated(root)]
    whole = [root for root in roots if not root.fragment]
    found = tuple(_section(root, path) for root in whole or roots for path in root.by_name[GATHER])
    _known[:-7] = []
    _known.append((project, found))
    return found


def _generated(root: Root) -> bool:
    return says_generated(root.files[0], load(root.files[0])[0].header)


def _section(root: Root, path: str) -> Section:
    prefix = path[: -len(GATHER)]
    paths = [prefix + key for key in GOVERNING if prefix + key in root.settings]
    return Section(
        root.name,
        prefix.rstrip("."),
        tuple(root.settings[each] for each in paths),
        tuple(root.resolve(each) for each in paths),
    )


def default_format(project: Project, where: str = "") -> Default:
    """The format that the project's config selects.

    ``where`` narrows the config to one file (by the end of its path) or one root. Raises :class:`ConfigError` when no
    config has the settings, when their values select no format, and when sections select different ones.
    """
    found = sections(project)
    if where:
        found = _narrowed(project, found, where)
    if not found:
        raise ConfigError(f"no config has {GATHER}; add it, or mend ckpt_defaults_config")
    told = [s for s in found if not any(r.problem == NEEDS_OMEGACONF for r in s.resolutions)] or list(found)
    selected = [(section, section.selected()) for section in told]
    if len({chosen.name for _, chosen in selected}) > 1:
        places = dict.fromkeys(f"{chosen.name} ({section.gather.place})" for section, chosen in selected)
        raise ConfigError(f"the configs select different formats: {', '.join(places)}; choose a file with :config:")
    section, chosen = min(selected, key=lambda pair: not pair[0].is_direct)
    files = dict.fromkeys(setting.file for each in told for setting in each.settings)
    tops = [root.files[0] for root in project.roots if root.name in {each.root for each in told}]
    return Default(chosen, section, tuple(dict.fromkeys([*files, *tops])))


def _narrowed(project: Project, found: tuple[Section, ...], where: str) -> tuple[Section, ...]:
    """The sections of the file or root called ``where``. Raises :class:`ConfigError` when there is none."""
    kept = tuple(section for section in found if _ends_with(section.gather.file, where))
    if not kept:
        try:
            names = {root.name for root in project.named(where)}
        except ConfigError:
            names = set()
        kept = tuple(section for section in found if section.root in names)
    if not kept:
        files = [file for file in project.files if _ends_with(file, where)]
        kept = tuple(section for file in files for section in sections(find_project([file])))
    if not kept:
        have = ", ".join(dict.fromkeys(shown_path(section.gather.file) for section in found)) or "no config"
        raise ConfigError(f"no config file or root called {where!r} has {GATHER}; it stands in: {have}")
    return kept


def _ends_with(file: str, where: str) -> bool:
    """Whether ``where`` is ``file`` or the end of its path, whole components."""
    return ("/" + file.replace(os.sep, "/")).endswith("/" + where.strip().replace(os.sep, "/").lstrip("./"))
