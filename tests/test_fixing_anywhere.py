"""The fix on pages that nobody wrote for it: generated ones, and the corpora with changed values."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from ckpt_defaults.cache import Cache
from ckpt_defaults.checks import load_project, run_check
from ckpt_defaults.fixing.checks import Judge, PageChecker
from ckpt_defaults.fixing.edits import FixedFile, fix
from ckpt_defaults.judging.checking import Rules
from ckpt_defaults.options import Options
from ckpt_defaults.pages import parse_page
from ckpt_defaults.roots import find_project
from ckpt_defaults.verdicts import DISAGREES, Verdict
from conftest import ROOT
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

CONFIG = "lr: 1e-6\nseed: 42\nuse_kl: false\nname: adam\nratio: 0.5\npath: null\nbetas: [0.9, 0.95]\nempty: ''\n"
KEYS = ("lr", "seed", "use_kl", "name", "ratio", "path", "betas", "empty")
VALUES = (
    "1e-5", "1e-6", "7", "42", "4.2", "True", "False", "true", "false", "None", "null", "adam", "'adam'", '"sgd"',
    "sgd", "0.5", "[1, 2]", "[0.9, 0.95]",
    "是", "yes", "no", "5 seconds", "''", "a_b", "x|y", "*", "50%", "\\alpha", "a, b",
)  # fmt: skip
WORDS = st.sampled_from(
    ("the", "value", "7", "42", "``seed``", "默认", "*often*", "is", "`x`", "1e-5", "true", "(see below)")
)
KEY, VALUE = st.sampled_from(KEYS), st.sampled_from(VALUES)


def width(text: str) -> int:
    return sum(2 if "\u2e80" < char < "\uff60" else 1 for char in text)


def padded(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


@st.composite
def sentences(draw: st.DrawFn) -> str:
    key, value = draw(KEY), draw(VALUE)
    literal = draw(st.sampled_from(("{}", "``{}``", "**{}**"))).format(value)
    form = draw(
        st.sampled_from(
            (
                "``{k}`` defaults to {v}.",
                "The default of ``{k}`` is {v}, see there.",
                "- ``{k}`` (default: {v})",
                "* ``{k}``：默认值为 {v}。",
                "``{k}``\n  default: {v}",
            )
        )
    )
    before, after = (" ".join(draw(st.lists(WORDS, max_size=4))) for _ in range(2))
    text = form.format(k=key, v=literal)
    return f"{text} {after}" if text[0] in "-*`" else f"{before} {text} {after}".strip()


@st.composite
def grid_tables(draw: st.DrawFn) -> str:
    rows = [(f"``{key}``", value, " ".join(words)) for key, value, words in draw(
        st.lists(st.tuples(KEY, VALUE, st.lists(WORDS, max_size=2)), min_size=1, max_size=4)
    )]  # fmt: skip
    rows = [("key", "Default", "text"), *rows]
    extra = draw(st.integers(0, 4))
    columns = [max(width(row[i]) for row in rows) + extra for i in range(3)]
    rule = "+" + "+".join("-" * (c + 2) for c in columns) + "+"
    lines = [rule]
    for number, row in enumerate(rows):
        lines.append("|" + "|".join(f" {padded(cell, c)} " for cell, c in zip(row, columns, strict=True)) + "|")
        lines.append(rule.replace("-", "=") if number == 0 else rule)
    return "\n".join(lines)


@st.composite
def simple_tables(draw: st.DrawFn) -> str:
    rows = [("key", "Default", "text"), *draw(st.lists(st.tuples(KEY, VALUE, WORDS), min_size=1, max_size=4))]
    extra = draw(st.integers(1, 4))
    columns = [max(width(row[i]) for row in rows) + extra for i in range(3)]
    rule = "  ".join("=" * c for c in columns)
    body = ["  ".join(padded(cell, c) for cell, c in zip(row, columns, strict=True)).rstrip() for row in rows]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


@st.composite
def list_tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(KEY, VALUE), min_size=1, max_size=4))
    return ".. list-table::\n   :header-rows: 1\n\n   * - key\n     - default\n" + "".join(
        f"   * - ``{key}``\n     - {value}\n" for key, value in rows
    )


@st.composite
def csv_tables(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.tuples(KEY, VALUE), min_size=1, max_size=4))
    return ".. csv-table::\n   :header: key, default\n\n" + "".join(f'   {key}, "{value}"\n' for key, value in rows)


@st.composite
def listings(draw: st.DrawFn) -> str:
    rows = draw(
        st.lists(st.tuples(KEY, VALUE, st.sampled_from(("", "  # default: 7", "  # often"))), min_size=1, max_size=6)
    )
    lead = draw(st.sampled_from(("The defaults are:", "For example:", "")))
    block = "".join(f"   {key}: {value}{comment}\n" for key, value, comment in rows)
    length = draw(st.sampled_from((0, 1, 2, 2, 2, 2, 3)))
    items = [draw(st.sampled_from(("0.9", "0.95", "0.99", "'0.9'", *VALUES))) for _ in range(length)]
    if items:
        block += draw(
            st.sampled_from(
                (
                    "   betas:\n" + "".join(f"     - {item}\n" for item in items),
                    "   betas:  # often\n" + "".join(f"   - {item}  # x\n" for item in items),
                    "   betas: [" + ",\n     ".join(items) + "]\n   seed: 7\n",
                )
            )
        )
    return f"{lead}\n\n.. code-block:: yaml\n\n{block}"


PAGES = st.lists(
    st.one_of(sentences(), grid_tables(), simple_tables(), list_tables(), csv_tables(), listings()),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    folder = tmp_path_factory.mktemp("config")
    (folder / "conf.yaml").write_text(CONFIG, encoding="utf-8")
    return Judge(find_project([str(folder / "conf.yaml")]), Rules())


def mended(file: Path, judge: Judge) -> tuple[list[Verdict], FixedFile | None]:
    """The verdicts of a page, and the page as the fix would have it."""
    source = file.read_text(encoding="utf-8")
    verdicts = PageChecker(str(file), judge).read(source.split("\n"))[1]
    found = fix([v for v in verdicts if v.verdict == DISAGREES], judge, verdicts)
    return verdicts, found[0] if found else None


def shape(file: Path, text: str) -> list[str]:
    """The tree of a page without its texts."""
    document, _ = parse_page(str(file), text)
    return [type(node).__name__ for node in document.findall() if type(node).__name__ != "Text"]


def damage(file: Path, before: str, found: FixedFile) -> str:
    """What a fix did beside replacing values, empty when nothing."""
    after = "\n".join(found.lines)
    old, new = before.split("\n"), after.split("\n")
    pieces = [piece for edit in found.done for piece in edit.pieces]
    touched = {piece.line for piece in pieces}
    if len(old) != len(new) or any(
        a != b for n, (a, b) in enumerate(zip(old, new, strict=True), 1) if n not in touched
    ):
        return "another line changed"
    for line in touched:
        parts = Counter((old[line - 1] + " " + " ".join(p.new for p in pieces if p.line == line)).replace(" ", ""))
        parts.subtract((new[line - 1] + " " + " ".join(p.old for p in pieces if p.line == line)).replace(" ", ""))
        if any(parts.values()):
            return f"line {line} changed in more than its values"
    return "" if shape(file, before) == shape(file, after) else "the page is built differently"


EXAMPLES = int(os.environ.get("CKPT_DEFAULTS_EXAMPLES", "150"))
"""Pages that are generated; 10000 were tried before a release."""


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=EXAMPLES < 1000)
@given(blocks=PAGES)
@example(  # one of its edits is only accepted once another was made
    blocks=[
        "The defaults are:\n\n.. code-block:: yaml\n\n   lr: 7\n   lr: 1e-6  # default: 7\n",
        '.. csv-table::\n   :header: key, default\n\n   lr, "1e-5"\n',
    ]
)
def test_no_page_is_damaged_and_a_second_run_does_nothing(
    judge: Judge, tmp_path_factory: pytest.TempPathFactory, blocks: list[str]
) -> None:
    file = tmp_path_factory.getbasetemp() / "generated.rst"
    text = "\n\n".join(blocks) + "\n"
    file.write_text(text, encoding="utf-8")
    _, found = mended(file, judge)
    if found is None:
        return
    assert damage(file, text, found) == ""
    assert len(found.done) + len(found.refused) > 0
    file.write_text("\n".join(found.lines), encoding="utf-8")
    verdicts, again = mended(file, judge)
    assert again is None or not again.done, "the second run changes something"
    wrong = {(v.statement.line, v.statement.documented) for v in verdicts if v.verdict == DISAGREES}
    assert not wrong & {(e.line, e.new) for e in found.done}, "what was mended still disagrees"


def test_the_generator_makes_pages_that_need_mending(judge: Judge, tmp_path: Path) -> None:
    """Else the test above could not fail."""
    done: Counter[str] = Counter()

    def count(blocks: list[str]) -> None:
        file = tmp_path / "page.rst"
        file.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
        _, found = mended(file, judge)
        for edit in found.done if found else ():
            done.update([edit.verdict.statement.kind, *(["several lines"] if edit.parts else [])])

    tried = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    tried(given(blocks=PAGES)(count))()
    tried(given(blocks=st.lists(listings(), min_size=1, max_size=2))(count))()
    assert done["table"] > 20
    assert done["prose"] > 5
    assert done["listing"] > 5
    assert done["several lines"] > 2


# -- killed ----------------------------------------------------------------------------------------------------
_KILLED = """
import sys
from ckpt_defaults.writing import read_source, write_source
file, big = sys.argv[1], "x" * 300_000
print("ready", flush=True)
while True:
    source = read_source(file)
    write_source(source, ["old" if source.lines[0] == "new" else "new", big, source.lines[0]])
"""


@pytest.mark.parametrize("run", range(int(os.environ.get("CKPT_DEFAULTS_KILLS", "8"))))
def test_killed_at_any_moment_a_file_is_whole(tmp_path: Path, run: int) -> None:
    file = tmp_path / "page.rst"
    big = "x" * 300_000
    file.write_text(f"old\n{big}\nnew", encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(file)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": path}
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(random.Random(run).random() / 10)
    process.send_signal(signal.SIGKILL)
    process.wait()
    first, middle, last = file.read_text(encoding="utf-8").split("\n")
    assert {first, last} == {"old", "new"}
    assert middle == big


# -- the corpora -----------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_corpora_with_changed_values_are_restored(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least 95 % of the changed values that are caught come back byte for byte, and no other line is damaged."""
    if not (shared / "mutate.py").is_file():
        pytest.skip("mutate.py is not in ../shared")
    subprocess.run([sys.executable, str(shared / "mutate.py"), str(tmp_path)], check=True, capture_output=True)
    count: Counter[str] = Counter()
    damaged: list[str] = []
    for name, project in json.loads((shared / "corpus" / "projects.json").read_text(encoding="utf-8")).items():
        monkeypatch.chdir(tmp_path / name)
        options = Options(docs=project["docs"], config=project["configs"])
        outcome, _ = run_check(options, cached=False)
        reported = {(v.statement.file, v.statement.line) for v in outcome.verdicts if v.verdict == DISAGREES}
        judge = Judge(load_project(options, Cache(None)), options.rules)
        files = {f.source.file: f for f in fix(outcome.told(), judge, outcome.verdicts)}
        for page in project["docs"]:
            original = (shared / "corpus" / name / page).read_text(encoding="utf-8").split("\n")
            mutated = (tmp_path / name / page).read_text(encoding="utf-8").split("\n")
            found = files.get(page)
            fixed = list(found.lines) if found else mutated
            edited = {piece.line for edit in found.done for piece in edit.pieces} if found else set()
            for number, (was, is_now, becomes) in enumerate(zip(original, mutated, fixed, strict=True), start=1):
                if is_now != was and (page, number) in reported:
                    count["caught"] += 1
                    count["restored"] += becomes == was
                elif becomes != is_now and number not in edited:
                    damaged.append(f"{name}/{page}:{number}")
            if found and found.done:
                problem = damage(Path(page), "\n".join(mutated), found)
                damaged += [f"{name}/{page}: {problem}"] if problem else []
    assert damaged == []
    assert count["caught"] > 700
    assert count["restored"] >= 0.95 * count["caught"], count
