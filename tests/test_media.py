"""What the directives render, on phones, on paper and on terminals."""

from __future__ import annotations

import re

from ckpt_defaults.formats import GATHER
from conftest import Build
from docutils import nodes
from test_ckpt_defaults_directive import CONF, PAGE, Tables, doctree, project


def test_cells_of_a_row_carry_the_heads_for_stacked_rows(build: Build) -> None:
    built = build(project())
    table = Tables(built.read("index.html"))
    for row in table.rows[1:]:
        for head, cell in list(zip(table.rows[0], row, strict=True))[1:]:
            assert cell.strip().startswith(head.strip())
    assert (built.outdir / "_static" / "ckpt_defaults.css").is_file()
    assert "_static/ckpt_defaults.css" in built.read("index.html")


def test_other_builders(build: Build) -> None:
    """One stored page, many media; whatever is made fit for one does not reach the next."""
    files = {**project(), "conf.py": CONF + "man_pages = [('index', 'test', 'x', [], 1)]\nlatex_engine = 'pdflatex'\n"}
    for builder in ("html", "dirhtml", "text", "man", "latex", "epub", "xml", "pseudoxml", "dummy", "linkcheck"):
        built = build(files, builder, "-W", "-n", *(["-D", "linkcheck_ignore=.*"] if builder == "linkcheck" else []))
        assert (built.status, built.warnings) == (0, ""), builder
        assert not list(doctree(built).findall(nodes.raw)), builder
    out = built.outdir.parent
    text = (out / "text/index.txt").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 80
    assert '"distrib_optim_fully_reshardable_mem_efficient: True"' in text, "a name is not cut"
    assert "**The default**, set in\n" in text or '**The default**, set in "config' in text
    assert "distrib_optim_fully_reshardable_mem_efficient: True" in (out / "man/test.1").read_text(encoding="utf-8")
    latex = (out / "latex/test.tex").read_text(encoding="utf-8")
    assert r"\begin{longtable}" in latex
    assert r"mem\_\allowbreak{}efficient" in latex
    epub = (out / "epub/index.xhtml").read_text(encoding="utf-8")
    assert "<wbr />" in epub
    assert "ckpt-label" not in (out / "xml/index.xml").read_text(encoding="utf-8")


def test_builders_that_put_pages_together_fit_them_as_well(build: Build) -> None:
    conf = CONF + "man_pages = [('index', 'test', 'x', [], 1)]\n"
    index = "Index\n=====\n\n.. toctree::\n\n   page\n   broken\n"
    files = {**project(index), "conf.py": conf, "page.rst": PAGE, "broken.rst": PAGE + "   :config: gone\n"}
    written = {}
    for builder, name in (
        ("latex", "test.tex"),
        ("man", "test.1"),
        ("singlehtml", "index.html"),
        ("texinfo", "test.texi"),
    ):
        built = build(files, builder)
        assert built.status != 0, "a directive has failed"
        assert len(built.lines) == 1, (builder, built.warnings)
        written[builder] = built.read(name)
    assert r"mem\_\allowbreak{}efficient" in written["latex"]
    assert r"\begin{longtable}" in written["latex"]
    assert "Extra memory:" in written["man"]
    assert "<wbr />" in written["singlehtml"]
    assert written["singlehtml"].count(">Extra memory</p>") == 4, "a head and three labels"


def test_a_table_in_a_box_is_a_list_on_paper(build: Build) -> None:
    built = build({**project("T\n=\n\n.. note::\n\n   .. ckpt-defaults::\n")}, "latex", "-W")
    assert (built.status, built.warnings) == (0, "")
    latex = built.read("test.tex")
    assert "longtable" not in latex
    assert r"\sphinxstylestrong{Extra memory:}" in latex


def test_texts_are_messages_and_values_are_not(build: Build) -> None:
    built = build(project(), "gettext", "-W")
    assert built.status == 0
    found = re.findall(r'^msgid ((?:".*"\n)+)', built.read("index.pot"), re.M)
    messages = {"".join(re.findall(r'"(.*)"\n', each)) for each in found}
    assert "Nothing is gathered: every process writes its own shard." in messages
    assert "Extra memory" in messages
    assert any(message.startswith("Megatron-Core's optimizer") for message in messages)
    assert not [each for each in messages if each.startswith((f"``{GATHER}", GATHER, "[", "Run:"))]
    assert not [each for each in messages if "megatron.yaml" in each]
