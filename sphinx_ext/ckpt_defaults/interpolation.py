"""What an interpolated value resolves to: ``${a.b}``, ``${oc.select:a.b,x}``, ``${ENV:x}`` and Jinja's ``{{ name }}``.

Interpolations of OmegaConf are resolved by OmegaConf itself (the ``hydra`` extra). The environment is never read and
no resolver outside OmegaConf's own pure ones is ever called: a value that needs either is not static.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .settings import Setting, parse_value
from .wording import later
from .yaml_scalars import parse_scalar

NOT_STATIC = later("not static")
NEEDS_OMEGACONF = later("needs OmegaConf (install sphinx-ckpt-defaults[hydra])")
UNREAD = later("not static: {error}")
UNRESOLVED = later("does not resolve: {error}")

_WHOLE = re.compile(r"^\$\{\s*(\.*[A-Za-z_][\w.\-\[\]]*)\s*\}$")
_SELECT = re.compile(r"^\$\{\s*oc\.select\s*:\s*(\.*[\w\-\[\]][\w.\-\[\]]*)\s*(?:,(.*))?\}$", re.S)
_ENVIRONMENT = re.compile(r"^\$\{([A-Z][A-Z0-9_]*):(.*)\}$", re.S)
_JINJA = re.compile(r"^\{\{\s*([A-Za-z_][\w.]*)\s*(?:\|\s*default\(\s*(.*?)\s*(?:,\s*(?:true|True)\s*)?\)\s*)?\}\}$")
_RESOLVER = re.compile(r"\$\{\s*([A-Za-z_][\w.]*)\s*:")
_NAMED = re.compile(r"\$\{\s*(?:oc\.[\w.]+\s*:\s*)?(\.*[A-Za-z_\d][\w.\-\[\]]*)")
PURE_RESOLVERS = frozenset({"oc.select", "oc.create", "oc.decode", "oc.dict.keys", "oc.dict.values", "oc.deprecated"})
"""OmegaConf's resolvers that read nothing but the config."""

MAX_NESTED = 20
"""How many variables of the environment may stand in each other's defaults; more are text."""

_MAX_SIZE = 5_000
"""How many values may be looked up to resolve one; what doubles from key to key is no default of anything."""
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
    if hit is None or not _closes_at_end(hit.group(2)):
        return None
    default = hit.group(2)
    shell = default.startswith("-") and not re.fullmatch(r"-[\d.]+(?:[eE][-+]?\d+)?", default)
    return default[1:] if shell else default


def _closes_at_end(inner: str) -> bool:
    """Whether no brace of ``inner`` closes more than it opened: ``1}${B:2`` is the inside of two values."""
    depth = 0
    for char in inner:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return depth == 0


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
    for _ in range(MAX_NESTED):
        inner = environment_default(text)
        if inner is None:
            break
        text = inner
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
    if default is not None and default[:1] in "'\"" and default[-1:] == default[:1] and len(default) > 1:
        return Resolution(default[1:-1])
    if default is not None and default in settings:
        return _jinja(f"{{{{ {default} }}}}", settings, depth + 1)
    if default is not None and not isinstance(parse_scalar(default), str):
        return Resolution(parse_scalar(default))
    return Resolution(None, problem="" if default in ("none", "None") else NOT_STATIC)


def _with_omegaconf(wanted: Iterable[Setting], values: Mapping[str, Any]) -> dict[str, Resolution]:
    if not omegaconf_available():
        return {s.path: Resolution(follows=followed_key(s.value, s.path), problem=NEEDS_OMEGACONF) for s in wanted}
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    faults = (OmegaConfBaseException, ValueError, TypeError, RecursionError)

    def created(value: Any) -> bool:
        try:
            OmegaConf.create([value])
        except faults:
            return False
        return True

    found = {}
    with pure_resolvers():
        guarded = _guarded(values, _multiplying(values))
        try:
            tree = OmegaConf.create(guarded)
        except faults:  # one value that does not parse would take all the others with it
            guarded = _guarded(guarded, frozenset(), created)
        try:
            tree = OmegaConf.create(guarded)
        except faults as error:
            return {s.path: Resolution(problem=UNREAD.format(error=_first_line(error))) for s in wanted}
        for setting in wanted:
            follows = followed_key(setting.value, setting.path)
            try:
                value = OmegaConf.select(tree, setting.path, throw_on_missing=False)
                if OmegaConf.is_config(value):
                    value = OmegaConf.to_container(value, resolve=True)
                problem = NOT_STATIC if _holds_mark(value) else ""
            except faults as error:
                value, problem = None, UNRESOLVED.format(error=_first_line(error))
            found[setting.path] = Resolution(None if problem else value, follows, problem)
    return found


@contextlib.contextmanager
def pure_resolvers() -> Iterator[None]:
    """While it lasts, OmegaConf knows those of its own resolvers that read nothing but the config.

    Resolving must neither read the environment nor call what the surrounding program has registered, whatever way
    an interpolation takes to name a resolver (``${oc.${x}:HOME}``).
    """
    from omegaconf.basecontainer import BaseContainer

    resolvers = BaseContainer._resolvers
    BaseContainer._resolvers = {name: resolvers[name] for name in PURE_RESOLVERS if name in resolvers}
    try:
        with _remembered_parses():
            yield
    finally:
        BaseContainer._resolvers = resolvers


@contextlib.contextmanager
def _remembered_parses() -> Iterator[None]:
    """While it lasts, OmegaConf parses each interpolation once: the roots of a project share most of theirs."""
    from omegaconf import _utils, base

    users = [(module, module.parse) for module in (_utils, base) if hasattr(module, "parse")]
    for module, parse in users:
        module.parse = _remembering(parse)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module, parse in users:
            module.parse = parse  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=2)
def _remembering(parse: Callable[..., Any]) -> Callable[..., Any]:
    return functools.lru_cache(maxsize=4096)(parse)


def _guarded(
    value: Any, multiplying: frozenset[str], parses: Callable[[str], bool] = lambda text: True, path: str = ""
) -> Any:
    """``value`` with a mark for each scalar that needs the environment or a foreign resolver, that would grow beyond
    measure, or that does not parse."""
    if isinstance(value, dict):
        return {
            str(k): _guarded(item, multiplying, parses, f"{path}.{k}" if path else str(k)) for k, item in value.items()
        }
    if isinstance(value, list):
        return [_guarded(item, multiplying, parses, f"{path}.{k}") for k, item in enumerate(value)]
    if isinstance(value, str):
        default = environment_default(value)
        if default is not None:
            return typed_default(default)
        if any(name not in PURE_RESOLVERS for name in _RESOLVER.findall(value)) or path in multiplying:
            return _MARK
        if "${" in value and not parses(value):
            return _MARK
    return value


def _multiplying(values: Mapping[str, Any]) -> frozenset[str]:
    """The paths of the values whose interpolations, each followed, take more than :data:`_MAX_SIZE` steps."""
    nodes = dict(_nodes(values, ""))
    sizes: dict[str, int] = {}
    for start in nodes:
        waiting = [start]
        while waiting:
            path = waiting[-1]
            if path in sizes and sizes[path] >= 0:
                waiting.pop()
                continue
            parts = [part for part in _parts(nodes[path], path) if part in nodes]
            missing = [part for part in parts if part not in sizes] if path not in sizes else []
            sizes[path] = -1  # being looked at: a circle has no size
            if missing:
                waiting += missing
                continue
            own = 1 + (len(nodes[path]) // 100 if isinstance(nodes[path], str) else 0)
            sizes[path] = min(_MAX_SIZE + 1, own + sum(max(sizes[part], 0) for part in parts))
            waiting.pop()
    return frozenset(path for path, size in sizes.items() if size > _MAX_SIZE and isinstance(nodes[path], str))


def _nodes(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if path:
        yield path, value
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _nodes(item, f"{path}.{key}" if path else str(key))


def _parts(value: Any, path: str) -> Iterator[str]:
    """The paths of what a value is made of: its items, or the keys that its text names."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield f"{path}.{key}"
    elif isinstance(value, str) and "${" in value:
        for key in _NAMED.findall(value):
            bare = re.sub(r"\[(\w+)\]", r".\1", key.lstrip("."))
            up = len(key) - len(key.lstrip("."))
            yield ".".join([*path.split(".")[:-up], bare]) if up else bare


def _holds_mark(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_holds_mark(item) for item in value.values())
    if isinstance(value, list):
        return any(_holds_mark(item) for item in value)
    return isinstance(value, str) and (_MARK in value or "{{" in value)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
