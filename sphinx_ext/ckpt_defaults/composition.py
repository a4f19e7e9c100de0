"""Hydra's primary configs composed by hydra-core itself: the tree a user gets, and the files it was laid of.

hydra-core is the optional extra ``hydra`` and is imported inside the functions that compose. Nothing that a config
names is imported, no plug-in of the environment is loaded, and no environment variable is read: YAML comes in through
``hydra_sources``, and OmegaConf's pure resolvers alone are within reach.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .defaults_lists import (
    ENDING,
    engine_choices,
    entries,
    only_document,
    primary_configs,
    refuse_reaching_out,
    says_generated,
)
from .interpolation import pure_resolvers
from .settings import ConfigError, ConfigFile, Setting

__all__ = [
    "Composition",
    "CompositionUnavailable",
    "Layer",
    "compose",
    "engine_choices",
    "origins",
    "primary_configs",
    "says_generated",
]

_LOCK = threading.RLock()
_IN = re.compile(r"^In '?([^':]+)'?: ")
_LIST_IN = re.compile(r"^Invalid defaults list in '([^']+)', ")
_MISSING = re.compile(r"Could not (?:find|load) '([^']+)'")


class CompositionUnavailable(Exception):
    """hydra-core is not installed; the message says how to install it."""


@dataclass(frozen=True)
class Layer:
    """One YAML file of a composition: its absolute path, and the dotted place where it is laid (``""``: the top)."""

    file: str
    package: str


@dataclass(frozen=True)
class Composition:
    """A composed primary config.

    ``values`` are plain containers with interpolations left as strings and ``???`` kept, without Hydra's own ``hydra``
    node. ``layers`` are the files in the order of merging, a later one wins; an override of a single value
    (``trainer.save_freq=5``) shows in ``values`` and in no layer.
    """

    name: str
    overrides: tuple[str, ...]
    values: dict[str, object]
    layers: tuple[Layer, ...]


def compose(folder: str, name: str, overrides: Sequence[str] = ()) -> Composition:
    """The primary config ``name`` of ``folder`` as hydra-core composes it with ``overrides``.

    Raises :class:`CompositionUnavailable` without hydra-core and :class:`ConfigError` (one line, with file and line
    where they are known) for whatever Hydra cannot compose, for a defaults list that reads the environment or calls
    a resolver, and for a Hydra search path beyond ``folder``.
    """
    if importlib.util.find_spec("hydra") is None:
        raise CompositionUnavailable(
            "Hydra configs are composed by hydra-core, which is not installed; install sphinx-ckpt-defaults[hydra]"
        )
    folder, name = os.path.abspath(folder), name.removesuffix(ENDING)
    primary = os.path.join(folder, name + ENDING)
    only_document(primary)  # a missing or broken one is told by its own error
    for override in overrides:
        if override.lstrip("+~").startswith("hydra.searchpath"):
            raise ConfigError(f"the override {override!r} is refused: nothing outside its folder is read", primary)
    with _LOCK, _alone():
        try:
            return _composed(folder, name, tuple(overrides))
        except ConfigError:
            raise
        except RecursionError:
            raise ConfigError("its defaults lists include each other without end; break the circle", primary) from None
        except Exception as error:  # Hydra, OmegaConf and ANTLR share no base class, and any fault is the config's
            raise _told(error, folder, primary) from None


def origins(composition: Composition) -> Callable[[str], Setting | None]:
    """A function from a key of the composition to the setting, in the file that decides it, behind that key.

    The setting's own ``path`` is the one within its file. ``None`` for a key that no layer sets (an override may).
    Every layer is read once, here. Raises :class:`ConfigError` when one cannot be read any more.
    """
    layers = [(f"{layer.package}." if layer.package else "", only_document(layer.file)) for layer in composition.layers]

    def find(path: str) -> Setting | None:
        for prefix, part in reversed(layers):
            inner = path[len(prefix) :]
            if path.startswith(prefix) and inner in part.settings and inner.partition(".")[0] != "defaults":
                return part.settings[inner]
        return None

    return find


def _composed(folder: str, name: str, overrides: tuple[str, ...]) -> Composition:
    from hydra._internal.config_loader_impl import ConfigLoaderImpl
    from hydra._internal.config_search_path_impl import ConfigSearchPathImpl
    from hydra.types import RunMode
    from omegaconf import OmegaConf

    from .hydra_sources import FILES, LISTS, OWN, layer_file, registered

    kept: dict[str, ConfigFile] = {}

    def read(file: str) -> ConfigFile:
        if file not in kept:
            part = only_document(file)
            refuse_reaching_out(part)
            kept[file] = part
        return kept[file]

    def loader(scheme: str) -> ConfigLoaderImpl:
        search = ConfigSearchPathImpl()
        search.append("main", f"{scheme}://{folder}")
        search.append("hydra", f"{OWN}://")
        search.append("schema", "structured://")
        return ConfigLoaderImpl(search)

    with registered(read):
        defaults = loader(LISTS).compute_defaults_list(name, list(overrides), RunMode.RUN).defaults
        # Hydra copies the variables that env_copy names, and asks its runtime for a job name: answered here instead.
        asked = [*overrides, "hydra.job.env_copy=[]", "hydra.job.name=composition"]
        config = loader(FILES).load_configuration(name, asked, RunMode.RUN, from_shell=False)
    values: Any = OmegaConf.to_container(config, resolve=False)
    values.pop("hydra", None)
    layers = []
    for default in defaults:
        package, file = default.package or "", layer_file(folder, default.config_path or "")
        if file in kept and package.partition(".")[0] != "hydra":
            layers.append(Layer(file, package))
    return Composition(name, overrides, values, tuple(layers))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hydra's and OmegaConf's global state as it was before, whatever happens inside; no warning gets out.

    Inside, OmegaConf knows its own pure resolvers only: merging may resolve an interpolated node, and that must
    neither read the environment nor call what the surrounding program has registered.
    """
    from hydra import version

    base = version.VersionBase.instance()
    before = base.getbase()
    try:
        with pure_resolvers(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                version.setbase("1.1")  # takes all that newer bases take, and `# @package _group_` besides
            except Exception:  # a Hydra that has dropped the rules of 1.1
                version.setbase(None)
            yield
    finally:
        base.version_base = before


def _told(error: Exception, folder: str, primary: str) -> ConfigError:
    """Hydra's error as one line at the file, and the line of its defaults list, that it is about."""
    text = str(error) or str(error.__cause__ or "") or type(error).__name__
    text = text.split("\nConfig search path:")[0].split("\nSearch path:")[0]
    file, hit = primary, _IN.match(text) or _LIST_IN.match(text)
    if hit:
        named = os.path.normpath(os.path.join(folder, hit.group(1).removesuffix(ENDING) + ENDING))
        if os.path.isfile(named):
            file, text = named, text[hit.end() :]
    line = _line_about(text, only_document(file))
    if _MISSING.search(text) and "Available options" not in text:
        text += "; a config that code registers (ConfigStore) is not seen, for no code is run"
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    told = re.sub(r"(Available options[^:;]*:);", r"\1", "; ".join(lines)).strip(" .,")
    return ConfigError(f"Hydra cannot compose this: {told}; mend the defaults list or the override", file, line)


def _line_about(text: str, part: ConfigFile) -> int | None:
    """The line of the entry of a defaults list that Hydra's message is about, where that can be told."""
    listed, quoted = entries(part), set(re.findall(r"'([^']+)'", text))
    missing = _MISSING.search(text)
    if missing:
        group, _, option = missing.group(1).rpartition("/")
        for entry in listed:
            wanted = group if entry.option is not None else option
            if os.path.basename(entry.group) == os.path.basename(wanted):
                return entry.line
    for entry in listed:
        if entry.key in quoted or entry.option in quoted or entry.text in quoted:
            return entry.line
    return part.settings["defaults"].line if text.startswith("defaults ") else None
