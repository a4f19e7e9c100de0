"""What the readers find on a page, and exactly where: the value's line and column in the source.

A page marks what is to be found: ``⟦key|value⟧`` stands for ``value``, found there as the default of ``key``.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.pages import parse_page
from ckpt_defaults.statements import DEFAULTS, SURE, UNKNOWN, Statement
from conftest import write_files
from statement_cases import QUIET, SENTENCES, SHAPES

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


# -- other shapes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    check_page(SHAPES[name], name)


def test_a_sentence_before_a_list_of_keys_speaks_of_each() -> None:
    page = "The following are in seconds, with a default value of 75:\n\n* ``c``\n* ``d``\n\n"
    page += "The default of these is 3:\n\n* ``c`` and more\n* ``d``\n\nBy default ``e`` is 4:\n\n* ``c``\n* ``d``\n"
    assert found_in(page, "p.rst") == [(1, 55, "c", "75"), (1, 55, "d", "75"), (11, 21, "e", "4")]


def test_a_directive_of_some_extension_that_has_a_default_describes_a_setting() -> None:
    page = ".. conf:: a.lr\n   :type: int\n   :default: ``3``\n\n   Text, default 5.\n\n"
    page += ".. plot:: some words\n   :default: 4\n\n.. tab:: a.n\n\n   ``a.n`` defaults to 7.\n"
    assert found_in(page, "p.rst") == [(3, 16, "a.lr", "3"), (5, 18, "a.lr", "5"), (12, 24, "a.n", "7")]


def test_an_empty_cell_has_the_line_of_its_place() -> None:
    page = """
        .. list-table::
           :header-rows: 1

           * - Key
             - Text
             - Default
           * - a.b
             -
             -
           * - a.c
             - text
             -

        === ===== =======
        Key Text  Default
        === ===== =======
        a.d text
        === ===== =======
        """
    lines = {s.key: s.line for s in statements(textwrap.dedent(page).lstrip("\n"), "p.rst")}
    assert lines == {"a.b": 9, "a.c": 12, "a.d": 17}


def test_a_list_below_a_key_is_one_value_without_a_place() -> None:
    found = statements("```yaml\na:\n  - 1\n  - x\nb:\n  c:\n  - y: 2\nd: [1,\n  2]\n```\n", "p.md")
    assert [(s.key, s.documented, s.line, s.span) for s in found] == [
        ("a", "[1, x]", 2, 0), ("b.c.0.y", "2", 7, 1), ("d", "[1, 2]", 8, 0),
    ]  # fmt: skip


def test_a_value_that_stands_as_a_block() -> None:
    page = "# `a.list`\n\nDefault:\n\n```yaml\n- 1\n- 2\n```\n\nText.\n\n```yaml\n- 3\n```\n"
    assert [(s.key, s.documented, s.line) for s in statements(page, "p.md")] == [("a.list", "[1, 2]", 6)]


def test_defaults_before_a_block_of_keys_announce_a_listing() -> None:
    for lead in ("Defaults:", "Default:", "**Default**:"):
        found = statements(f"# `a`\n\n```yaml\nx: 1\n```\n\n{lead}\n\n```yaml\nlr: 1\nn: 2\n```\n", "p.md")
        assert [(s.kind, s.key, s.line, s.cue) for s in found[1:]] == [
            ("listing", "lr", 10, DEFAULTS), ("listing", "n", 11, DEFAULTS),
        ]  # fmt: skip


def test_a_label_reaches_no_further_than_the_next_block() -> None:
    found = statements("# `a`\n\nDefault:\n\nSee below.\n\n```yaml\n- 1\n```\n", "p.md")
    assert found == []


# -- what comes from other files --------------------------------------------------------------------------------------
def test_included_text_is_told_where_it_stands(here: Path) -> None:
    write_files(
        here,
        {
            "docs/inc.rst": "Text.\n\n``a.lr`` defaults to 21.\n\n=== ===\nKey Default\n=== ===\na.n 5\n=== ===\n",
            "docs/part.md": "Text.\n\n`a.t` defaults to 7.\n",
            "docs/table.csv": "Key,Default\na.lr,31\n``a.n``,2\n",
            "docs/some.yaml": "# Default is 3\na:\n  lr: 41\n",
        },
    )
    found = statements(
        ".. include:: inc.rst\n\n.. csv-table::\n   :file: table.csv\n   :header-rows: 1\n\n"
        "Full list of settings:\n\n.. literalinclude:: some.yaml\n   :language: yaml\n\n``a.lr`` defaults to 9.\n\n"
        ".. confval:: a.c\n   :default: 4\n",
        "docs/p.rst",
    )
    found += statements("```{include} part.md\n```\n\n`a.lr` defaults to 9.\n", "docs/p.md")
    assert [(s.file, s.line, s.column, s.span, s.key, s.documented) for s in found] == [
        ("docs/inc.rst", 3, 22, 2, "a.lr", "21"),
        ("docs/inc.rst", 8, 5, 1, "a.n", "5"),
        ("docs/table.csv", 2, 6, 2, "a.lr", "31"),
        ("docs/table.csv", 3, 9, 1, "a.n", "2"),
        ("docs/some.yaml", 3, 7, 2, "a.lr", "41"),
        ("docs/some.yaml", 1, 14, 1, "a", "3"),
        ("docs/p.rst", 12, 22, 1, "a.lr", "9"),
        ("docs/p.rst", 15, 14, 1, "a.c", "4"),
        ("docs/part.md", 3, 19, 1, "a.t", "7"),
        ("docs/p.md", 4, 20, 1, "a.lr", "9"),
    ]


@pytest.mark.parametrize(
    "page",
    [
        ".. include:: ../outside.rst\n",
        ".. literalinclude:: ../outside.yaml\n",
        ".. literalinclude:: /etc/hostname\n",
        ".. literalinclude:: nothing.yaml\n",
        ".. include:: nothing.rst\n",
        ".. include:: page.rst\n",
        ".. csv-table::\n   :file: nothing.csv\n",
        ".. raw:: html\n   :file: ../outside.rst\n",
    ],
)
def test_what_cannot_or_must_not_be_included_is_left_out(
    here: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(
        here,
        {"outside.rst": "``a.lr`` defaults to 1.\n", "outside.yaml": "a: 1\n", "docs/page.rst": page},
    )
    monkeypatch.chdir(here / "docs")
    found = statements(page + "\n``a.n`` defaults to 2.\n", "page.rst")
    assert [(s.key, s.documented) for s in found if s.file == "page.rst"] == [("a.n", "2")]
    assert all(s.file == "page.rst" for s in found)


# -- markers ----------------------------------------------------------------------------------------------------------
RST_MARKER, MD_MARKER, HTML_MARKER = ".. {}", "% {}", "<!-- {} -->"
MARKERS = [("p.rst", RST_MARKER), ("p.md", MD_MARKER), ("p.md", HTML_MARKER)]


def code(name: str, text: str) -> str:
    if name.endswith(".rst"):
        return ".. code-block:: yaml\n\n" + textwrap.indent(text, "   ") + "\n"
    return f"```yaml\n{text}```\n"


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_ignore_takes_the_next_block_out(name: str, marker: str) -> None:
    ignore = marker.format("ckpt-defaults: ignore -- on purpose")
    six, seven = "a: 6\n", "b: 7\n"
    page = (
        f"A `a.lr` defaults to 1.\n\n{ignore}\n\nA `a.lr` defaults to 2.\n\nA `a.lr` defaults to 3.\n\n"
        f"{ignore}\n\n- `a.lr` defaults to 4\n- `a.n` defaults to 5\n\nEnd\n\n{ignore}\n\n{code(name, six)}\n"
        f"{code(name, seven)}"
    )
    page = page.replace("`", "``") if name.endswith(".rst") else page
    assert [s.documented for s in statements(page, name)] == ["1", "3", "7"]


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_ignore_page_takes_the_page_out_wherever_it_stands(name: str, marker: str) -> None:
    page = f"`a.lr` defaults to 1.\n\n{marker.format('ckpt-defaults: ignore-page')}\n\n`a.n` defaults to 2.\n"
    assert statements(page.replace("`", "``"), name) == []


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_root_holds_for_its_section_and_those_below(name: str, marker: str) -> None:
    titles = {".rst": ("One\n===\n", "Two\n---\n", "Three\n=====\n"), ".md": ("# One\n", "## Two\n", "# Three\n")}
    one, two, three = titles[Path(name).suffix]
    say = "``a.lr`` defaults to 1.\n"
    page = "\n".join([one, say, marker.format("ckpt-defaults: root some/file.yaml"), "", say, two, say, three, say])
    assert [s.context.root for s in statements(page, name)] == ["", "some/file.yaml", "some/file.yaml", ""]


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_listing_and_example_decide_for_the_next_block_only(name: str, marker: str) -> None:
    block = code(name, "a: 1\n")
    listing, example = (marker.format(f"ckpt-defaults: {what}") for what in ("listing", "example"))
    page = f"Text.\n\n{block}\n{listing}\n\nFor example:\n\n{block}\n"
    page += f"{example}\n\nThe defaults:\n\n{block}\nText.\n\n{block}"
    assert [s.cue for s in statements(page, name)] == [UNKNOWN, SURE, UNKNOWN]  # nothing in an example is a statement


@pytest.mark.parametrize(("name", "marker"), MARKERS)
def test_other_comments_are_no_markers_and_no_statements(name: str, marker: str) -> None:
    page = "\n\n".join(
        marker.format(text)
        for text in (
            "ckpt-defaults: ignored",
            "ckpt-defaults ignore",
            "a.lr defaults to 1",
            "see ckpt-defaults: ignore",
        )
    )
    assert [s.documented for s in statements(f"{page}\n\n``a.lr`` defaults to 2.\n", name)] == ["2"]


# -- what must stay quiet --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUIET)
def test_quiet(name: str) -> None:
    assert [(s.key, s.documented) for s in statements(textwrap.dedent(QUIET[name]), name)] == []
