"""``.. ckpt-memory::`` in real builds: the table, the default's mark, the chart in each medium, and faults."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from ckpt_defaults.memory.directive import ROWS
from ckpt_defaults.memory.estimate import estimate
from ckpt_defaults.memory.formula import SaveFormat
from ckpt_defaults.memory.layout import Parallelism
from ckpt_defaults.memory.models import find_model
from conftest import ROOT, Build

CONFIG = "dist_ckpt_optim_fully_reshardable: {}\ndistrib_optim_fully_reshardable_mem_efficient: False\n"
CONF = "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../engine.yaml']\n"


def page(body: str, gather: str = "False", conf: str = CONF) -> dict[str, str]:
    return {"conf.py": conf, "../engine.yaml": CONFIG.format(gather), "index.rst": f"Page\n====\n\n{body}\n"}


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r'</span><wbr /><span class="pre">', "", html))).split())


ONE = ".. ckpt-memory::\n\n   qwen3-30b-a3b gpus=8 tp=1 ep=8\n"


def test_a_row_shows_the_computed_sums(build: Build) -> None:
    built = build(page(ONE), "html", "-W")
    assert built.status == 0, built.warnings
    shown = text_of(built.read("index.html"))
    answer = estimate(find_model("qwen3-30b-a3b"), Parallelism(8, ep=8))
    for fmt in SaveFormat:
        assert f"{answer.formats[fmt].saving.save / 1e9:,.0f} GB" in shown
    assert "TP 1, PP 1, CP 1, EP 8, ETP 1 (DP 8, expert DP 1)" in shown
    assert "5.16 B" in shown


@pytest.mark.parametrize(("gather", "title"), [("False", "dp-reshardable"), ("True", "fully-reshardable")])
def test_the_column_of_the_default_is_marked_from_the_yaml(build: Build, gather: str, title: str) -> None:
    html = build(page(ONE, gather), "html", "-W").read("index.html")
    heads = [text_of(head) for head in re.findall(r"<th class=\"head\">(.*?)</th>", html, re.DOTALL)]
    assert [head for head in heads if "the default" in head] == [f"Save, {title} (the default)"]
    assert f"The default is {title}, set in engine.yaml:1 ." in text_of(html)


def test_a_changed_default_moves_the_mark_on_the_next_build(build: Build) -> None:
    build(page(ONE))
    html = build({"../engine.yaml": CONFIG.format("True")}).read("index.html")
    assert "Save, fully-reshardable (the default)" in html
    assert "Save, dp-reshardable (the default)" not in html


def test_without_a_config_nothing_is_marked(build: Build) -> None:
    built = build(page(ONE, conf="extensions = ['ckpt_defaults']\n"), "html")
    assert "the default" not in built.read("index.html").lower()
    assert "1,192 GB" in built.read("index.html")


def test_what_is_over_the_host_says_so_in_words(build: Build) -> None:
    body = ONE.replace("::\n", "::\n   :host-memory: 1200GB\n", 1)
    shown = text_of(build(page(body), "html", "-W").read("index.html"))
    assert "1,192 GB does not fit into 1,200 GB" in shown
    assert "1,062 GB does" not in shown


def test_models_and_layouts_are_combined(build: Build) -> None:
    body = """.. ckpt-memory::
   :models: qwen3-8b, qwen2.5-7b
   :layouts: gpus=8 tp=2; gpus=16 tp=4
   :gpus-per-host: 4
   :no-chart:
"""
    html = build(page(body), "html", "-W").read("index.html")
    assert html.count("<strong>Qwen3-8B</strong>") == html.count("<strong>Qwen2.5-7B</strong>") == 2
    assert "GPUs: 16, hosts: 4" in html
    assert "<svg" not in html


def test_without_rows_there_is_a_choice_of_models(build: Build) -> None:
    html = build(page(".. ckpt-memory::\n"), "html", "-W").read("index.html")
    assert html.count("GPUs: ") >= len(ROWS)
    assert "DeepSeek-V3" in html


def test_the_chart_is_inline_named_and_the_same_after_a_rebuild(build: Build) -> None:
    pytest.importorskip("matplotlib")
    files = page(ONE + "\nText between.\n\n" + ONE.replace("gpus=8", "gpus=16"))
    first = build(files, "html", "-W", "-E").read("index.html")
    assert first.count("<svg ") == 2
    ids = re.findall(r'\bid="([^"]*)"', first)
    assert len(ids) == len(set(ids))
    title = re.search(r'<title id="([^"]*)">Host memory of a save', first)
    assert title is not None
    assert f'aria-labelledby="{title.group(1)} ' in first
    assert "fill a host with 2 TB from" in text_of(first)  # the text alternative, for everybody
    assert build(files, "html", "-W", "-E").read("index.html") == first


def test_latex_gets_a_pdf_of_the_same_bytes(build: Build) -> None:
    pytest.importorskip("matplotlib")
    built = build(page(ONE), "latex", "-W")
    assert built.status == 0, built.warnings
    (pdf,) = built.outdir.glob("ckpt-memory-*.pdf")
    tex = next(built.outdir.glob("*.tex")).read_text(encoding="utf-8")
    assert f"\\sphinxincludegraphics{{{pdf.name}}}" in tex
    before = pdf.read_bytes()
    build(page(ONE), "latex", "-E")
    assert [file.read_bytes() for file in built.outdir.glob("ckpt-memory-*.pdf")] == [before]


@pytest.mark.parametrize("builder", ["text", "man", "texinfo", "epub", "dirhtml", "gettext", "dummy", "xml"])
def test_every_builder_writes_the_page(build: Build, builder: str) -> None:
    conf = CONF + "epub_show_urls = 'no'\nversion = release = '1'\n"
    built = build(page(ONE, conf=conf), builder)
    assert built.status == 0, built.warnings
    assert "ckpt" not in built.warnings, built.warnings
    if builder == "text":
        assert "1,192 GB" in built.read("index.txt")
        assert "fill a host with" in " ".join(built.read("index.txt").split())


def test_without_matplotlib_there_is_the_table_and_a_note(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "engine.yaml").write_text(CONFIG.format("False"), encoding="utf-8")
    # A finder of the project's own hides the library, as if it were not installed.
    hide = (
        "import sys\n"
        "class Hide:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'matplotlib':\n"
        "            raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
    )
    (docs / "conf.py").write_text(hide + CONF, encoding="utf-8")
    (docs / "index.rst").write_text(page(ONE)["index.rst"], encoding="utf-8")
    for builder in ("html", "latex"):
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", "-W", "-b", builder, str(docs), str(tmp_path / builder)],
            capture_output=True,
            text=True,
            check=False,
            env={"PYTHONPATH": str(ROOT / "sphinx_ext"), "PATH": ""},
        )
        assert done.returncode == 0, done.stderr
    html = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert "1,192" in html
    assert "<svg" not in html
    assert "which is not installed" in html


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (".. ckpt-memory::\n\n   no-such-model gpus=8", "there is no model 'no-such-model'"),
        (".. ckpt-memory::\n\n   qwen3-8b gpus=12 tp=8", "row 'qwen3-8b gpus=12 tp=8': 12 GPUs are no multiple of"),
        (".. ckpt-memory::\n\n   qwen3-8b tp=0", "TP is 0; give at least 1"),
        (".. ckpt-memory::\n\n   qwen3-8b tp", "tp is ''; give a whole number"),
        (".. ckpt-memory::\n\n   qwen3-8b size=3", "'size' is no size; write one of gpus,"),
        (".. ckpt-memory::\n   :host-memory: a lot\n", ":host-memory: is 'a lot'"),
        (".. ckpt-memory::\n   :layouts: tp=2\n", ":layouts: needs :models: beside it"),
    ],
)
def test_a_fault_is_one_line_with_its_place(build: Build, body: str, message: str) -> None:
    built = build(page(body), "html")
    assert built.status != 0
    line = next(line for line in built.lines if message in line)
    assert line.startswith("index.rst:4: ")
    assert "Traceback" not in built.warnings


def test_a_broken_config_is_reported_with_its_place(build: Build) -> None:
    files = {**page(ONE), "../engine.yaml": CONFIG.format("'maybe'")}
    built = build(files, "html")
    assert any("engine.yaml:1" in line and "maybe" in line for line in built.lines)
