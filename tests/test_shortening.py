"""Two values in a message: told apart however long they are."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.shortening import LONGEST, shown, shown_apart
from ckpt_defaults.values import display
from conftest import write_files
from hypothesis import given
from hypothesis import strategies as st

NAMES = [f"module_number_{n}" for n in range(60)]
TEXT = "word " * 100


def listed(items: object) -> str:
    return display(items)


def quoted(items: list[str]) -> str:
    return "[" + ", ".join(f"'{item}'" for item in items) + "]"


@pytest.mark.parametrize(
    ("said", "actual", "wanted"),
    [
        ("7", "42", ("7", "42")),
        ("7\n8", "\x1b[1m", ("7 8", "\ufffd[1m")),
        # lists: from the item before the first that differs
        (
            listed(NAMES),
            listed([*NAMES[:40], "other", *NAMES[41:]]),
            ("[…, module_number_39, module_number_40, ", "[…, module_number_39, other, "),
        ),
        (listed(NAMES), listed(NAMES[:-1]), ("[…, module_number_58, module_number_59]", "[…, module_number_58]")),
        (quoted(NAMES), listed(NAMES[:-1]), ("[…, module_number_58, module_number_59]", "[…, module_number_58]")),
        (listed(NAMES[1:]), listed(NAMES), ("[module_number_1, ", "[module_number_0, ")),
        (listed(NAMES), "[]", ("[module_number_0, ", "[]")),
        (listed(NAMES), "null", ("[module_number_0, ", "null")),
        (listed([*NAMES, 1.0]), listed([*NAMES, 2]), ("[…, module_number_59, 1]", "[…, module_number_59, 2]")),
        # mappings: what differs alone
        (
            listed({**dict.fromkeys(NAMES, 1), "last": 2}),
            listed({**dict.fromkeys(NAMES, 1), "last": 3, "more": 4}),
            ("{…, last: 2}", "{…, last: 3, more: 4}"),
        ),
        # texts: from a little before the place where they part
        (TEXT + "one", TEXT + "two", ("…word ", "…word ")),
        ("x" + TEXT, "y" + TEXT, ("xword ", "yword ")),
    ],
)
def test_shown_apart(said: str, actual: str, wanted: tuple[str, str]) -> None:
    found = shown_apart(said, actual)
    assert found[0] != found[1]
    for text, begins in zip(found, wanted, strict=True):
        assert text.startswith(begins), text
        assert len(text) <= LONGEST + 2 * len(NAMES[-1])


def test_a_value_by_itself_is_cut_at_its_end() -> None:
    assert shown(TEXT) == TEXT[: LONGEST - 1] + "…"
    assert shown("a\tb") == "a b"


WORDS = st.text(string.ascii_letters, min_size=1, max_size=12)


@given(st.lists(WORDS, min_size=20, max_size=80), st.data())
def test_one_changed_item_is_seen_wherever_it_is(items: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(items) - 1))
    changed = [*items[:at], items[at] + "_", *items[at + 1 :]]
    said, actual = shown_apart(quoted(items), listed(changed))
    assert items[at] + "_" in actual
    assert said != actual


def test_the_message_tells_them_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    wrong = quoted([*NAMES[:50], "other", *NAMES[51:]])
    files = {
        "conf.yaml": f"names: {listed(NAMES)}\n",
        "page.md": f"| key | default |\n|---|---|\n| `names` | `{wrong}` |\n",
    }
    write_files(tmp_path, files)
    assert main(["check", "page.md", "--config", "conf.yaml"]) == 1
    told = capsys.readouterr().out.split("; write")[0]
    assert "names is documented as […, module_number_49, other, module_number_51" in told
    assert "conf.yaml:1 says […, module_number_49, module_number_50, module_number_51" in told
    assert main(["check", "page.md", "--config", "conf.yaml", "--fix"]) == 1
    told = capsys.readouterr().out
    assert "as […, module_number_49, module_number_50, " in told
    assert "instead of […, module_number_49, other, " in told
