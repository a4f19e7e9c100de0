"""Hydra's defaults lists as they stand in the YAML: which files start a composition, and what may be chosen there.

Read with the safe loader of ``settings``; hydra-core is not needed here. What a list composes to is for Hydra to say
(``composition``).
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .settings import ConfigError, ConfigFile, load, read_text

ENDING = ".yaml"
"""The only ending under which Hydra looks for a config."""

_GENERATED = re.compile(
    r"\bauto(?:matically)?[- ]?generated\b|\bgenerated (?:automatically|by|from|via|with|using)\b"
    r"|\bdo not (?:edit|modify)\b.*\b(?:file|directly|manually|by hand)\b",
    re.I,
)
_NAMED = re.compile(r"\$\{\s*([^${}:]+?)\s*\}")
_CALLED = re.compile(r"\$\{\s*([^${}:]+?)\s*:")


@dataclass(frozen=True)
class Entry:
    """One entry of a defaults list.

    ``group`` is the config group, or the path of a config for an entry without an option; ``key`` is what an override
    would name (the group with its ``@package``); ``option`` is ``None`` where none is named; ``replaces`` marks
    ``override`` entries; ``text`` and ``line`` are for messages.
    """

    group: str
    key: str
    option: str | None
    replaces: bool
    text: str
    line: int


def says_generated(file: str, header: Sequence[str]) -> bool:
    """Whether a YAML file was written by a program: by its name (``_generated…``) or its first comment lines.

    A comment that merely mentions something generated ("tokens generated per step") does not count.
    """
    return os.path.basename(file).startswith("_generated") or any(_GENERATED.search(line) for line in header)


def primary_configs(folder: str) -> tuple[str, ...]:
    """The names (without ending) of the files right in ``folder`` that Hydra can start from, sorted.

    Such a file has a ``defaults:`` list at its top and was not generated. Raises :class:`ConfigError` for a folder or
    file that cannot be read.
    """
    names = []
    for name in option_files(folder):
        part = only_document(os.path.join(folder, name + ENDING))
        if isinstance(part.value.get("defaults"), list) and not says_generated(part.file, part.header):
            names.append(name)
    return tuple(names)


def engine_choices(folder: str, name: str) -> tuple[tuple[str, ...], ...]:
    """The sets of overrides that give the different roots of the primary config ``name``.

    A group counts when its option is interpolated into another entry of the same defaults list (``- engine: a`` and
    ``- actor: ${engine}_actor``): one set for each option file in the group's folder, and every combination where
    several groups count. ``((),)`` for a primary config without such a group. Raises :class:`ConfigError` for a file
    that cannot be read.
    """
    listed = entries(only_document(os.path.join(folder, name.removesuffix(ENDING) + ENDING)))
    named = {used for entry in listed for used in _NAMED.findall(entry.option or entry.group)}
    choices: list[list[str]] = []
    for entry in listed:
        place = os.path.join(folder, *entry.group.split("/"))
        chosen = entry.group in named and entry.option is not None and not entry.replaces
        if chosen and "${" not in str(entry.option) and os.path.isdir(place):
            choices.append([f"{entry.key}={option}" for option in option_files(place)])
    return tuple(itertools.product(*(options for options in choices if options)))


def option_files(folder: str) -> tuple[str, ...]:
    """The names (without ending) of the configs right in ``folder``, sorted. Raises :class:`ConfigError`."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror}); name the folder of the config", folder) from None
    return tuple(sorted(n[: -len(ENDING)] for n in names if n.endswith(ENDING) and not n.startswith(".")))


def only_document(file: str) -> ConfigFile:
    """The one document of a Hydra config. Raises :class:`ConfigError`, also for a file with several documents."""
    parts = load(file)
    if len(parts) > 1:
        raise ConfigError(f"holds {len(parts)} YAML documents; Hydra takes one a file, so split it", file)
    return parts[0]


def entries(part: ConfigFile) -> list[Entry]:
    """The entries of a config's defaults list, none where it has no such list. An option list gives one each."""
    listed = part.value.get("defaults")
    found: list[Entry] = []
    for index, item in enumerate(listed if isinstance(listed, list) else ()):
        line = _line(part, index, item)
        if isinstance(item, Mapping):
            for head, option in item.items():
                *words, key = head.split(" ")
                group = key.partition("@")[0].lstrip("/")
                for one in option if isinstance(option, list) else [option]:
                    named = one if isinstance(one, str) else None
                    text = f"{head}: {option}"
                    found.append(Entry(group, key.lstrip("/"), named, "override" in words, text, line))
        elif isinstance(item, str):
            path = item.partition("@")[0]
            found.append(Entry(path, path, None, False, item, line))
    return found


def refuse_reaching_out(part: ConfigFile) -> None:
    """Raises :class:`ConfigError` for a config that asks for more than the YAML of its folder in order to compose.

    That is a search path of its own (other folders, Python packages), and a defaults list that reads the environment
    or calls a resolver.
    """
    node = part.value.get("hydra")
    if isinstance(node, Mapping) and node.get("searchpath"):
        raise ConfigError(
            "hydra.searchpath is not followed, for nothing outside the config's folder is read or imported; "
            "name a flattened copy of this config instead",
            part.file,
            part.settings["hydra.searchpath"].line,
        )
    for entry in entries(part):
        called = _CALLED.search(entry.text)
        if called:
            does = "reads the environment" if called.group(1) in ("oc.env", "env") else "calls a resolver"
            raise ConfigError(
                f"the defaults list {does} ({entry.text}), so what it composes to is not static; name an option here",
                part.file,
                entry.line,
            )


def _line(part: ConfigFile, index: int, item: object) -> int:
    """The line of an item of the defaults list; a bare name has no setting of its own and is looked up in the text."""
    setting = part.settings.get(f"defaults.{index}")
    if setting is not None:
        return setting.line
    top = part.settings["defaults"].line
    wanted = re.compile(rf"\s*-\s*['\"]?{re.escape(str(item))}['\"]?\s*(?:#|$)")
    for number, line in enumerate(read_text(part.file).splitlines()[top:], top + 1):
        if wanted.match(line):
            return number
    return top
