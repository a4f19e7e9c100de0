"""What is done the quick way gives what the slow way gives, and leaves the process as it was."""

from __future__ import annotations

import contextlib
import csv
import gc
import json
import random
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults import pages, parsing
from ckpt_defaults.cli import main
from ckpt_defaults.command import check
from ckpt_defaults.phrases import phrases
from ckpt_defaults.statements import blocks
from conftest import write_files
from test_statements import RST_PLACES, SENTENCES, SHAPES, in_place, unmark

ROOT = Path(__file__).resolve().parent.parent


def rst_pages() -> Iterator[str]:
    yield from (unmark(textwrap.dedent(text))[0] for name, text in SHAPES.items() if name.endswith("rst"))
    for around in RST_PLACES.values():
        yield unmark(in_place(SENTENCES[next(iter(SENTENCES))].replace("`", "``"), around))[0]
    for file in (ROOT / "docs").rglob("*.rst"):
        yield file.read_text(encoding="utf-8")


def test_states_made_when_they_are_entered_parse_as_all_of_them_do(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = list(rst_pages())
    quick = [parsing.parse("page.rst", text, ".").pformat() for text in texts]
    monkeypatch.setattr(parsing, "_quick_machines", contextlib.nullcontext)
    slow = [parsing.parse("page.rst", text, ".").pformat() for text in texts]
    assert len(texts) > 40
    assert quick == slow


def test_the_parser_is_docutils_own_again_after_a_page() -> None:
    from docutils.parsers.rst.states import NestedStateMachine, RSTState

    cache = RSTState.nested_sm_cache
    parsing.parse("page.rst", "* one\n\n  * two\n", ".")
    assert RSTState.nested_sm is NestedStateMachine
    assert RSTState.nested_sm_cache is cache


def test_a_markdown_page_keeps_its_own_settings_and_gives_none_to_the_next() -> None:
    pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")
    own = "---\nmyst:\n  enable_extensions: [dollarmath]\n---\n"
    kinds = [
        [type(node).__name__ for node in parsing.parse("page.md", head + "So $x$ is `1`.\n", ".").findall()]
        for head in ("", own, "", own)
    ]
    assert "math" in kinds[1]
    assert "math" not in kinds[0]
    assert kinds[:2] == kinds[2:]


def test_what_stands_behind_a_value_is_there_wherever_the_sentence_is() -> None:
    with (ROOT / "docs" / "reference" / "sentences.csv").open(encoding="utf-8") as stream:
        texts = [cell for row in csv.reader(stream) for cell in row]
    texts = [re.sub(r"`+([^`]+)`+", "\x01\\1\x02", text) for text in [*texts, *SENTENCES.values()]]
    found = 0
    for pattern in phrases().patterns:
        for text in texts:
            hits = [hit.span() for hit in pattern.regex.finditer(text)]
            found += len(hits) if pattern.behind else 0
            assert [hit.span() for hit in pattern.find(text, 0, len(text))] == hits, (pattern.regex.pattern, text)
    assert found > 10


def test_whole_words_are_found_as_a_pattern_finds_them() -> None:
    chance = random.Random(7)
    for _ in range(5000):
        raw = "".join(chance.choices("ab_1 .-é", k=chance.randrange(1, 24)))
        wanted = "".join(chance.choices("ab_1 .-é", k=chance.randrange(1, 4)))
        begin, end = sorted(chance.choices(range(len(raw) + 1), k=2))
        left = r"(?<![A-Za-z0-9_])" if re.match(r"[A-Za-z0-9_]", wanted) else ""
        right = r"(?![A-Za-z0-9_])" if re.search(r"[A-Za-z0-9_]$", wanted) else ""
        hit = re.compile(left + re.escape(wanted) + right).search(raw, begin, end)
        assert blocks._whole(raw, begin, end, wanted) == (hit.start() if hit else -1), (raw, begin, end, wanted)


def test_a_page_is_made_of_what_it_includes_and_not_of_what_others_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"part.txt": "A part.\n", "a.rst": ".. include:: part.txt\n", "b.rst": "Whole.\n"})
    monkeypatch.chdir(tmp_path)
    made_of = [pages.parse_dependencies(pages.parse_page(f, Path(f).read_text())[0]) for f in ("a.rst", "b.rst")]
    assert [[Path(part).name for part in parts] for parts in made_of] == [["part.txt"], []]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {"c.yaml": "a: {lr: 1}\n"})
    write_files(tmp_path, {f"docs/{n:02}.rst": f"``a.lr`` defaults to {n}.\n" for n in range(40)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(*args: str) -> int:
    return main(["check", "docs", "--config", "c.yaml", *args])


def test_the_collector_works_again_after_a_check(site: Path) -> None:
    assert checked("--no-cache", "-j", "1") == 1
    assert gc.isenabled()
    assert checked("--config", "nowhere.yaml") == 2
    assert gc.isenabled()


@pytest.mark.parametrize("ending", [".rst", ".md"])
def test_the_trees_of_pages_are_given_back(site: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    if ending == ".md":
        pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")
    from docutils import nodes

    kept: list[int] = []
    judge = pages._judge_and_tidy

    def counted(file: str) -> Any:
        found = judge(file)
        trees = (each for each in gc.get_objects() if isinstance(each, nodes.document))
        kept.append(sum(str(tree["source"]).endswith(f"p{ending}") for tree in trees))
        return found

    for page in (site / "docs").iterdir():
        page.rename(page.with_name(f"{page.stem}p{ending}"))
    monkeypatch.setattr(pages, "_judge_and_tidy", counted)
    assert checked("--no-cache", "-j", "1") == 1
    assert kept == [0] * 40


def test_what_was_known_is_not_written_again(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = site / ".ckpt-defaults-cache" / "pages.json"
    checked()
    first = memory.stat().st_ino
    capsys.readouterr()
    checked("--format", "json")
    assert len(json.loads(capsys.readouterr().out)["claims"]) == 39
    assert memory.stat().st_ino == first
    write_files(site, {"docs/00.rst": "``a.lr`` defaults to 1.\n"})
    checked()
    assert memory.stat().st_ino != first


def test_all_cores_are_used_and_no_process_has_too_few_pages(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    context = pages.multiprocessing.get_context("fork")
    pool = context.Pool

    def noted(jobs: int) -> Any:
        made.append(jobs)
        return pool(1)

    monkeypatch.setattr(type(context), "Pool", lambda self, jobs: noted(jobs))
    monkeypatch.setattr(check, "_cores", lambda: 64)
    checked("--no-cache")
    checked("--no-cache", "-j", "2")
    for number in range(15, 40):
        (site / "docs" / f"{number}.rst").unlink()
    checked("--no-cache")
    assert made == [5, 2]
