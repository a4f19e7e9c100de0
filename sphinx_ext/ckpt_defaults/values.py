"""When two spellings of a value mean the same.

``null``, ``''``, ``[]``, ``{}`` and ``false`` are five values, never one. A documented text may be read in several ways
(``5 minutes`` is 5, and 300 seconds); it agrees when one of its readings is the value.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from .phrases import phrases
from .settings import parse_value
from .yaml_scalars import parse_scalar

SAME, DIFFERENT, UNREADABLE = "same", "different", "unreadable"

_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_UNDONE = re.compile(r"^(?:does|do|will)(?: not|n['’]t) [a-z]+$", re.I)
_PAIRS = {"[": "]", "{": "}", "(": ")"}
_NUMBER = re.compile(r"^[-+−–]?(?:\d[\d_,' ]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$")
_QUANTITY = re.compile(
    r"^([-+−–]?(?:\d[\d_,]*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(%|[A-Za-zµ]+(?![^\s.])|[\u3040-\u30ff\u3400-\u9fff]{1,4})\.?$"
)
_ROUGHLY = re.compile(r"^[~≈><≥≤]\s*=?\s*[-+]?\.?\d")
_EASTERN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "infinity": math.inf, "-infinity": -math.inf,
             "∞": math.inf, "nan": math.nan}  # fmt: skip
_POWER = re.compile(r"^(\d+(?:\.\d+)?)\s*(?:\^|\*\*)\s*(-?\d+)$")
_PLACEHOLDER = re.compile(
    r"^\{[^\"'{}]*[\u3040-\u30ff\u3400-\u9fff][^\"'{}]*\}$|^<.*>$|^\.\.\.$|^…$|\|\w+\b.*\]$|^\[[\w ]+-[\w ]+\]$"
)
_SECONDS = {
    "ms": 0.001, "msec": 0.001, "millis": 0.001, "millisecond": 0.001, "milliseconds": 0.001, "毫秒": 0.001,
    "ミリ秒": 0.001,
    "s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1, "秒": 1, "秒钟": 1,
    "m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60, "分": 60, "分钟": 60,
    "h": 3600, "hr": 3600, "hour": 3600, "hours": 3600, "小时": 3600, "時間": 3600,
    "d": 86400, "day": 86400, "days": 86400, "天": 86400, "日": 86400,
    "week": 604800, "weeks": 604800, "周": 604800,
}  # fmt: skip
_BYTES = {letter: 1024**power for power, letter in enumerate("bkmgtp")}
_THOUSANDS = {letter: 1000**power for power, letter in enumerate("bkmgtp")}
_MOST = 1e300


def display(value: Any) -> str:
    """A value as its YAML file would write it on one line: ``null``, ``true``, ``[a, b]``, ``''``."""
    if isinstance(value, list):
        return "[" + ", ".join(_item(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_item(str(key))}: {_item(item)}" for key, item in value.items()) + "}"
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        if not math.isfinite(value):
            return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, str):
        return "''" if value == "" else value if _is_plain(value) else _quoted(value)
    return str(value)


def _item(value: Any) -> str:
    """A value inside a list or mapping, where commas and brackets end a plain text."""
    if isinstance(value, str) and re.search(r"[][{},]|^[:?]", value):
        return _quoted(value)
    return display(value)


def _is_plain(text: str) -> bool:
    """Whether YAML reads a text without quotes as that text."""
    if text != text.strip() or not text.isprintable() or parse_scalar(text) != text or text in ("---", "..."):
        return False
    return not re.match(r"[][{}&*!|>%@`,#?'\"]|[-?:](?:\s|$)|<<$|=$", text) and not re.search(r":(?:\s|$)|\s#", text)


def _quoted(text: str) -> str:
    """A text in double quotes; what a terminal would not print is escaped."""
    inner = json.dumps(text, ensure_ascii=False)
    return "".join(
        c if c.isprintable() else f"\\U{ord(c):08x}" if ord(c) > 0xFFFF else f"\\u{ord(c):04x}" for c in inner
    )


def same(a: Any, b: Any) -> bool:
    """Whether two typed values are the same: numbers by value, texts by letters, ``True`` is not ``1``."""
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        try:
            return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=0) or (math.isnan(a) and math.isnan(b))
        except OverflowError:  # an integer that no float reaches
            return False
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        a, b = _flat(a), _flat(b)
        return {str(k) for k in a} == {str(k) for k in b} and all(
            same(value, {str(k): v for k, v in b.items()}[str(key)]) for key, value in a.items()
        )
    return type(a) is type(b) and bool(a == b)


def _flat(mapping: dict[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Nested keys as dotted ones: ``{a: {b: 1}}`` and ``{a.b: 1}`` say the same."""
    flat: dict[str, Any] = {}
    for key, value in mapping.items():
        if isinstance(value, dict) and value:
            flat.update(_flat(value, f"{prefix}{key}."))
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def compare(documented: str, actual: Any, literal: bool = False) -> str:
    """Whether a documented text states the typed value ``actual``: :data:`SAME`, :data:`DIFFERENT`, :data:`UNREADABLE`.

    ``literal`` says that the text stood as a literal or in a listing, so that a single word is surely a value.
    Raises nothing.
    """
    text = clean(documented)
    readable = False
    for reading in _readings(text, literal):
        readable = True
        if _agrees(reading, actual):
            return SAME
    if readable and not _PLACEHOLDER.search(text) and not _ROUGHLY.match(text):
        return DIFFERENT
    if isinstance(actual, list) and len(actual) > 1 and text.split() == actual:  # a list as a shell writes it
        return SAME
    first = text.split(None, 1)[0] if " " in text else ""  # "-1 for one backend or 0 for the other"
    return SAME if first and compare(first, actual, literal) == SAME else UNREADABLE


@functools.lru_cache(maxsize=16384)
def _readings(text: str, literal: bool) -> tuple[Any, ...]:
    return tuple(readings(text, literal))


@functools.lru_cache(maxsize=16384)
def clean(text: str) -> str:
    """A documented text without the marks and stops around the value."""
    text = " ".join(re.sub(r"[\x01\x02]", "", text).split())
    text = re.sub(r"^\*\*(.+)\*\*$|^``(.+)``$|^`(.+)`$", lambda m: m.group(1) or m.group(2) or m.group(3), text)
    while len(text) > 1 and text[-1] in ".,;:。，；：、" and not re.search(r"\.\.$", text):
        text = text[:-1].rstrip()
    return text


def readings(text: str, literal: bool = False) -> Iterator[Any]:
    """The typed values that a cleaned text may mean, the likeliest first. Nothing where it is a phrase, no value."""
    p = phrases()
    if text == "":
        return
    if re.match(r'^["“”][^"“”]*["“”]$', text):  # one of the two may be typographic
        text = f'"{text[1:-1]}"'
    closing = _QUOTES.get(text[0])
    if closing and len(text) > 1 and text[-1] == closing and closing not in text[1:-1]:
        inner = text[1:-1]
        yield inner
        yield from _words(inner)
        if inner:
            yield parse_scalar(inner)
        return
    yield from _words(text)
    if text[0] in "(（" and text[-1] in ")）" and not _is_tuple(text):
        inner = text[1:-1].strip()
        if not literal or inner.lower() in p.values:
            yield from _in_brackets(inner)
            return
    number = _number(text)
    if number is not None:
        yield number
        if re.fullmatch(r"0[0-7]{3,4}", text):  # the mode of a file
            yield parse_scalar(text)
        yield text
        return
    power = _POWER.match(text)
    if power:
        with contextlib.suppress(ArithmeticError, ValueError):
            yield float(power.group(1)) ** int(power.group(2))
        return
    quantity = _QUANTITY.match(text)
    if quantity and _number(quantity.group(1)) is not None:
        yield _Quantity(_number(quantity.group(1)) or 0, quantity.group(2), text)
        return
    if text[0] in "[{(":
        try:
            value = parse_value("[" + text[1:-1] + "]" if text[0] == "(" and text[-1] == ")" else text)
        except ValueError:
            if text.count(text[0]) != text.count(_PAIRS[text[0]]):
                return  # a slip of the pen, or a part of something longer
            value = text
        yield value
        if text[0] == "[" and isinstance(value, str):
            yield value
        return
    scalar = parse_scalar(text)
    if not isinstance(scalar, str):
        yield scalar
    if text.lower() in _INFINITE:
        yield _INFINITE[text.lower()]
    rough = _ROUGHLY.match(text)
    if rough:
        yield from readings(text.lstrip("~≈><≥≤= "), literal)
        return
    head = re.match(r"^(\S+?|[-+\d.,_]+ [A-Za-z]+)\s*[(（，；]", text)  # a value with a remark: ``52428800 (50MB)``
    if head and clean(head.group(1)) != text:
        yield from readings(clean(head.group(1)), literal)
        return
    if text.lower() in p.values or literal or not (" " in text or _EASTERN.search(text)):
        yield text
    elif _EASTERN.search(text):  # a sentence has no spaces there; it may still be one that gives the value
        label = next((word for word in sorted(p.labels, key=len, reverse=True) if text.startswith(word)), "")
        yield from readings(text[len(label) :].lstrip(" :：为是は"), literal) if label else ()
    elif "," in text and re.fullmatch(r"[\w./:*-]+(?:\s*,\s*[\w./:*-]+)+", text):
        yield [parse_scalar(part.strip()) for part in text.split(",")]
        yield text


def _is_tuple(text: str) -> bool:
    """Whether a text in brackets lists values, as code does; words in brackets are a remark."""
    parts = [part.strip() for part in text[1:-1].split(",")]
    of_words = any(" " in part and part[0] not in _QUOTES for part in parts)
    return text[0] == "(" and len(parts) > 1 and not of_words


def _in_brackets(text: str) -> Iterator[Any]:
    """The values of a text in brackets: a number, a quoted text, a word for a value ("（なし）", "(none)")."""
    if text.lower() in phrases().values:
        yield from _words(text)
    elif _number(text) is not None or text[:1] in _QUOTES or isinstance(parse_scalar(text), bool):
        yield from readings(text)


_PLAIN = {ord(a): b for a, b in (("–", "--"), ("—", "---"), ("“", '"'), ("”", '"'), ("‘", "'"), ("’", "'"))}


class _Quantity:
    """A number with a unit; it agrees with the number alone, or with the same amount in another unit."""

    def __init__(self, number: float, unit: str, text: str) -> None:
        self.number, self.unit, self.text = number, unit.lower(), text

    def amounts(self) -> Iterator[float]:
        if self.number > _MOST:
            return
        yield self.number
        if self.unit == "%":
            yield self.number / 100
        seconds = _SECONDS.get(self.unit)
        if seconds:
            yield self.number * seconds
            yield self.number * seconds * 1000
        letter = self.unit[0]
        if letter in _BYTES and re.fullmatch(r"[bkmgtp](?:i?b?|bytes?|ytes?)|bytes?", self.unit):
            yield self.number * _BYTES[letter]
            yield self.number * _THOUSANDS[letter]


def _agrees(reading: Any, actual: Any) -> bool:
    if isinstance(reading, _Quantity):
        if isinstance(actual, str):
            folded = reading.text.replace(" ", "").lower()
            if actual.replace(" ", "").lower() == folded or (folded[-1] == "%" and actual.lower().startswith(folded)):
                return True  # "75%" for 75%VG: of what, the words around say
            other = _QUANTITY.match(actual)
            if other is None:
                number = _number(actual)
                return number is not None and any(same(a, number) for a in reading.amounts())
            theirs = _Quantity(_number(other.group(1)) or 0, other.group(2), actual)
            return bool({round(a, 9) for a in _base(reading)} & {round(a, 9) for a in _base(theirs)})
        if isinstance(actual, (int, float)) and not isinstance(actual, bool):
            return any(same(a, actual) for a in reading.amounts())
        return False
    if isinstance(reading, _Empty):
        return actual is not None and actual in ("", [], {}) and not isinstance(actual, bool)
    if same(reading, actual):
        return True
    if isinstance(actual, str) and type(reading) in (int, float) and _is_measure_of(actual, reading):
        return True
    if isinstance(actual, str) and isinstance(reading, (bool, int, float)):
        return same(reading, parse_scalar(actual)) or (
            isinstance(reading, bool) and phrases().values.get(actual.lower()) == str(reading).lower()
        )
    if isinstance(actual, str) and isinstance(reading, str):
        return _folded(reading) == _folded(actual)
    if isinstance(actual, list) and isinstance(reading, (str, list)):
        return _same_list(reading, actual)
    if isinstance(actual, str) and isinstance(reading, list):
        return [_folded(str(item)) for item in reading] == [_folded(item) for item in actual.split(",")]
    if reading is None and isinstance(actual, str):
        return actual.lower() in ("none", "null")
    return False


def _is_measure_of(actual: str, number: float) -> bool:
    """Whether a value is ``number`` with a unit of time or size, which a page gives in other words."""
    quantity = _QUANTITY.match(actual)
    if quantity is None or _number(quantity.group(1)) != number:
        return False
    return quantity.group(2).lower() in _SECONDS or re.fullmatch(r"[kmgtp]i?b?", quantity.group(2), re.I) is not None


def _same_list(reading: str | list[Any], actual: list[Any]) -> bool:
    if isinstance(reading, list):
        return len(reading) == len(actual) and all(
            same(a, b) or _folded(str(a)) == _folded(str(b)) for a, b in zip(reading, actual, strict=True)
        )
    parts = [part for part in re.split(r"[,\s]+", reading) if part]
    return (
        bool(parts)
        and len(parts) == len(actual)
        and [_folded(p) for p in parts] == [_folded(str(item)) for item in actual]
    )


def _base(quantity: _Quantity) -> Iterator[float]:
    """The amounts in base units only (bytes, seconds)."""
    amounts = list(quantity.amounts())
    return iter(amounts[1:] or amounts)


def _folded(text: str) -> str:
    """A text for comparison: quotes and white space around it gone, typographic dashes and quotes plain."""
    text = text.strip().translate(_PLAIN)
    text = text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
    return text.removeprefix("./").rstrip("/") or text


class _Empty:
    """The word "empty": an empty text, list or mapping, but not null."""


def _words(text: str) -> Iterator[Any]:
    meaning = phrases().values.get(text.lower())
    negated = phrases().negation.match(text)
    if meaning is None and negated is not None:
        inner = phrases().values.get(text[negated.end() :].lower())
        meaning = {"true": "false", "false": "true"}.get(inner or "")
    if meaning is None and _UNDONE.match(text):
        meaning = "false"
    if meaning == "true":
        yield True
    elif meaning == "false":
        yield False
    elif meaning == "null":
        yield None
    elif meaning == "empty":
        yield _Empty()


def _number(text: str) -> int | float | None:
    if not _NUMBER.match(text):
        return None
    bare = re.sub(r"[_,' ]", "", text).replace("−", "-").replace("–", "-")
    if "," in text and not re.fullmatch(r"[-+−–]?\d{1,3}(?:,\d{3})+(?:\.\d*)?", text):
        return None
    try:
        return int(bare) if re.fullmatch(r"[-+]?\d+", bare) else float(bare)
    except ValueError:
        return None
