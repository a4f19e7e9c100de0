"""A true value in the spelling of the page that states a wrong one."""

from __future__ import annotations

import re
from typing import Any

from .interpolation import is_interpolated
from .redaction import is_secret
from .settings import parse_value
from .values import display
from .verdicts import DISAGREES, Verdict

_BOOLEANS = (
    ("True", "False"), ("true", "false"), ("TRUE", "FALSE"), ("yes", "no"), ("Yes", "No"), ("on", "off"), ("On", "Off"),
    ("enabled", "disabled"), ("Enabled", "Disabled"), ("enable", "disable"), ("Enable", "Disable"),
    ("开启", "关闭"), ("启用", "禁用"), ("打开", "关闭"), ("是", "否"), ("使用", "不使用"),
    ("有効", "無効"), ("オン", "オフ"), ("はい", "いいえ"),
)  # fmt: skip


def replacement(verdict: Verdict) -> str | None:
    """What a page would have to write instead of the documented value; ``None`` when nothing can be put there.

    Only a disagreement has a replacement, and only when the config has a plain value for the key.
    """
    if verdict.verdict != DISAGREES or verdict.setting is None or is_secret(verdict.path):
        return None
    try:
        value = parse_value(verdict.actual)
    except ValueError:
        return None
    if is_interpolated(value) or value == "???" or verdict.actual.startswith("required"):
        return None
    return spelled(value, verdict.statement.documented)


def spelled(value: Any, like: str) -> str | None:
    """``value`` in the spelling of ``like``: its pair of words, its quotes, its brackets. ``None`` when it has none."""
    like = like.strip()
    quote = like[0] if len(like) > 1 and like[0] in "\"'" and like[-1] == like[0] else ""
    inner = like[1:-1] if quote else like
    if isinstance(value, bool):
        for pair in _BOOLEANS:
            if inner in pair:
                return f"{quote}{pair[0 if value else 1]}{quote}"
        python = inner in ("None",) or inner[:1].isupper()
        return ("True" if value else "False") if python else display(value)
    if value is None:
        python = inner in ("True", "False") or inner[:1].isupper()
        return "None" if python else "null"
    if isinstance(value, (int, float)):
        return f"{quote}{display(value)}{quote}" if quote else display(value)
    if isinstance(value, str):
        if quote and quote not in value:
            return f"{quote}{value}{quote}"
        return display(value) if value == "" or "\n" in value else value
    if isinstance(value, (list, dict)):
        mark = next((c for c in re.findall(r"[\"']", like)), "")
        return _flow(value, mark)
    return None


def _flow(value: Any, mark: str) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item, mark) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_flow(item, mark)}" for key, item in value.items()) + "}"
    if isinstance(value, str) and mark and mark not in value:
        return f"{mark}{value}{mark}"
    return display(value)
