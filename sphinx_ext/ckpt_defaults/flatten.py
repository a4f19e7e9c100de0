"""Generated configs: a composed tree as one YAML file, and whether such a file still is what its sources say.

As a command: ``python -m ckpt_defaults.flatten [--check] PLACE...`` rewrites (or checks) every generated file among
the places, ``--new FILE --source "PRIMARY OVERRIDE..."`` makes one. What a generated file was made from is read from
the comment at its top, or worked out by composing; there is no table of names. Needs the ``hydra`` extra.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .composition import Composition, CompositionUnavailable, compose, origins
from .defaults_lists import ENDING, engine_choices, option_files, primary_configs, says_generated
from .redaction import HIDDEN, is_secret
from .settings import ConfigError, ConfigFile, Setting, load, read_text, shown_path

COMMAND = "nox -s config"
"""The command that a new file names as the one that writes it."""

ALIKE = 0.5
"""Share of equal settings from which a file counts as a flattened form of a composition."""

_SOURCE = re.compile(r"^source:\s*(\S+)((?:\s+\S+)*)\s*$")
_WRITTEN_BY = re.compile(r"\bgenerated\b(?:\s\w+)?\s(?:by|via|with|using|from)\s+[`'\"]+([^`'\"]+)[`'\"]", re.I)
_OVERRIDE = re.compile(r"^[+~]?[\w./][\w./@-]*=[\w./@:+-]+$")


class UnknownSource(ConfigError):
    """A file that calls itself generated, but that no primary config beside it composes to or ever did."""


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING = _Missing()
"""Stands in a :class:`Difference` for the value of a key that one side does not have."""


@dataclass(frozen=True)
class Difference:
    """A key in which a generated file is not what its sources compose to.

    The values are plain (interpolations as strings), or :data:`MISSING`. ``generated_line`` is the line of the key, of
    its nearest parent where the key is missing, or ``None``; ``source_file`` and ``source_line`` name the setting that
    decides the composed value, ``None`` when no file sets it.
    """

    key: str
    generated_value: object
    generated_line: int | None
    composed_value: object
    source_file: str | None
    source_line: int | None


def generated_files(folder: str) -> tuple[str, ...]:
    """The generated files right in ``folder``, sorted. Raises :class:`ConfigError` for YAML that cannot be read."""
    files = (os.path.join(folder, name + ENDING) for name in option_files(folder))
    return tuple(file for file in files if says_generated(file, load(file)[0].header))


def source_of(file: str) -> tuple[str, tuple[str, ...]]:
    """The primary config and the overrides that a generated file was made from.

    A header line ``source: PRIMARY OVERRIDE...`` says it. Otherwise the primary config and the overrides that the
    header mentions are taken, or else those whose composition has the most settings in common with the file. Raises
    :class:`UnknownSource` when nothing beside the file composes to anything like it.
    """
    made = _source(file)
    return made.name, made.overrides


def differences(file: str) -> tuple[Difference, ...]:
    """The keys in which a generated file is not what its sources compose to, in the order of the file.

    A file without a ``source:`` line may lack a key that only repeats the choice it was made with
    (``model_engine: megatron``, set by ``model_engine/megatron.yaml``): verl's script cuts it off. Raises
    :class:`UnknownSource` as :func:`source_of`, :class:`ConfigError` for sources that Hydra cannot compose, and
    :class:`CompositionUnavailable` without hydra-core.
    """
    part, made = _part(file), _source(file)
    unequal = tuple(_unequal(part.value, made.values))
    if not unequal:
        return ()
    decides = origins(made)
    every = (_difference(part, decides, *one) for one in unequal)
    exact = any(_SOURCE.match(line) for line in part.header)
    return tuple(one for one in every if exact or not _repeats_choice(one, os.path.dirname(part.file)))


def command_of(file: str) -> str:
    """The command that writes a generated file: the one its header quotes, else this module's own."""
    hit = _WRITTEN_BY.search(" ".join(_part(file).header))
    return hit.group(1).strip() if hit else f"python -m ckpt_defaults.flatten {shown_path(file)}"


def told(file: str, found: Sequence[Difference]) -> tuple[str, ...]:
    """The differences of a generated file as lines for a reader, the last one with the command that mends them."""
    lines = []
    for one in found:
        place = shown_path(file) + (f":{one.generated_line}" if one.generated_line else "")
        says = "nothing sets it any more"
        if one.source_file is not None:
            says = f"{shown_path(one.source_file)}:{one.source_line} says {_shown(one.key, one.composed_value)}"
        elif one.composed_value is not MISSING:
            says = f"its sources compose to {_shown(one.key, one.composed_value)}"
        has = "is missing" if one.generated_value is MISSING else f"is {_shown(one.key, one.generated_value)} here"
        lines.append(f"{place}: {one.key} {has}; {says}")
    if lines:
        keys = "1 key differs" if len(lines) == 1 else f"{len(lines)} keys differ"
        lines.append(f"{shown_path(file)}: {keys} from what its sources compose to; run: {command_of(file)}")
    return tuple(lines)


def rendered(file: str) -> str:
    """The text that a generated file should have: its own header, and the tree that its sources compose to."""
    return _head(read_text(file)) + _body(_source(file))


def new_text(folder: str, name: str, overrides: Sequence[str], command: str = COMMAND) -> str:
    """The text of a new generated file for the primary config ``name`` of ``folder``. Raises as :func:`compose`."""
    made = compose(folder, name, overrides)
    source = " ".join([made.name, *overrides])
    header = (
        f"# Generated by `{command}`; do not edit this file.\n"
        f"# source: {source}\n"
        "# What Hydra composes of that primary config and its overrides, interpolations unresolved. When a source has\n"
        f"# changed, run the command again; `{command} -- --check` tells whether that is due.\n\n"
    )
    return header + _body(made)


# -- what a file was made from ---------------------------------------------------------------------------------------
def _source(file: str) -> Composition:
    part, folder = _part(file), os.path.dirname(os.path.abspath(file))
    for number, line in enumerate(part.header, 1):
        hit = _SOURCE.match(line)
        if hit:
            name, overrides = hit.group(1), tuple(hit.group(2).split())
            if not os.path.isfile(os.path.join(folder, name + ENDING)):
                raise ConfigError(f"its source {name!r} is no config in this folder; mend this line", file, number)
            return compose(folder, name, overrides)
    values = dict(_leaves(part.value, ""))
    mentioned = _mentioned(folder, part.header)
    best = max(_composed(folder, mentioned), key=lambda c: _likeness(values, c), default=None)
    if best is None or _likeness(values, best) < ALIKE:
        every = [(name, choice) for name in primary_configs(folder) for choice in engine_choices(folder, name)]
        best = max(_composed(folder, every), key=lambda c: _likeness(values, c), default=None)
    if best is None or _likeness(values, best) < ALIKE:
        raise UnknownSource(
            "calls itself generated, but no primary config beside it composes to anything like it; "
            "add a header line '# source: PRIMARY OVERRIDE...'",
            file,
        )
    return best


def _mentioned(folder: str, header: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Each primary config that a header mentions, with the overrides that it mentions for it."""
    text = " ".join(header)
    words = [word.strip("`'\",;()") for word in text.split()]
    overrides = tuple(dict.fromkeys(word for word in words if _OVERRIDE.match(word)))
    names = [n for n in primary_configs(folder) if re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", text)]
    return [(name, overrides) for name in names]


def _composed(folder: str, sources: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[Composition]:
    for name, overrides in sources:
        try:
            yield compose(folder, name, overrides)
        except ConfigError:  # not what the file was made from, then
            continue


def _likeness(values: Mapping[str, object], composition: Composition) -> float:
    """The settings that both have with the same value, as a share of those that either has."""
    composed = dict(_leaves(composition.values, ""))
    same = sum(1 for path, value in values.items() if path in composed and _same(value, composed[path]))
    return same / (len(values.keys() | composed.keys()) or 1)


# -- comparing -------------------------------------------------------------------------------------------------------
def _unequal(there: object, composed: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    if isinstance(there, Mapping) and isinstance(composed, Mapping) and (path == "" or (there and composed)):
        for key in [*there, *(key for key in composed if key not in there)]:
            below = f"{path}.{key}" if path else str(key)
            yield from _unequal(there.get(key, MISSING), composed.get(key, MISSING), below)
    elif MISSING in (there, composed):
        for leaf, value in _leaves(composed if there is MISSING else there, path):
            yield (leaf, MISSING, value) if there is MISSING else (leaf, value, MISSING)
    elif not _same(there, composed):
        yield path, there, composed


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and (value or not path):
        for key, below in value.items():
            yield from _leaves(below, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _same(one: object, other: object) -> bool:
    """Equal in value and type: ``1``, ``1.0`` and ``True`` are three values, and so are ``null`` and ``""``."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and one == other


def _difference(
    part: ConfigFile, decides: Callable[[str], Setting | None], path: str, there: object, composed: object
) -> Difference:
    key: str | None = path
    while key and key not in part.settings:
        key = key.rpartition(".")[0]
    found = None if composed is MISSING else decides(path)
    return Difference(
        path,
        there,
        part.settings[key].line if key else None,
        composed,
        found.file if found else None,
        found.line if found else None,
    )


def _repeats_choice(one: Difference, folder: str) -> bool:
    """Whether a key is missing that names the very option file by which it is set."""
    if one.generated_value is not MISSING or one.source_file is None or not isinstance(one.composed_value, str):
        return False
    option = os.path.join(folder, *one.key.split("."), one.composed_value + ENDING)
    return os.path.normpath(option) == os.path.normpath(one.source_file)


def _shown(key: str, value: object) -> str:
    if is_secret(key):
        return HIDDEN
    from omegaconf import OmegaConf

    text = OmegaConf.to_yaml({"value": value}).removeprefix("value:").strip()
    return " ".join(text.split()) if "\n" not in text else repr(value)


# -- writing ---------------------------------------------------------------------------------------------------------
def _part(file: str) -> ConfigFile:
    return load(os.path.abspath(file))[0]


def _head(text: str) -> str:
    """The comment lines and empty lines at the top of a file."""
    lines = text.splitlines(keepends=True)
    count = next((n for n, line in enumerate(lines) if line.strip() and not line.startswith("#")), len(lines))
    return "".join(lines[:count])


def _body(made: Composition) -> str:
    from omegaconf import OmegaConf

    return str(OmegaConf.to_yaml(OmegaConf.create(made.values)))


def _write(file: str, text: str) -> bool:
    """Puts ``text`` into ``file`` in one step; whether that changed it."""
    if os.path.exists(file) and read_text(file) == text:
        return False
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", newline="\n", dir=os.path.dirname(os.path.abspath(file)), delete=False
        ) as stream:
            stream.write(text)
        os.chmod(stream.name, 0o644)
        os.replace(stream.name, file)
    except OSError as error:
        raise ConfigError(f"cannot be written ({error.strerror}); check the folder's permissions", file) from None
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """The command. 0: done, or nothing differs; 1: a checked file differs; 2: the work could not be done."""
    parser = argparse.ArgumentParser(
        prog="python -m ckpt_defaults.flatten",
        description="Write out what Hydra configs compose to, or check that the written file still says so.",
    )
    parser.add_argument("places", nargs="*", metavar="PLACE", help="generated files, or folders that hold some")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when a file is out of date")
    parser.add_argument("--new", metavar="FILE", help="make this file, from the primary config beside it")
    parser.add_argument("--source", default="", help="with --new: the primary config and its overrides, in one word")
    parser.add_argument("--command", default=COMMAND, help="with --new: the command that the file names (%(default)s)")
    given = parser.parse_args(arguments)
    if not given.places and not given.new:
        parser.error("name a folder or a generated file, or --new FILE")
    if bool(given.new) != bool(given.source):
        parser.error("--new and --source go together")
    try:
        return _run(given)
    except (ConfigError, CompositionUnavailable) as error:
        print(error, file=sys.stderr)
        return 2


def _run(given: argparse.Namespace) -> int:
    files: list[str] = []
    for place in given.places:
        found = generated_files(place) if os.path.isdir(place) else (place,)
        if not found:
            raise ConfigError("holds no generated file; make one with --new", place)
        files += found
    if given.check:
        lines = [line for file in files for line in told(file, differences(file))]
        print("\n".join(lines) if lines else f"{len(files)} generated file{'s'[: len(files) != 1]} up to date")
        return 1 if lines else 0
    texts = {file: rendered(file) for file in files}  # all composed before the first is written
    if given.new:
        name, *overrides = given.source.split()
        texts[given.new] = new_text(os.path.dirname(os.path.abspath(given.new)), name, overrides, given.command)
    for file, text in texts.items():
        print(f"{shown_path(file)}: {'written' if _write(file, text) else 'up to date'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
