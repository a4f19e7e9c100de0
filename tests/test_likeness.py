"""What counts as the same page but for its values."""

from __future__ import annotations

import pytest
from ckpt_defaults.fixing.likeness import Unlike, check_alike
from ckpt_defaults.parsing import parse


def compare(before: str, after: str, *edits: tuple[str, str]) -> None:
    check_alike(parse("page.rst", before, "."), parse("page.rst", after, "."), edits)


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("a is 1", "a is 1", []),
        ("a is 1", "a is 2", [("1", "2")]),
        ("a is 1", "a is 10", [("1", "10")]),
        ("a is 10", "a is 1", [("10", "1")]),
        ("11 and 1", "11 and 111", [("1", "111")]),
        ("x 1, y 2, z 1", "x 2, y 1, z 2", [("1", "2"), ("2", "1")]),
        ("``true`` or true", "``false`` or false", [("true", "false")]),
        ("abab", "abcab", [("ab", "abc")]),
    ],
)
def test_alike(before: str, after: str, edits: list[tuple[str, str]]) -> None:
    compare(before, after, *edits)


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        ("a is 1", "a is 2", []),
        ("a is 1", "a is 2", [("1", "3")]),
        ("a is 1", "b is 2", [("1", "2")]),
        ("a is 1", "a is 2 more", [("1", "2")]),
        ("a is x", "a is *x*", [("x", "*x*")]),
        ("a is x", "a is ``x", [("x", "``x")]),
        ("a is x_", "a is x", [("x_", "x")]),
        ("1. one", "one", [("1. one", "one")]),
        ("Seed 1\n======\n\nx", "Seed 2\n======\n\nx", [("1", "2")]),
        ("- a\n- 1", "- a\n\n 1", [("- 1", "1")]),
    ],
)
def test_unlike(before: str, after: str, edits: list[tuple[str, str]]) -> None:
    with pytest.raises(Unlike):
        compare(before, after, *edits)


def test_long_texts_are_compared_in_time() -> None:
    """A thousand values in one block, each changed; a comparison that tries every combination would not end."""
    before = "::\n\n" + "\n".join(f"   key_{n}: 1" for n in range(1000))
    compare(before, before.replace(": 1", ": 11"), ("1", "11"))
    with pytest.raises(Unlike):
        compare(before, before.replace(": 1", ": 11") + "x", ("1", "11"))
