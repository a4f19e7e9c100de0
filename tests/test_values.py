"""When two spellings of a value mean the same: one table of cases for each kind of value, then properties."""

from __future__ import annotations

import math
from typing import Any

import pytest
from ckpt_defaults.settings import parse_value
from ckpt_defaults.values import DIFFERENT, SAME, UNREADABLE, clean, compare, display, readings, same
from ckpt_defaults.yaml_scalars import parse_scalar
from hypothesis import example, given, settings
from hypothesis import strategies as st

NOTHING: dict[str, Any] = {"null": None, "''": "", "[]": [], "{}": {}, "false": False}
"""Five values, never one."""

AGREE: dict[str, list[tuple[str, Any]]] = {
    "booleans": [
        ("true", True), ("True", True), ("TRUE", True), ("yes", True), ("on", True), ("enabled", True),
        ("Enabled.", True), ("enable", True), ("turned on", True), ("active", True),
        ("false", False), ("False", False), ("no", False), ("off", False), ("disabled", False), ("turned off", False),
        ("'true'", True), ("``false``", False), ("**True**", True),
    ],
    "booleans in Chinese and Japanese": [
        ("开启", True), ("启用", True), ("打开", True),
        ("是", True), ("关闭", False), ("禁用", False), ("未启用", False),
        ("默认开启", True), ("默认关闭", False), ("默认为开启", True),
        ("有効", True), ("オン", True), ("無効", False), ("オフ", False), ("有効（推奨）", True),
        ("（有効）", True), ("(true)", True),
    ],
    "nothing": [
        ("null", None), ("None", None), ("none", None),
        ("~", None), ("nil", None), ("unset", None), ("not set", None),
        ("undefined", None), ("未设置", None), ("无", None), ("なし", None), ("(none)", None), ("none", "none"),
        ("None", "None"), ("null", "null"),
        ("''", ""), ('""', ""), ("empty", ""), ("empty string", ""),
        ("an empty string", ""), ("空", ""), ("空字符串", ""),
        ("[]", []), ("empty", []), ("an empty list", []),
        ("空列表", []), ("{}", {}), ("empty", {}), ("empty dict", {}),
    ],
    "whole numbers": [
        ("0", 0), ("-0", 0), ("5", 5), ("+5", 5), ("-5", -5), ("−5", -5), ("–5", -5), ("5.", 5), ("5.0", 5),
        ("1,024", 1024), ("1_024", 1024), ("1 024", 1024), ("1'024", 1024), ("2,000,000", 2_000_000), ("1e3", 1000),
        ("1E3", 1000), ("2^16", 65536), ("2**16", 65536), ("0x10", 16), ("'12'", 12), ("12", "12"), ("5 (five)", 5),
        ("(5)", 5),
        ("52428800 (50MB)", 52428800), ("1（默认）", 1), ("~5", 5), ("≈ 5", 5), (">=1", 1),
        ("123456789012345678901234567890", 123456789012345678901234567890),
    ],
    "fractions": [
        ("0.001", 0.001), ("0.001.", 0.001), (".5", 0.5), ("0.", 0.0), ("0", 0.0), ("1", 1.0), ("1e-6", 1e-6),
        ("1.0e-06", 1e-6), ("1E-6", 1e-6), ("10^-6", 1e-6), ("0.000001", 1e-6), ("1e-6", "1e-6"), ("0.10", 0.1),
        ("1,000.5", 1000.5), ("1.10", "1.10"), ("0.5，表示一半", 0.5), ("1e999", math.inf),
        (".inf", math.inf), ("inf", math.inf), ("-inf", -math.inf), ("Infinity", math.inf), ("nan", math.nan),
    ],
    "units": [
        ("300 seconds", 300), ("300s", 300), ("300 s.", 300), ("5 minutes", 300), ("5 minutes", 5), ("5 min", 300000),
        ("1 h", 3600), ("1 day", 86400), ("1 week", 604800),
        ("100ms", 0.1), ("100 ms", 100), ("5 minutes (300 s)", 300),
        ("5分钟", 300), ("5 小时", 18000), ("200毫秒", 0.2), ("2 時間", 7200), ("3個", 3),
        ("1024MB", 1024), ("1 GB", 1024**3), ("1 GB", 10**9), ("16 GiB", 16 * 1024**3), ("1KB", 1024), ("2k", 2000),
        ("50MB", 52428800), ("50MB", "50 MB"), ("50MB", "52428800"), ("5.0GB", "5GB"), ("1.5k", 1500),
        ("50%", 0.5), ("50 %", 50), ("3 apples", 3),
        ("1,024 tokens", 1024), ("3x", 3), ("10s", "10s"), ("100m", "100m"),
    ],
    "texts": [
        ("adam", "adam"), ("'adam'", "adam"), ('"adam"', "adam"), ("“adam”", "adam"), ("‘adam’", "adam"),
        ("「adam」", "adam"), ('"adam”', "adam"),
        ("`adam`", "adam"), ("``adam``", "adam"), ("**adam**", "adam"), ("adam.", "adam"),
        ("adam,", "adam"), ("adam。", "adam"), ("v1.2", "v1.2"), ("1.2.3", "1.2.3"), ("auto", "auto"),
        ("v1 (the newest)", "v1"), ("true", "yes"), ("True", "true"), ("{a} {b}", "{a} {b}"),
    ],
    "paths": [
        ("~/x", "~/x"), ("path/", "path"), ("./x", "x"), ("x", "./x/"), ("$HOME/x", "$HOME/x"), ("/", "/"),
        ("/etc/nginx/nginx.conf", "/etc/nginx/nginx.conf"), ("C:\\x", "C:\\x"),
    ],
    "lists": [
        ("[1, 2]", [1, 2]), ("[1,2]", [1, 2]), ("(1, 2)", [1, 2]),
        ("['a', \"b\"]", ["a", "b"]), ("[a, b]", ["a", "b"]), ("(a, b)", ["a", "b"]), ("('a b', c)", ["a b", "c"]),
        ("a, b", ["a", "b"]), ("a,b", ["a", "b"]), ("a b", ["a", "b"]),
        ("[a]", ["a"]), ("a", ["a"]), ("[0.9, 0.999]", [0.9, 0.999]),
        ("[1e-6]", [1e-6]), ("[[1], [2]]", [[1], [2]]), ("1,2", "1,2"), ("[null, true]", [None, True]),
    ],
    "mappings": [
        ("{a: 1}", {"a": 1}), ("{'a': 1}", {"a": 1}), ('{"a": 1}', {"a": 1}), ("{b: 2, a: 1}", {"a": 1, "b": 2}),
        ("{a: {b: 1}}", {"a": {"b": 1}}), ("{a.b: 1}", {"a": {"b": 1}}), ("{1: x}", {"1": "x"}),
    ],
}  # fmt: skip
DIFFER: dict[str, list[tuple[str, Any]]] = {
    "booleans": [
        ("true", False), ("enabled", False), ("off", True), ("1", True), ("0", False), ("true", 1), ("false", 0),
        ("默认开启", False), ("关闭", True), ("無効", True), ("'false'", True), ("does not filter", True),
    ],
    "the five nothings": [
        (said, value) for said, own in NOTHING.items() for value in NOTHING.values() if value is not own
    ] + [("0", value) for value in NOTHING.values()] + [("empty", None), ("empty", False), ("none", ""), ("none", [])],
    "numbers": [
        ("5", 6), ("-5", 5), ("1,02", 102), ("1e-6", 1e-7),
        ("(5)", 6), ("0.1", 0.10001), ("1.2.3", 1.2), ("010", 8), ("5", "6"),
        ("1000000000", 1000000001), ("0.5，表示一半", 0.6), ("2 (or 1)", 1), ("inf", 1), ("nan", 0), ("9" * 400, 1.5),
        ("1", 10**400), ("1.5", 10**400), ("1e400", 10**300),
    ],
    "units": [
        ("5 minutes", 6), ("5 minutes", 301), ("50%", 0.4),
        ("1 GB", 2), ("3 apples", 4), ("10s", "20s"), ("50MB", "5MB"), ("10", "11s"), ("10", "10 apples"),
        ("5分钟", 6), ("300 seconds", True), ("300 seconds", None),
    ],
    "texts": [
        ("adam", "sgd"), ("adam", "Adam"), ("'a'", "b"), ("auto", 5), ("adam", None), ("~/x", "~/y"), ("x/y", "x"),
    ],
    "lists and mappings": [
        ("[1, 2]", [2, 1]), ("[1, 2]", [1, 2, 3]), ("[1]", 1), ("[]", [1]), ("{a: 1}", {"a": 2}), ("{a: 1}", {}),
        ("{a: 1}", {"a": 1, "b": 2}), ("[true]", [1]), ("a, b", ["a"]),
    ],
}  # fmt: skip
SAYS_NOTHING: list[tuple[str, Any]] = [
    ("", 5), (" ", 5), ("the value of the other", 5), ("some words here", "x"), ("<name>", 5), ("...", 5), ("…", 5),
    ("[a|b]", "a"), ("{用户名:密码}", None), ("见下文说明", 5), ("取决于模型", 5),
    ("(required)", "x"), ("(see below, then decide)", ["x"]), ("（モデルによる）", "x"),
        ("(a)", "b"), ("a b", ["a", "c"]),
    ("モデルによる", 5), ("~5", 6), ("≥ 1", 2), ("some words (x)", 3),
    ("2^10000", 1), ("10^99999999999", 1), ("0^-1", 1),
]  # fmt: skip


def cases(table: dict[str, list[tuple[str, Any]]]) -> list[Any]:
    return [
        pytest.param(*case, id=f"{kind}: {case[0][:20]} {str(case[1])[:20]}") for kind in table for case in table[kind]
    ]


@pytest.mark.parametrize(("documented", "actual"), cases(AGREE))
def test_agrees(documented: str, actual: Any) -> None:
    assert compare(documented, actual) == SAME


@pytest.mark.parametrize(("documented", "actual"), cases(DIFFER))
def test_differs(documented: str, actual: Any) -> None:
    assert compare(documented, actual) == DIFFERENT
    assert compare(documented, actual, literal=True) == DIFFERENT


@pytest.mark.parametrize(("documented", "actual"), SAYS_NOTHING)
def test_says_nothing_that_a_rule_reads(documented: str, actual: Any) -> None:
    assert compare(documented, actual) == UNREADABLE


def test_a_literal_is_surely_a_value() -> None:
    for said in ("some words", "the value", "模型"):
        assert compare(said, "x") == UNREADABLE
        assert compare(said, "x", literal=True) == DIFFERENT
        assert compare(said, said, literal=True) == SAME
    assert compare("a b", ["a", "b"], literal=True) == SAME


def test_marks_and_stops_come_off() -> None:
    assert clean(" ``x``. ") == "``x``"
    assert clean("**x**") == "x"
    assert clean("\x01x\x02,") == "x"
    assert clean("x.。;") == "x"
    assert clean("...") == "..."
    assert clean(".") == "."
    assert list(readings("")) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"), (True, "true"), (False, "false"), ("", "''"), ([], "[]"), ({}, "{}"), (1e-6, "1e-06"),
        (0.1, "0.1"), (1.0, "1"), (1 / 3, "0.3333333333333333"), (math.inf, ".inf"), (-math.inf, "-.inf"),
        (math.nan, ".nan"), ("a b", "a b"), ("1", '"1"'), ("true", '"true"'), ("null", '"null"'), ("~", '"~"'),
        ("1e-6", '"1e-6"'), ("2024-01-01", "2024-01-01"), ("a: b", '"a: b"'), ("a #b", '"a #b"'), ("a#b", "a#b"),
        ("- a", '"- a"'), ("-a", "-a"), ("[a", '"[a"'), ("*a", '"*a"'), (" a", '" a"'), ("a\nb", '"a\\nb"'),
        ("=", '"="'), ("中文", "中文"), ("a, b", "a, b"),
        (["a, b", 1], '["a, b", 1]'), ({"a": [1, None]}, "{a: [1, null]}"),
        ("\x1b[31m", '"\\u001b[31m"'), ("\x9b1m", '"\\u009b1m"'), ("\u202eabc", '"\\u202eabc"'),
    ],
)  # fmt: skip
def test_shown_as_the_yaml_would_write_it(value: Any, text: str) -> None:
    assert display(value) == text


def test_typed_values_are_the_same_by_value_and_never_across_kinds() -> None:
    assert same(1, 1.0)
    assert same(0.1 + 0.2, 0.3)
    assert not same(10**18, 10**18 + 1)
    assert same({"a": {"b": 1}}, {"a.b": 1.0})
    assert same({1: "x"}, {"1": "x"})
    assert not same({"a": {}}, {})
    for a in NOTHING.values():
        for b in NOTHING.values():
            assert same(a, b) == (a is b)
    assert not same(True, 1)
    assert not same("1", 1)
    assert not same([1], (1,))


# -- properties -------------------------------------------------------------------------------------------------------
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    [
        "- x",
        "a: b",
        "x, y",
        "[",
        "1e-6",
        "null",
        "yes",
        "=",
        "<<",
        "---",
        "?",
        ": x",
        ":0",
        "#",
        "a:",
        "\t",
        "0x1f",
        "1:30",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = st.recursive(SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(TEXTS, c, max_size=3), max_leaves=6)
WRITTEN = TEXTS | st.text("0123456789.,-+eE%^*() _kMGBs[]{}\"'`~:默认为个", max_size=12)


@given(VALUES)
@example("\x85")
@settings(deadline=None)
def test_what_is_shown_reads_as_the_value_on_one_line(value: Any) -> None:
    text = display(value)
    assert text.isprintable() or " " in text
    assert "\n" not in text
    assert same(parse_value(text), value)
    if not isinstance(value, (str, list, dict)):
        assert compare(text, value, literal=True) == SAME


@given(WRITTEN, VALUES, st.booleans())
@example("1" * 5000, 1, False)
@example("0x" + "f" * 5000, 1, True)
@example("1e400 s", 10**400, False)
@example("9" * 400 + "%", 0.5, False)
@settings(deadline=None)
def test_comparing_never_fails(text: str, value: Any, literal: bool) -> None:
    assert compare(text, value, literal) in (SAME, DIFFERENT, UNREADABLE)


@given(WRITTEN)
@settings(deadline=None)
def test_a_scalar_is_typed_or_itself(text: str) -> None:
    value = parse_scalar(text)
    assert value is None or isinstance(value, (bool, int, float)) or value == text


@given(st.sampled_from(sorted(NOTHING)), st.sampled_from(sorted(NOTHING)))
def test_no_nothing_is_another(a: str, b: str) -> None:
    assert (compare(a, NOTHING[b], literal=True) == SAME) == (a == b)
