"""Numbers with a unit behind them: ``5 minutes``, ``50MB``, ``10%``."""

from __future__ import annotations

import math
import re

_QUANTITY = re.compile(r"^([-+]?\d[\d_,]*(?:\.\d*)?)(\s*)([A-Za-zµ%秒毫分小时钟天]+)(\.?)$")
_SECONDS = {
    "ms": 0.001, "msec": 0.001, "millis": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "毫秒": 0.001,
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1,
    "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60,
    "h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600, "小时": 3600,
    "day": 86400, "days": 86400, "天": 86400,
}  # fmt: skip
_BYTES = {
    "byte": 1, "bytes": 1, "kb": 1024, "kib": 1024, "mb": 1024**2, "mib": 1024**2, "gb": 1024**3, "gib": 1024**3,
}  # fmt: skip


def with_unit(value: int | float, like: str, path: str) -> str | None:
    """``value`` in the unit of ``like``; empty when it is not sure how, ``None`` when ``like`` has no unit.

    The config's own unit is taken from the name of the key (``timeout_ms``), and without one it is the page's where
    that is the usual one: seconds, bytes, a share in per cent.
    """
    hit = _QUANTITY.match(like)
    if hit is None:
        return None
    _, space, unit, stop = hit.groups()
    try:
        amount = _converted(value, unit.lower(), re.split(r"[._\-]", path.lower())[-1])
    except OverflowError:  # an integer that no float reaches
        amount = None
    return (
        ""
        if amount is None or (isinstance(amount, float) and not math.isfinite(amount))
        else f"{_plain(amount)}{space}{_inflected(unit, amount)}{stop}"
    )


def _converted(value: int | float, unit: str, last_word: str) -> float | None:
    if unit == "%":
        return value * 100 if isinstance(value, float) and 0 <= value < 1 else value if value > 1 else None
    for table, usual in ((_SECONDS, ("s", "sec", "secs", "second", "seconds", "秒")), (_BYTES, ("byte", "bytes"))):
        if unit in table:
            if last_word in table:
                return value * table[last_word] / table[unit]
            return value if unit in usual else None
    return None


def _plain(amount: float) -> str:
    return str(round(amount)) if amount == round(amount) else f"{amount:.12g}"


def _inflected(unit: str, amount: float) -> str:
    """``second`` for one and ``seconds`` for others, where the unit is such a word."""
    if len(unit) < 4 or not unit.isascii():
        return unit
    stem = unit[:-1] if unit.endswith("s") else unit
    return stem if amount == 1 else stem + "s"
