"""Statements in generated files: each value of a flattened config repeats what its sources compose to.

The compositions that the project already holds are used where they are those that the file was made from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..composition import CompositionUnavailable
from ..defaults_lists import engine_choices, option_files
from ..flatten import ALIKE, MISSING, UnknownSource, command_of, differences
from ..literals import redacted
from ..redaction import HIDDEN, is_secret
from ..roots import Project, Root
from ..settings import ConfigFile, Setting, load, shown_path
from ..values import display, same
from ..verdicts import AGREES, DISAGREES, UNDECIDED, Verdict
from ..wording import later
from . import Statement

ABSENT = "nothing (no such key)"
LEFT_OUT = "left out"
RUN = later("run: {command}")

_SOURCE = re.compile(r"^source:\s*(\S+(?:\s+\S+)*)\s*$")


@dataclass
class Generated:
    """The verdicts on generated files, and for each that is out of step a note with the command that mends it."""

    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def generated_verdicts(project: Project) -> Generated:
    """Compares every generated file of ``project`` with what its sources compose to, key by key.

    Raises :class:`~ckpt_defaults.settings.ConfigError` for YAML that cannot be read or composed.
    """
    result = Generated()
    sources = _Sources(project)
    for file in project.generated:
        part = load(file)[0]
        root = sources.root_of(part)
        if root is not None:
            verdicts = list(_compared(part, root, sources.settings_of(root)))
        else:
            try:
                verdicts = list(_composed_anew(part))
            except UnknownSource as unknown:
                verdicts = [Verdict(_said(part, "", LEFT_OUT), UNDECIDED, reason=unknown.message)]
            except CompositionUnavailable as missing:
                verdicts = [Verdict(_said(part, "", LEFT_OUT), UNDECIDED, reason=str(missing))]
        wrong = sum(1 for v in verdicts if v.verdict == DISAGREES)
        if wrong:
            keys = "1 key differs" if wrong == 1 else f"{wrong} keys differ"
            command = command_of(file)
            result.notes.append(f"{shown_path(file)}: {keys} from what its sources compose to; run: {command}")
            verdicts = [
                replace(v, reason=RUN.format(command=command)) if v.verdict == DISAGREES else v for v in verdicts
            ]
        result.verdicts += verdicts
    return result


# -- what a file was made from ---------------------------------------------------------------------------------------
class _Sources:
    """The roots of a project as sources of its generated files."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._settings: dict[str, dict[str, Setting]] = {}
        self._whole: dict[tuple[str, str], bool] = {}

    def root_of(self, part: ConfigFile) -> Root | None:
        """The root that a generated file was made from; ``None`` when that has to be found by composing."""
        folder = os.path.dirname(os.path.abspath(part.file))
        roots = self.project.roots
        beside = [r for r in roots if not r.fragment and r.files and os.path.dirname(r.files[0]) == folder]
        for line in part.header:
            hit = _SOURCE.match(line)
            if hit:
                name, *overrides = hit.group(1).split()
                return next((r for r in beside if r.name == _title(name, overrides)), None)
        text, values = " ".join(part.header), dict(_leaves(part.value, ""))
        mentioned = {name for name in option_files(folder) if _mentions(text, name)}
        mentioned -= {os.path.basename(file).removesuffix(".yaml") for file in self.project.generated}
        best = max(beside, key=lambda r: (_mentioned(r, text), self.likeness(values, r)), default=None)
        if best is None or not mentioned <= {r.stem for r in beside} or not self.whole(folder, best.stem):
            return None  # the project was narrowed to some of its roots
        return best if self.likeness(values, best) >= ALIKE else None

    def whole(self, folder: str, name: str) -> bool:
        """Whether the project holds a primary config with each of its choices."""
        key = (folder, name)
        if key not in self._whole:
            have = {root.name for root in self.project.roots}
            self._whole[key] = all(_title(name, choice) in have for choice in engine_choices(folder, name))
        return self._whole[key]

    def settings_of(self, root: Root) -> dict[str, Setting]:
        """The settings of a root that are no section and no part of a list."""
        if root.name not in self._settings:
            found: dict[str, Setting] = {}
            inside = ""
            for path, setting in root.settings.items():
                if inside and path.startswith(inside):
                    continue
                inside = f"{path}." if isinstance(setting.value, list) else ""
                if not (isinstance(setting.value, dict) and setting.value):
                    found[path] = setting
            self._settings[root.name] = found
        return self._settings[root.name]

    def likeness(self, values: Mapping[str, Any], root: Root) -> float:
        """The settings that both have with the same value, as a share of those that either has."""
        there = self.settings_of(root)
        alike = sum(1 for path, value in values.items() if path in there and same(value, there[path].value))
        return alike / (len(values.keys() | there.keys()) or 1)


def _title(name: str, overrides: Sequence[str]) -> str:
    return f"{name}[{','.join(overrides)}]" if overrides else name


def _mentions(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text))


def _mentioned(root: Root, text: str) -> int:
    """How much of a root's name a header mentions: its primary config, and the choices it was composed with."""
    choices = re.findall(r"[^\[\],]+=[^\[\],]+", root.name)
    primary = _mentions(text, root.stem)
    return 2 * primary + (primary and bool(choices) and all(choice in text.split() for choice in choices))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and (value or not path):
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


# -- comparing -------------------------------------------------------------------------------------------------------
def _compared(part: ConfigFile, root: Root, composed: Mapping[str, Setting]) -> Iterator[Verdict]:
    there = dict(_leaves(part.value, ""))
    for path, value in there.items():
        setting = composed.get(path)
        if setting is None:
            if path in root.settings:  # an empty section here, a full one there, or the other way round
                setting, actual = root.settings[path], _shown(path, root.settings[path].value)
            else:
                setting, actual = _parent(path, root), ABSENT
            yield _verdict(part, path, _shown(path, value), setting, actual, root.name)
        elif same(value, setting.value):
            shown = _shown(path, setting.value)
            yield Verdict(_said(part, path, _shown(path, value)), AGREES, path, root.name, shown, setting)
        else:
            yield _verdict(part, path, _shown(path, value), setting, _shown(path, setting.value), root.name)
    exact = any(_SOURCE.match(line) for line in part.header)
    for path, setting in composed.items():
        if path in part.settings or _below(path, there):
            continue
        if exact or not _repeats_choice(path, setting, part.file):
            yield _verdict(part, path, LEFT_OUT, setting, _shown(path, setting.value), root.name)


def _composed_anew(part: ConfigFile) -> Iterator[Verdict]:
    """The keys that differ from a composition that the project does not hold."""
    for one in differences(part.file):
        documented = LEFT_OUT if one.generated_value is MISSING else _shown(one.key, one.generated_value)
        actual = ABSENT if one.composed_value is MISSING else _shown(one.key, one.composed_value)
        line = one.source_line or 1
        setting = Setting(one.key, one.composed_value, one.source_file or part.file, line, 1, line)
        yield _verdict(part, one.key, documented, setting, actual, "")


def _verdict(part: ConfigFile, path: str, documented: str, setting: Setting, actual: str, root: str) -> Verdict:
    return Verdict(_said(part, path, documented), DISAGREES, path, root, actual, setting)


def _shown(path: str, value: Any) -> str:
    return HIDDEN if is_secret(path) and value is not None else display(redacted(value))


def _said(part: ConfigFile, path: str, documented: str) -> Statement:
    """The statement at a key of a generated file, at its nearest parent where the file lacks it."""
    here = path
    while here and here not in part.settings:
        here = here.rpartition(".")[0]
    setting = part.settings.get(here)
    line, column = (setting.line, setting.column) if setting is not None else (1, 1)
    return Statement(part.file, line, column, "generated", (path,), documented, literal=True)


def _parent(path: str, root: Root) -> Setting:
    """The nearest section around a key that a root does not have, else the top of its first file."""
    while path := path.rpartition(".")[0]:
        if path in root.settings:
            return root.settings[path]
    return Setting("", None, root.files[0], 1, 1, 1)


def _below(path: str, there: Mapping[str, Any]) -> bool:
    """Whether a key lies below one that the generated file gives a value of its own, which is told already."""
    while path := path.rpartition(".")[0]:
        if path in there:
            return True
    return False


def _repeats_choice(path: str, setting: Setting, file: str) -> bool:
    """Whether a key names the very option file by which it is set; scripts cut such keys off."""
    if not isinstance(setting.value, str):
        return False
    option = os.path.join(os.path.dirname(os.path.abspath(file)), *path.split("."), setting.value + ".yaml")
    return os.path.normpath(option) == os.path.normpath(setting.file)
