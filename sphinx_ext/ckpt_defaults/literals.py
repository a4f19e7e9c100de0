"""How a rendered page writes a setting: its value, its type, the values that it takes, and what it must not tell."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from .interpolation import Resolution, followed_key
from .redaction import HIDDEN, is_secret
from .roots import Root
from .settings import Setting, parse_value
from .values import display

_EXPONENT = re.compile(r"(?<=\d)e([-+])0*(\d+)$")
_REFERENCE = re.compile(r"\$\{\s*(?:oc\.select\s*:\s*)?(\.*[A-Za-z_][\w.\-\[\]]*)\s*(?=[},])")
_JINJA = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)")

_WORD = r"""(?:"[^"\s]+"|'[^'\s]+'|`+[^`\s]+`+)"""
_TOKEN = rf"(?:{_WORD}|[A-Za-z0-9_][\w./+-]*)"
_REMARK = r"(?:\s?\([^()]*\))?"
_GLUE = r"(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*|\s*/\s*)"
_ANNOUNCED = re.compile(
    rf"\b(?:options|choices|(?:supported|allowed|valid|possible)\s+\w+|one\s+of)(?:\s+are)?\s*:?\s*"
    rf"(?P<list>\[[^\[\]]*\]|{_TOKEN}{_REMARK}(?:{_GLUE}{_TOKEN}{_REMARK})+)(?P<after>[^\n]*)",
    re.I,
)
_QUOTED = re.compile(
    rf"(?:^|[:(\[]\s*)(?P<list>{_WORD}{_REMARK}(?:{_GLUE}{_WORD}{_REMARK})+)\s*[)\]]?(?P<after>[^\n]*)", re.M
)
_OPEN_END = re.compile(r"^\W*(?:etc\b|and\s+so\b|and\s+others?\b|\.\.\.|…|,)", re.I)
_EXAMPLE = re.compile(r"(?:\be\.?g\b\.?|\bsuch\s+as\b|\bfor\s+example\b|\blike\b)\W*$", re.I)


def shown(value: Any) -> str:
    """A value on one line as a YAML file writes it, a float's exponent without padding: ``1e-6``."""
    return _EXPONENT.sub(lambda hit: f"e{hit.group(1).replace('+', '')}{hit.group(2)}", display(value))


def type_of(setting: Setting, resolution: Resolution) -> str:
    """The name of the type of a setting's default, in the words of Python; ``''`` where the default does not tell.

    A class may know more: :mod:`~ckpt_defaults.rendering.declared`; this goes by the value alone.
    """
    value = resolution.value
    if resolution.problem or value is None or value == "???":
        return ""
    names = {bool: "bool", int: "int", float: "float", str: "str", list: "list", dict: "dict"}
    return names.get(type(value), "")


def choices_of(setting: Setting, value: Any = None) -> tuple[str, ...]:
    """The values that a setting takes as the comment in the YAML lists them, ``()`` where it does not.

    A list counts where a word announces it (*options:*, *choices:*, *one of*, *supported modes:*), or where quoted
    words follow a colon or fill a line or the remark behind the value. One that is open (*etc.*, *e.g.*) does not, nor
    one without the default (``value``, else the setting's own).
    """
    default = setting.value if value is None else value
    for text in (setting.remark, setting.comment):
        for rule in (_ANNOUNCED, _QUOTED):
            for hit in rule.finditer(text):
                found = _members(hit.group("list"))
                before, after = text[: hit.start("list")], hit.group("after")
                closed = not _OPEN_END.match(after) and not _EXAMPLE.search(before)
                if rule is _QUOTED and isinstance(default, list) and set(found) <= set(map(str, default)):
                    continue  # the comment repeats the default
                if len(found) > 1 and closed and holds(found, default):
                    return found
    return ()


def _members(text: str) -> tuple[str, ...]:
    if text.startswith("["):
        try:
            value = parse_value(text)
        except ValueError:
            return ()
        return tuple(shown(item) for item in value) if isinstance(value, list) else ()
    bare = re.sub(r"\([^()]*\)", " ", text)
    words = re.findall(_TOKEN, re.sub(r"(?:^|(?<=[\s,|/]))(?:or|and)(?=\s)", " ", bare))
    return tuple(dict.fromkeys(word.strip("\"'`").rstrip(".") for word in words))


def holds(choices: Sequence[str], default: Any) -> bool:
    """Whether a default is among ``choices``; one that is null, required or interpolated says nothing against them."""
    if default is None or default == "???" or (isinstance(default, str) and ("${" in default or "{{" in default)):
        return True
    wanted = default if isinstance(default, list) else [default]
    return all(str(item) in choices or shown(item) in choices for item in wanted)


def references(value: Any, path: str) -> tuple[str, ...]:
    """The full keys that an interpolated value is made of, in their order (``value`` of the setting at ``path``)."""
    if isinstance(value, dict):
        found = [key for name, item in value.items() for key in references(item, f"{path}.{name}")]
    elif isinstance(value, list):
        found = [key for index, item in enumerate(value) for key in references(item, f"{path}.{index}")]
    elif isinstance(value, str) and "${" in value:
        found = [followed_key(f"${{{key}}}", path) or key for key in _REFERENCE.findall(value)]
    elif isinstance(value, str) and "{{" in value:
        found = _JINJA.findall(value)
    else:
        found = []
    return tuple(dict.fromkeys(found))


@functools.lru_cache(maxsize=65536)
def is_hidden(root: Root, path: str) -> bool:
    """Whether the value of a setting must not be told: its key, or a key that it is made of, names a secret."""
    return _hidden(root, path, set())


def _hidden(root: Root, path: str, seen: set[str]) -> bool:
    if path in seen:
        return False
    seen.add(path)
    setting = root.settings.get(path)
    if setting is not None and _tells_nothing(setting):
        return False
    if any(is_secret(part) for part in path.split(".")):
        return True
    if setting is None or not isinstance(setting.value, (str, list)):
        return False
    return any(_hidden(root, key, seen) for key in references(setting.value, path))


def _tells_nothing(setting: Setting) -> bool:
    """Whether a default is no secret whatever its key: none, a switch, or a count of tokens."""
    value = setting.value
    if value is None or isinstance(value, bool) or value in ("", "???", [], {}):
        return True
    return isinstance(value, (int, float)) and setting.name.lower().endswith("token")


def told_value(root: Root, path: str, value: Any) -> Any:
    """The resolved value of a setting without what must not be told of it, at any depth (see :func:`is_hidden`)."""
    if isinstance(value, dict):
        return {key: told_value(root, f"{path}.{key}", item) for key, item in value.items()}
    if isinstance(value, list):
        return [told_value(root, f"{path}.{index}", item) for index, item in enumerate(value)]
    return HIDDEN if isinstance(value, str) and value and is_hidden(root, path) else value


def redacted(value: Any) -> Any:
    """``value`` with the values of keys that name a secret replaced, at any depth."""
    if isinstance(value, dict):
        return {
            key: HIDDEN if is_secret(str(key)) and isinstance(item, str) and item else redacted(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [redacted(item) for item in value]
    return value
