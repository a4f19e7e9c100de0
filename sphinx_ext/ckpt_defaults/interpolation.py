"""What an interpolated value resolves to: ``${a.b}``, ``${oc.select:a.b,x}``, ``${ENV:x}`` and Jinja's ``{{ name }}``.

Interpolations of OmegaConf are resolved by OmegaConf itself (the ``hydra`` extra). The environment is never read and
no resolver outside OmegaConf's own pure ones is ever called: a value that needs either is not static.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .settings import Setting, parse_scalar, parse_value

NOT_STATIC = "not static"
NEEDS_OMEGACONF = "needs OmegaConf (install sphinx-ckpt-defaults[hydra])"

_WHOLE = re.compile(r"^\$\{\s*(\.*[A-Za-z_][\w.\-\[\]]*)\s*\}$")
_SELECT = re.compile(r"^\$\{\s*oc\.select\s*:\s*(\.*[\w\-\[\]][\w.\-\[\]]*)\s*(?:,(.*))?\}$", re.S)
_ENVIRONMENT = re.compile(r"^\$\{([A-Z][A-Z0-9_]*):(.*)\}$", re.S)
_JINJA = re.compile(r"^\{\{\s*([A-Za-z_][\w.]*)\s*(?:\|\s*default\(\s*(.*?)\s*(?:,\s*(?:true|True)\s*)?\)\s*)?\}\}$")
_RESOLVER = re.compile(r"\$\{\s*([A-Za-z_][\w.]*)\s*:")
_PURE = frozenset({"oc.select", "oc.create", "oc.decode", "oc.dict.keys", "oc.dict.values"})
_MARK = "\x00not-static\x00"


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a setting's value means: ``value`` when ``problem`` is empty; ``follows`` is the key it is taken from."""

    value: Any = None
    follows: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Fallback:
    """A ``${oc.select:KEY,VALUE}``: the key, and the fallback's text (``None``: it has none)."""

    key: str
    text: str | None


def is_interpolated(value: Any) -> bool:
    """Whether a scalar holds an interpolation of OmegaConf, an environment default or a Jinja expression."""
    return isinstance(value, str) and ("${" in value or "{{" in value)


def select_of(value: Any) -> Fallback | None:
    """The key and fallback of a value that is one ``oc.select`` interpolation, else ``None``."""
    hit = _SELECT.match(value) if isinstance(value, str) else None
    return Fallback(hit.group(1), None if hit.group(2) is None else hit.group(2).strip()) if hit else None


def environment_default(value: Any) -> str | None:
    """The default behind a variable of the environment, ``x`` of ``${NAME:x}`` and of ``${NAME:-x}``, else ``None``.

    ``${NAME:-1}`` is minus one: frameworks with the first form write negative numbers so.
    """
    hit = _ENVIRONMENT.match(value) if isinstance(value, str) else None
    if hit is None:
        return None
    default = hit.group(2)
    shell = default.startswith("-") and not re.fullmatch(r"-[\d.]+(?:[eE][-+]?\d+)?", default)
    return default[1:] if shell else default


def followed_key(value: Any, path: str) -> str:
    """The full key that an interpolated value of the setting at ``path`` follows, or an empty string."""
    if not isinstance(value, str):
        return ""
    fallback = select_of(value)
    hit = None if fallback is not None else _WHOLE.match(value)
    if fallback is None and hit is None:
        return ""
    key = fallback.key if fallback is not None else hit.group(1) if hit is not None else ""
    bare = key.lstrip(".")
    up = len(key) - len(bare)
    return ".".join([*path.split(".")[:-up], bare]) if up else bare


def omegaconf_available() -> bool:
    """Whether OmegaConf is installed (it is not imported)."""
    return importlib.util.find_spec("omegaconf") is not None


def resolve_all(settings: Mapping[str, Setting], values: Mapping[str, Any]) -> dict[str, Resolution]:
    """The resolution of each setting of one root whose value holds an interpolation, by path.

    ``values`` is the root as plain containers. Settings that are not in the result stand for themselves.
    """
    found: dict[str, Resolution] = {}
    for_omegaconf: list[Setting] = []
    for path, setting in settings.items():
        value = setting.value
        if isinstance(value, (dict, list)):
            if _any_interpolated(value):
                for_omegaconf.append(setting)
        elif is_interpolated(value):
            default = environment_default(value)
            if default is not None:
                found[path] = Resolution(typed_default(default))
            elif "{{" in value and "${" not in value:
                found[path] = _jinja(value, settings, depth=0)
            else:
                for_omegaconf.append(setting)
    if for_omegaconf:
        found.update(_with_omegaconf(for_omegaconf, values))
    return found


def typed_default(text: str) -> Any:
    """The value of the text behind a variable of the environment: nothing is the empty text."""
    if text == "":
        return ""
    try:
        return parse_value(text) if text[:1] in "\"'[{" else parse_scalar(text)
    except ValueError:
        return text


def _any_interpolated(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_any_interpolated(item) for item in value.values())
    if isinstance(value, list):
        return any(_any_interpolated(item) for item in value)
    return is_interpolated(value)


def _jinja(value: str, settings: Mapping[str, Setting], depth: int) -> Resolution:
    hit = _JINJA.match(value.strip())
    if not hit or depth > 20:
        return Resolution(problem=NOT_STATIC)
    name, default = hit.groups()
    target = settings.get(name)
    if target is not None:
        if isinstance(target.value, str) and "{{" in target.value:
            inner = _jinja(target.value, settings, depth + 1)
            return Resolution(inner.value, name, inner.problem)
        return Resolution(target.value, name)
    if default is not None and (default[:1] in "'\"" or re.fullmatch(r"[\w.+-]+", default)):
        return Resolution(default[1:-1] if default[:1] in "'\"" else parse_scalar(default))
    return Resolution(problem=NOT_STATIC)


def _with_omegaconf(wanted: Iterable[Setting], values: Mapping[str, Any]) -> dict[str, Resolution]:
    if not omegaconf_available():
        return {s.path: Resolution(follows=followed_key(s.value, s.path), problem=NEEDS_OMEGACONF) for s in wanted}
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        tree = OmegaConf.create(_guarded(values))
    except (OmegaConfBaseException, ValueError) as error:
        return {s.path: Resolution(problem=f"{NOT_STATIC}: {_first_line(error)}") for s in wanted}
    found = {}
    for setting in wanted:
        follows = followed_key(setting.value, setting.path)
        try:
            value = OmegaConf.select(tree, setting.path, throw_on_missing=False)
            if OmegaConf.is_config(value):
                value = OmegaConf.to_container(value, resolve=True)
            problem = NOT_STATIC if _holds_mark(value) else ""
        except (OmegaConfBaseException, ValueError, TypeError, RecursionError) as error:
            value, problem = None, f"does not resolve: {_first_line(error)}"
        found[setting.path] = Resolution(None if problem else value, follows, problem)
    return found


def _guarded(value: Any) -> Any:
    """``value`` with each scalar that needs the environment or a foreign resolver replaced by a mark."""
    if isinstance(value, dict):
        return {str(key): _guarded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_guarded(item) for item in value]
    if isinstance(value, str):
        default = environment_default(value)
        if default is not None:
            return typed_default(default)
        if any(name not in _PURE for name in _RESOLVER.findall(value)):
            return _MARK
    return value


def _holds_mark(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_mark(item) for item in value.values())
    if isinstance(value, list):
        return any(_holds_mark(item) for item in value)
    return isinstance(value, str) and _MARK in value


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
