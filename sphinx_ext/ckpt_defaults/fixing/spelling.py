"""A true value in the spelling of the page that states a wrong one."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..interpolation import MAX_NESTED, environment_default, is_interpolated
from ..redaction import HIDDEN, is_secret
from ..roots import MANDATORY
from ..settings import Setting, parse_value
from ..statements import Statement
from ..statements.blocks import source_lines
from ..values import display, same
from ..verdicts import DISAGREES, NO_DEFAULT, Verdict
from ..wording import say
from ..yaml_scalars import parse_scalar
from .units import with_unit

_BOOLEANS = (
    ("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("yes", "no"), ("Yes", "No"), ("on", "off"), ("On", "Off"),
    ("enabled", "disabled"), ("Enabled", "Disabled"), ("enable", "disable"), ("Enable", "Disable"),
    ("开启", "关闭"), ("启用", "禁用"), ("打开", "关闭"), ("是", "否"), ("使用", "不使用"),
    ("有効", "無効"), ("オン", "オフ"), ("はい", "いいえ"),
)  # fmt: skip
_NULLS = frozenset({"None", "null", "none", "NULL", "Null", "nil", "~"})
_BOOLEAN, _NULL = "boolean", "null"
_WORDS = {"True": _BOOLEAN, "False": _BOOLEAN, "true": _BOOLEAN, "false": _BOOLEAN, "None": _NULL, "null": _NULL}
_PYTHON = frozenset({"True", "False", "None"})
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_NUMBER = re.compile(r"[-+]?(?:\d[\d_,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_ENVIRONMENT = re.compile(r"^(\$\{[A-Za-z_]\w*:)(.*)(\})$", re.S)


@dataclass(frozen=True)
class Style:
    """Whether a page writes ``True`` and ``None`` (Python) or ``true`` and ``null`` (YAML).

    ``groups`` by table or listing and kind of word, ``rest`` by kind of word for the page without its listings.
    """

    groups: Mapping[tuple[str, str], bool] = field(default_factory=dict)
    rest: Mapping[str, bool] = field(default_factory=dict)

    def python(self, statement: Statement, value: bool | None) -> bool:
        """Whether ``value`` is to be written as Python does; not so where nothing on the page tells."""
        word = _NULL if value is None else _BOOLEAN
        own = self.groups.get((statement.group, word)) if statement.group else None
        return own if own is not None else statement.kind != "listing" and self.rest.get(word, False)


def style_of(statements: Iterable[Statement]) -> Style:
    """The style of a page: how most of its words for true, false and null are written."""
    groups: dict[tuple[str, str], int] = {}
    rest: dict[str, int] = {}
    for s in statements:
        written = s.documented.strip("`\"' ")
        word = _WORDS.get(written)
        if word is not None:
            vote = 1 if written in _PYTHON else -1
            groups[s.group, word] = groups.get((s.group, word), 0) + vote
            if s.kind != "listing":
                rest[word] = rest.get(word, 0) + vote
    return Style({key: n > 0 for key, n in groups.items() if n}, {word: n > 0 for word, n in rest.items() if n})


def replacement(verdict: Verdict, style: Style | None = None) -> str | None:
    """What a page would have to write instead of the documented value; ``None`` when nothing can be put there.

    Only a disagreement has a replacement, and only when the config has a plain value for the key, and the same one
    wherever the key is set.
    """
    if verdict.verdict != DISAGREES or verdict.setting is None or is_secret(verdict.path):
        return None
    if refusal(verdict):
        return None
    value = true_value(verdict)
    s = verdict.statement
    if s.file.endswith(".py") and s.kind == "dataclass":
        return as_python(value, s.documented, _as_written(verdict.setting, value))
    python = (style or Style()).python(s, value) if value is None or isinstance(value, bool) else False
    return spelled(value, s.documented, _as_written(verdict.setting, value), python, s.kind == "listing", verdict.path)


def true_value(verdict: Verdict) -> Any:
    """The typed value that the config has, as a verdict tells it."""
    try:
        return parse_value(verdict.actual)
    except ValueError:
        return verdict.actual


def refusal(verdict: Verdict) -> str:
    """Why a disagreement is not for a program to mend, empty when it is."""
    if is_secret(verdict.path) or HIDDEN in verdict.actual:
        return say("the key names a secret")
    if verdict.actual == NO_DEFAULT:
        return say("the config has no default")
    if is_interpolated(verdict.actual) or verdict.actual == MANDATORY:
        return say("the config's value is not static")
    if verdict.others:
        return say(
            "the configs differ ({values}): say which is meant", values=", ".join([verdict.actual, *verdict.others])
        )
    documented = verdict.statement.documented
    if re.search(r"\S\s*[(（].*[)）]$", documented) and documented[:1] not in "([{（":
        return say("the remark behind the value may have to change with it")
    return ""


def spelled(
    value: Any,
    like: str,
    written: str = "",
    python: bool = False,
    yaml: bool = False,
    path: str = "",
) -> str | None:
    """``value`` in the spelling of ``like``: its pair of words, its quotes, its brackets. ``None`` when it has none.

    ``written`` is how the config writes a number, ``python`` whether ``None`` and ``True`` are meant where ``like``
    does not show it, ``yaml`` whether a text is quoted where YAML needs it, ``path`` the key, whose name may tell a
    unit.
    """
    like = like.strip()
    if like.startswith("```") or like.count("${") > MAX_NESTED:  # nobody's markup of a value
        return None
    around = _ENVIRONMENT.match(like)
    if around and environment_default(like) is not None:
        inner = spelled(value, around.group(2), written, False, yaml, path)
        return None if inner is None else around.group(1) + inner + around.group(3)
    quote = like[0] if len(like) > 1 and _QUOTES.get(like[0]) == like[-1] else ""
    closing = _QUOTES.get(quote, "")
    inner = like[1:-1] if quote else like
    if quote == "`":
        within = spelled(value, inner, written, python, yaml, path)
        return None if within is None else f"`{within}`"
    if inner in _WORDS and (_WORDS[inner] == _BOOLEAN) == isinstance(value, bool):
        python = inner in _PYTHON
    if isinstance(value, bool):
        for pair in _BOOLEANS:
            if inner in pair:
                return f"{quote}{pair[0 if value else 1]}{closing}"
        return str(value) if python else display(value)
    if value is None:
        return inner if inner in _NULLS else "None" if python else "null"
    if isinstance(value, (int, float)):
        number = _number(value, inner, written)
        if number and not _NUMBER.fullmatch(inner):
            measured = with_unit(value, inner, path)
            if measured is not None:
                return f"{quote}{measured}{closing}" if measured else None
        return f"{quote}{number}{closing}"
    if isinstance(value, str):
        if quote and quote not in value and closing not in value:
            return f"{quote}{value}{closing}"
        return display(value) if yaml or value == "" or "\n" in value else value
    if isinstance(value, (list, dict)):
        return _flow_like(value, like)
    return None


def as_python(value: Any, like: str, written: str = "") -> str | None:
    """``value`` as a literal of Python, in the quotes of ``like``; ``None`` where ``like`` is no literal itself."""
    try:
        ast.literal_eval(like)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None  # Python has no literal for it
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value, like, written)
    text = repr(value)
    double = '"' in like or "'" not in like
    return text.replace("'", '"') if double and '"' not in text and "\\" not in text else text


def _number(value: int | float, like: str, written: str) -> str:
    """A number as the config writes it; with thousands apart, or with a point, where the page does so."""
    if isinstance(value, int) and abs(value) > 999 and re.fullmatch(r"[-+]?\d{1,3}(?:([,_])\d{3})+", like):
        return f"{value:,}".replace(",", "_" if "_" in like else ",")
    text = written or display(value)
    if isinstance(value, float) and not math.isfinite(value):
        return text
    if value != round(value) or "e" in text.lower():
        return text
    if re.fullmatch(r"[-+]?\d+\.[\d.]*", like):
        return text if "." in text else f"{text}.0"
    return display(value) if re.fullmatch(r"[-+]?\d+", like) else text


def _as_written(setting: Setting, value: Any) -> str:
    """The number ``value`` as the file of the config writes it (``1e-6``, ``1.0``), empty when it stands otherwise."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    lines = source_lines(setting.file)
    if not 0 < setting.value_line <= len(lines):
        return ""
    text = lines[setting.value_line - 1]
    text = text[setting.column - 1 :] if setting.value_line == setting.line else text
    for hit in _NUMBER.finditer(text, text.find(":") + 1):
        if not same(parse_scalar(hit.group(0)), value):
            break
        return hit.group(0)
    return ""


def _flow_like(value: Any, like: str) -> str:
    """A list or mapping on one line: quotes, brackets and spaces as ``like`` has them."""
    mark = next((c for c in re.findall(r"[\"']", like)), "")
    between = "," if "," in like and ", " not in like else ", "
    if isinstance(value, list) and value and like[:1] not in "[({" and "," in like:
        return between.join(_flow(item, mark, between) for item in value)
    text = _flow(value, mark, between)
    return f"({text[1:-1]})" if like[:1] == "(" and text[:1] == "[" else text


def _flow(value: Any, mark: str, between: str) -> str:
    if isinstance(value, list):
        return "[" + between.join(_flow(item, mark, between) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + between.join(f"{key}: {_flow(item, mark, between)}" for key, item in value.items()) + "}"
    if isinstance(value, str) and mark and mark not in value:
        return f"{mark}{value}{mark}"
    return display(value)
