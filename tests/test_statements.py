"""What the readers find on a page, and exactly where: the value's line and column in the source.

A page marks what is to be found: ``⟦key|value⟧`` stands for ``value``, found there as the default of ``key``.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.pages import parse_page
from ckpt_defaults.statements import DEFAULTS, EXAMPLE, SURE, UNKNOWN, Statement
from conftest import write_files

pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")

_MARK = re.compile(r"⟦([^|⟧]*)\|([^⟧]*)⟧")
Wanted = list[tuple[int, int, str, str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def unmark(text: str) -> tuple[str, Wanted]:
    """The page without its marks, and what they want: line, column, key, value."""
    lines, wanted = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        while hit := _MARK.search(line):
            wanted.append((number, hit.start() + 1, *hit.groups()))
            line = line[: hit.start()] + hit.group(2) + line[hit.end() :]
        lines.append(line)
    return "\n".join(lines), wanted


def statements(text: str, name: str) -> list[Statement]:
    Path(name).write_text(text, encoding="utf-8")
    return parse_page(name, text)[1].statements


def found_in(text: str, name: str) -> Wanted:
    return sorted((s.line, s.column, s.key, s.documented) for s in statements(text, name))


def check_page(marked: str, name: str) -> None:
    text, wanted = unmark(textwrap.dedent(marked).strip("\n") + "\n")
    found = statements(text, name)
    assert sorted((s.line, s.column, s.key, s.documented) for s in found) == sorted(wanted)
    for s in found:
        assert text.split("\n")[s.line - 1][s.column - 1 :][: s.span] == s.documented
        assert s.file == name


# -- sentences, in every kind of place ------------------------------------------------------------------------------
SENTENCES = {
    "of": "The default of `a.lr` is ⟦a.lr|0.1⟧.",
    "defaults to": "`a.lr` defaults to ⟦a.lr|0.1⟧, as it should.",
    "brackets": "`a.lr` (default ⟦a.lr|0.1⟧) is the rate.",
    "typed brackets": "`a.lr` (float, default: ⟦a.lr|0.1⟧)",
    "before": "Use `a.lr` = ⟦a.lr|5⟧ (default) or more.",
    "by default": "By default, `a.lr` is ⟦a.lr|0.1⟧.",
    "words": "`a.on` is ⟦a.on|enabled⟧ by default.",
    "elliptic": "`a.x` defaults to ⟦a.x|3⟧, `a.y` to ⟦a.y|2⟧ and `a.z` to ⟦a.z|1⟧.",
    "unit": "`a.t` defaults to ⟦a.t|300 seconds⟧ or so.",
    "literal": "The default value of `a.n` is `⟦a.n|some words⟧`.",
    "quoted": "`a.n` defaults to ⟦a.n|'adam'⟧.",
    "list": "`a.l` defaults to ⟦a.l|[1, 2]⟧.",
    "trailing stop": "`a.lr` defaults to ⟦a.lr|0.001⟧.",
    "bare key": "By default, a.long_name is ⟦a.long_name|7⟧.",
    "the same number before": "With 2 and 0.1 at hand, `a.lr` (0.1 is too much) defaults to ⟦a.lr|0.1⟧.",
    "next line": "The default of `a.lr`\nis ⟦a.lr|0.1⟧.",
    "value on the next line": "`a.lr` defaults to\n⟦a.lr|0.1⟧.",
    "strong": "`a.lr`: the rate. **Default**: ⟦a.lr|0.1⟧",
    "Chinese": "`a.lr` 默认值为 ⟦a.lr|0.1⟧。",
    "Chinese without spaces": "学习率`a.lr`的默认值是⟦a.lr|4⟧，`a.on`默认⟦a.on|关闭⟧。",
    "Chinese word": "优化器`a.n`默认为⟦a.n|adam⟧。",
    "Chinese bool": "`a.on`默认为⟦a.on|true⟧。",
    "Chinese number with a measure": "`a.n`默认是⟦a.n|5分钟⟧。",
    "Chinese brackets": "`a.lr`（默认⟦a.lr|5⟧）",
    "traditional Chinese": "`a.lr` 預設為 ⟦a.lr|5⟧。",
    "Japanese": "`a.lr`の既定値は⟦a.lr|5⟧です。",
    "Japanese word": "`a.n`のデフォルトは⟦a.n|adam⟧です。",
    "Japanese bool": "`a.on`は既定では⟦a.on|無効⟧です。",
    "Japanese brackets": "`a.lr`（デフォルト：⟦a.lr|5⟧）",
    "Japanese, the key behind": "デフォルトでは`a.lr`は⟦a.lr|5⟧です。",
}
RST_PLACES = {
    "page": "{}",
    "admonition": ".. note::\n\n   {}",
    "admonition on its line": ".. tip:: Mind:\n\n   {}",
    "tab": ".. tabs::\n\n   .. tab:: One\n\n      {}",
    "only": ".. only:: html\n\n   {}",
    "unknown": ".. some-thing:: argument\n   :option: value\n\n   {}",
    "quote": "Text:\n\n   {}",
    "bullet": "- item\n\n  - inner\n\n    {}",
    "section": "Title\n=====\n\nText.\n\nMore\n----\n\n{}",
    "behind tables": "== ==\nA  B\n== ==\n1  2\n== ==\n\n{}",
}
MD_PLACES = {
    "page": "{}",
    "admonition": ":::{{note}}\n{}\n:::",
    "backtick admonition": "```{{warning}}\n:class: x\n\n{}\n```",
    "tab": "::::{{tab-set}}\n:::{{tab-item}} One\n{}\n:::\n::::",
    "only": "```{{only}} html\n{}\n```",
    "unknown": ":::{{some-thing}} argument\n{}\n:::",
    "quote": "> {}",
    "bullet": "- item\n  - inner\n\n    {}",
    "section": "# Title\n\nText.\n\n## More\n\n{}",
    "rst in it": "```{{eval-rst}}\n.. note::\n\n   {}\n```",
}


def in_place(sentence: str, place: str) -> str:
    """The sentence put where ``{}`` stands, its lines indented alike."""
    line = next(line for line in place.split("\n") if "{}" in line)
    before = line[: line.index("{}")]
    lead = before if before.strip() == ">" else " " * len(before)
    return place.format(sentence.replace("\n", "\n" + lead))


@pytest.mark.parametrize("place", RST_PLACES)
@pytest.mark.parametrize("shape", SENTENCES)
def test_sentences_in_rst(shape: str, place: str) -> None:
    check_page("Intro.\n\n" + in_place(SENTENCES[shape].replace("`", "``"), RST_PLACES[place]), "p.rst")


@pytest.mark.parametrize("place", MD_PLACES)
@pytest.mark.parametrize("shape", SENTENCES)
def test_sentences_in_markdown(shape: str, place: str) -> None:
    sentence = SENTENCES[shape]
    check_page(
        "Intro.\n\n" + in_place(sentence.replace("`", "``") if "rst" in place else sentence, MD_PLACES[place]), "p.md"
    )
