"""What the value of one setting says of a statement."""

from __future__ import annotations

import functools
import re
from typing import Any

from ..interpolation import Resolution, environment_default, typed_default
from ..phrases import phrases
from ..roots import MANDATORY, Root
from ..settings import parse_value
from ..statements import Statement
from ..values import DIFFERENT, SAME, UNREADABLE, clean, compare, readings, same
from . import keys as key_rules

_INHERITS = re.compile(r"[A-Za-z_][\w.]*\.[\w.]+|[A-Za-z]\w*_\w+")


def outcome(s: Statement, root: Root, path: str) -> tuple[str, str, Resolution]:
    """What the value at ``path`` says of the statement: the same, different, unreadable, or a problem's words.

    The path that comes back is another one where a mapping is meant by its switch.
    """
    return _outcome(s.documented.strip(), s.literal, root, path)


@functools.lru_cache(maxsize=65536)
def _outcome(text: str, literal: bool, root: Root, path: str) -> tuple[str, str, Resolution]:
    setting = root.settings[path]
    resolution = root.resolve(path)
    documented = environment_default(text)
    if documented is not None:
        agrees = same(typed_default(documented), resolution.value)
        return (SAME if agrees else compare(documented or '""', resolution.value, True)), path, resolution
    if not text.strip("-—–－"):
        return (SAME if resolution.value in (None, "", [], {}) else UNREADABLE), path, resolution
    if isinstance(setting.value, dict) and setting.value:
        if re.match(r"^[\w.]+: \S", text):
            return compare("{" + text + "}", resolution.value, True), path, resolution
        switch = key_rules.switch_of(root, path)
        if switch and text.strip("*` ").lower() in phrases().values:
            return _outcome(text, literal, root, switch)
        beside = key_rules.beside_switch(root, path)
        if beside and literal and compare(text, root.resolve(beside).value, literal) == SAME:
            return _outcome(text, literal, root, beside)
        if not text.startswith("{"):
            return UNREADABLE, path, resolution
    if isinstance(setting.value, str) and text.strip("`'\" ") == setting.value.strip():
        return SAME, path, resolution
    if isinstance(setting.value, str) and _spaceless(text) == _spaceless(setting.value):
        return SAME, path, resolution
    if isinstance(setting.value, list) and _is_written(setting.value, text):
        return SAME, path, resolution
    bare = text.strip("`'\" {}")
    if _is_template_of(setting.value, bare):
        return SAME, path, resolution
    if "_" in bare and bare != path and bare in root.settings and resolution.value != bare:
        alike = same(root.resolve(bare).value, resolution.value)  # another key's value, perhaps by way of the code
        return (SAME if alike else UNREADABLE), path, resolution
    reference = _reference(text, root, resolution)
    if reference:
        said = _same_reference(reference, root, path, resolution)
        if said == DIFFERENT and text.startswith("$") and reference in root.settings:
            said = SAME if same(root.resolve(reference).value, resolution.value) else DIFFERENT
        return said, path, resolution
    if resolution.problem:
        return resolution.problem, path, resolution
    if resolution.value == MANDATORY:
        return (
            (SAME if compare(text, MANDATORY, literal) == SAME else DIFFERENT if literal else UNREADABLE),
            path,
            resolution,
        )
    return compare(text, resolution.value, literal), path, resolution


def _spaceless(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _is_written(value: list[Any], text: str) -> bool:
    """Whether a text is a list as the file has it, with the references that it holds."""
    if "${" not in text:
        return False
    try:
        return same(parse_value(text), value)
    except ValueError:
        return False


def _is_template_of(value: Any, name: str) -> bool:
    """Whether a value is nothing but ``{{ name }}``, perhaps with a filter: the page may name the key in it."""
    hit = re.fullmatch(r"\{\{\s*([A-Za-z_]\w*)\s*(?:\|[^{}]*)?\}\}", value) if isinstance(value, str) else None
    return hit is not None and hit.group(1) == name


def _reference(text: str, root: Root, resolution: Resolution) -> str:
    """The key that a documented text refers to ("same as ``a.b``", ``${a.b}``, ``a.b``), else ``''``."""
    whole = re.fullmatch(r"\$\{(?:oc\.select:)?([\w.]+)(?:,[^}]*)?\}", text.strip("`'\" "))
    if whole:
        return whole.group(1)
    bare = text.strip("`'\" ")
    if "." in bare and (bare in root.settings or bare == resolution.follows) and bare != resolution.value:
        return bare
    if phrases().inherits.search(bare):
        hit = _INHERITS.search(bare)
        return hit.group(0) if hit else ""
    return ""


def _same_reference(reference: str, root: Root, path: str, resolution: Resolution) -> str:
    if resolution.follows:
        follows = resolution.follows
        wanted = key_rules.components(reference)
        if key_rules.components(follows)[-len(wanted) :] == wanted:
            return SAME
        # what both lead to may still be the same key (a chain of references)
        seen = {path}
        while follows in root.settings and follows not in seen:
            seen.add(follows)
            follows = root.resolve(follows).follows
            if follows and key_rules.components(follows)[-len(wanted) :] == wanted:
                return SAME
        return DIFFERENT
    if resolution.problem:
        return resolution.problem
    return DIFFERENT


def other_kind(s: Statement, value: Any) -> bool:
    """Whether a documented text cannot be of the kind of the value: a number for a switch, a word for a number."""
    found = list(readings(clean(s.documented), s.literal))
    if None in found:
        return False
    kinds = {type(r) for r in found if isinstance(r, (bool, int, float))}
    numeric = {int, float} & kinds
    if isinstance(value, bool):
        return bool not in kinds
    if isinstance(value, (int, float)):
        return not numeric
    return value is not None and isinstance(value, (list, dict))
