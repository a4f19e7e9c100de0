"""``.. ckpt-defaults::`` in real builds."""

from __future__ import annotations

import pickle
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.formats import GATHER, LEAN
from conftest import ROOT, Build, Built, write_files
from docutils import nodes

CONF = """
extensions = ["ckpt_defaults"]
ckpt_defaults_config = ["../config"]
project, copyright, version = "Test", "us", "1"
"""
PAGE = "Checkpoints\n===========\n\nThe formats:\n\n.. ckpt-defaults::\n"


def config(gather: object = False, lean: object = False) -> str:
    return f"# A comment.\n{GATHER}: {gather}\n\n{LEAN}: {lean}\n"


def project(page: str = PAGE, **more: str) -> dict[str, str]:
    return {"conf.py": CONF, "../config/engine/megatron.yaml": config(), "index.rst": page, **more}


class Tables(HTMLParser):
    """The text of each cell, by row, and the ids of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.heads: list[list[str]] = []
        self.ids: list[str] = []
        self.caption = ""
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.ids += [value for name, value in attributes if name == "id" and value]
        if tag == "tr":
            self.rows.append([])
            self.heads.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.heads[-1].append(tag)
        if tag in ("td", "th", "caption"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and tag == self.open[-1]:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "caption":
            self.caption += data
        elif self.open:
            self.rows[-1][-1] += data


def default_row(built: Built, page: str = "index.html") -> list[str]:
    marked = [row for row in Tables(built.read(page)).rows if row and "The default, set in" in row[0]]
    assert len(marked) == 1, marked
    return [" ".join(cell.split()) for cell in marked[0]]


def doctree(built: Built, page: str = "index") -> nodes.document:
    tree: Any = pickle.loads((built.outdir.parent / "doctrees" / f"{page}.doctree").read_bytes())
    assert isinstance(tree, nodes.document)
    return tree


def warning_of(built: Built, page: str = "index.html") -> str:
    found = re.search(r'<div class="ckpt-warning admonition warning">(.*?)</div>\s*</div>', built.read(page), re.S)
    assert found, "no warning"
    return " ".join(re.sub(r"<[^>]+>", "", found.group(1)).split())


def test_the_table(build: Build) -> None:
    built = build(project(), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    table = Tables(built.read("index.html"))
    assert "Megatron-Core" in table.caption
    head, *rows = table.rows
    assert head[0].startswith("Format")
    assert len(head) == 6
    assert [len(row) for row in rows] == [6, 6, 6]
    assert table.heads[0] == ["th"] * 6
    assert all(kinds == ["th", *["td"] * 5] for kinds in table.heads[1:]), "each row has a head of its own"
    for row, words in zip(
        rows,
        [
            ("dp-reshardable", f"{GATHER}: False"),
            ("fully-reshardable", f"{GATHER}: True", f"{LEAN}: False"),
            ("fully-reshardable, mem-efficient", f"{GATHER}: True", f"{LEAN}: True"),
        ],
        strict=True,
    ):
        assert all(word in row[0] for word in words), row[0]
    assert f"{LEAN}" not in rows[0][0], "the second setting does not select dp-reshardable"
    assert default_row(built)[0].startswith("dp-reshardable The default, set in config/engine/megatron.yaml:2 ")


@pytest.mark.parametrize(
    ("gather", "lean", "row", "warning"),
    [
        (False, False, "dp-reshardable The", "The default gathers nothing."),
        (False, True, "dp-reshardable The", "The default gathers nothing."),
        (True, False, "fully-reshardable The", "**every** process, not data-parallel rank 0 alone, holds"),
        (True, True, "fully-reshardable, mem-efficient The", "in every save data-parallel rank 0 holds"),
    ],
)
def test_mark_and_warning_follow_the_config(build: Build, gather: bool, lean: bool, row: str, warning: str) -> None:
    built = build({**project(), "../config/engine/megatron.yaml": config(gather, lean)})
    assert built.status == 0
    assert default_row(built)[0].startswith(row)
    told = warning_of(built)
    assert warning.replace("**", "") in told
    if gather:
        assert told.startswith("Warning The default gathers: ")
        assert f"Set {GATHER}: False unless the next resume changes TP, PP or EP." in told
        assert "config/engine/megatron.yaml:2" in told
    else:
        assert f"Keep {GATHER}: False" in told
    assert (f"{LEAN}: True has no effect here." in default_row(built)[0]) == (lean and not gather)


def test_a_flip_is_seen_by_the_next_build_and_only_the_page_is_read_again(build: Build) -> None:
    files = project(PAGE + "\n.. toctree::\n\n   other\n", **{"other.rst": "Other\n=====\n"})
    assert default_row(build(files))[0].startswith("dp-reshardable")
    assert "0 added, 0 changed, 0 removed" in build({}).stdout
    again = build({"../config/engine/megatron.yaml": "# One more line.\n" + config(True)})
    assert "0 added, 1 changed, 0 removed" in again.stdout
    assert default_row(again)[0].startswith("fully-reshardable The default, set in config/engine/megatron.yaml:3 ")


def test_the_place_is_a_link_where_a_template_is_given(build: Build) -> None:
    conf = CONF + "ckpt_defaults_source_url = 'https://example.org/blob/main/{path}#L{line}'\n"
    built = build({**project(), "conf.py": conf}, "html", "-W")
    assert 'href="https://example.org/blob/main/config/engine/megatron.yaml#L2"' in built.read("index.html")
    assert 'href="https://example.org' not in build({"conf.py": CONF}, "html", "-E").read("index.html")


def test_this_repository_s_config(build: Build) -> None:
    """The composed tree: actor, critic and ref take the settings from one file, and that is the one named."""
    place = ROOT / "verl/trainer/config"
    conf = CONF.replace("../config", str(place))
    built = build({**project(), "conf.py": conf}, "html", "-W")
    assert built.status == 0, built.warnings
    text = (place / "engine/megatron.yaml").read_text(encoding="utf-8").splitlines()
    line = next(number for number, each in enumerate(text, 1) if each.startswith(f"{GATHER}:"))
    assert f"engine/megatron.yaml:{line}" in default_row(built)[0]
    assert "_generated" not in default_row(built)[0]
    assert str(ROOT) not in built.read("index.html"), "a page names no folder of the machine"


BAD = [
    (f"{GATHER}: 2\n{LEAN}: False\n", f"megatron.yaml:1: {GATHER} is 2, which selects no checkpoint format"),
    (f"{GATHER}:\n{LEAN}: False\n", f"megatron.yaml:1: {GATHER} is null, which selects no"),
    (f"{GATHER}: 'True'\n{LEAN}: False\n", f"megatron.yaml:1: {GATHER} is the text 'True', which selects no"),
    (f"{GATHER}: False\n{LEAN}: maybe\n", f"megatron.yaml:2: {LEAN} is the text 'maybe', which selects no"),
    (f"{GATHER}: False\n", f"megatron.yaml:1: {LEAN} is missing beside {GATHER}; add it"),
    (f"{GATHER}: ${{oc.env:X}}\n{LEAN}: False\n", f"{GATHER} is '${{oc.env:X}}', which cannot be told"),
    ("other: 1\n", f"no config has {GATHER}; add it"),
    (f"{GATHER}: False\n{GATHER}: True\n", f"megatron.yaml:2: the key '{GATHER}' stands twice"),
    (f"a: {{\n{GATHER}: False\n", "megatron.yaml:"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
@pytest.mark.parametrize("args", [(), ("-W", "--keep-going")], ids=["plain", "-W"])
def test_a_config_that_selects_nothing_fails_at_the_directive_s_line(
    build: Build, text: str, message: str, args: tuple[str, ...]
) -> None:
    built = build({**project(), "../config/engine/megatron.yaml": text}, "html", *args)
    again = build({}, "html", *args)
    for each in (built, again):
        assert each.status != 0, "the build must fail, also when nothing was read again"
        told = [line for line in each.lines if "index.rst:6: ERROR: " in line]
        assert len(told) == 1, each.warnings
        assert message in told[0]
        assert "Traceback" not in each.warnings
    mended = build({"../config/engine/megatron.yaml": config()}, "html", *args)
    assert (mended.status, mended.warnings) == (0, "")


def test_a_missing_file_fails_and_mends(build: Build) -> None:
    conf = CONF.replace("../config", "../config/gone.yaml")
    for _run in range(2):
        built = build({**project(), "conf.py": conf})
        assert built.status != 0
        assert any("index.rst:6: ERROR: " in line and "does not exist" in line for line in built.lines), built.warnings
    mended = build({"../config/gone.yaml": config()})
    assert (mended.status, mended.warnings) == (0, "")


def test_a_generated_file_is_not_the_place_that_sets_a_default(build: Build) -> None:
    flat = "# This file is generated: do not edit.\nactor:\n  " + config(True).replace("\n", "\n  ")
    built = build({**project(), "../config/a_generated_trainer.yaml": flat})
    assert default_row(built)[0].startswith("dp-reshardable The default, set in config/engine/megatron.yaml:2")


def two_files() -> dict[str, str]:
    return {
        **project(),
        "../config/engine/megatron.yaml": config(False),
        "../config/engine/old_megatron.yaml": config(True),
    }


@pytest.mark.parametrize(
    ("option", "row"),
    [
        ("engine/megatron.yaml", "dp-reshardable The"),
        ("old_megatron.yaml", "fully-reshardable The"),
        ("config/engine/old_megatron.yaml", "fully-reshardable The"),
        ("old_megatron", "fully-reshardable The"),
    ],
)
def test_config_picks_a_file_by_the_end_of_its_path_or_a_root(build: Build, option: str, row: str) -> None:
    built = build({**two_files(), "index.rst": PAGE + f"   :config: {option}\n"})
    assert built.status == 0, built.warnings
    assert default_row(built)[0].startswith(row)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("", "the configs select different formats: dp-reshardable ("),
        ("   :config: tron.yaml\n", "no config file or root called 'tron.yaml' has"),
        ("   :config: gone.yaml\n", "no config file or root called 'gone.yaml' has"),
    ],
)
def test_a_config_that_is_not_one_fails(build: Build, option: str, message: str) -> None:
    built = build({**two_files(), "index.rst": PAGE + option})
    assert built.status != 0
    told = next(line for line in built.lines if "index.rst:6: ERROR: " in line)
    assert message in told
    assert "old_megatron.yaml" in told, "the message lists what there is"


def test_an_override_in_one_role_is_two_defaults(build: Build) -> None:
    """A Hydra tree in which the critic differs from the actor: nobody's default is told for both."""
    pytest.importorskip("hydra")
    tree = {
        "../config/trainer.yaml": "defaults:\n- engine@actor: megatron\n- engine@critic: megatron\n- _self_\n",
        "../config/engine/megatron.yaml": config(),
    }
    assert default_row(build({**project(), **tree}))[0].startswith("dp-reshardable")
    split = tree["../config/trainer.yaml"] + f"critic:\n  {GATHER}: True\n"
    built = build({"../config/trainer.yaml": split})
    assert 'class="ckpt-formats' not in built.read("index.html")
    built = build({"index.rst": PAGE + "   :config: engine/megatron.yaml\n"})
    assert default_row(built)[0].startswith("dp-reshardable The default, set in config/engine/megatron.yaml:2")


def pin_of(built: Built) -> dict[str, Any]:
    pins = [
        node["ckpt_defaults_pin"] for node in doctree(built).findall(nodes.container) if "ckpt_defaults_pin" in node
    ]
    assert len(pins) == 1
    pin: dict[str, Any] = pins[0]
    return pin


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dp-reshardable", {GATHER: "False"}),
        ("False", {GATHER: "False"}),
        ("false", {GATHER: "False"}),
        ("fully-reshardable", {GATHER: "True", LEAN: "False"}),
        ("fully-reshardable-mem-efficient", {GATHER: "True", LEAN: "True"}),
    ],
)
def test_a_pin_is_left_for_the_build(build: Build, text: str, values: dict[str, str]) -> None:
    built = build({**project(), "index.rst": PAGE + f"   :expect: {text}\n"})
    pin = pin_of(built)
    assert (pin["key"], pin["documented"], pin["values"]) == (GATHER, text, values)


@pytest.mark.parametrize("text", ["dp-reshardable", "False"])
def test_a_pin_that_no_longer_holds_fails_there(build: Build, text: str) -> None:
    files = {**project(), "index.rst": PAGE + f"   :expect: {text}\n"}
    assert build(files).status == 0
    for _run in range(2):
        built = build({"../config/engine/megatron.yaml": config(True)})
        assert built.status != 0
        told = [line for line in built.lines if line.startswith("index.rst:6: ")]
        assert len(told) == 1, built.warnings
        assert "megatron.yaml:2" in told[0]
    assert build({"../config/engine/megatron.yaml": config(False)}).status == 0


@pytest.mark.parametrize("text", ["maybe", "2", "null", "dp-resharded"])
def test_a_pin_that_names_no_format_fails(build: Build, text: str) -> None:
    built = build({**project(), "index.rst": PAGE + f"   :expect: {text}\n"})
    assert built.status != 0
    told = next(line for line in built.lines if "index.rst:6: ERROR: " in line)
    assert "is no format and no value of" in told
    assert "fully-reshardable-mem-efficient" in told


def test_twice_in_a_page_ids_are_unique(build: Build) -> None:
    page = (
        PAGE + "   :name: formats\n\n.. note::\n\n   .. ckpt-defaults::\n\nSee :ref:`formats` and :numref:`formats`.\n"
    )
    built = build({**project(page), "conf.py": CONF + "numfig = True\n"}, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    table = Tables(built.read("index.html"))
    assert len(table.ids) == len(set(table.ids))
    assert "formats" in table.ids
    html = built.read("index.html")
    assert 'href="#formats"><span class="std std-ref">Megatron' in html
    assert 'href="#formats"><span class="std std-numref">Table 1' in html
    targets = set(re.findall(r'href="#(ckpt-defaults-\d+-source-\d+)"', html))
    assert len(targets) > 20
    assert targets <= set(table.ids), "each number leads to its source"


def test_in_an_included_file_a_tab_and_a_list(build: Build) -> None:
    pytest.importorskip("sphinx_design")
    conf = CONF.replace('["ckpt_defaults"]', '["ckpt_defaults", "sphinx_design"]')
    page = (
        "T\n=\n\n.. include:: part.txt\n\n.. tab-set::\n\n   .. tab-item:: Megatron\n\n      .. ckpt-defaults::\n\n"
        "* A list\n\n  .. ckpt-defaults::\n"
    )
    files = {**project(page), "conf.py": conf, "part.txt": "\n\n.. ckpt-defaults::\n"}
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    html = built.read("index.html")
    assert html.count('class="ckpt-formats') == 3
    ids = Tables(html).ids
    assert len(ids) == len(set(ids))


def test_a_failure_in_an_included_file_is_told_at_its_line(build: Build) -> None:
    files = {**project("T\n=\n\n.. include:: part.txt\n"), "part.txt": "Text.\n\n.. ckpt-defaults::\n"}
    built = build({**files, "../config/engine/megatron.yaml": config(2)})
    assert built.status != 0
    assert any("part.txt:3: ERROR: " in line for line in built.lines), built.warnings


def test_in_markdown(build: Build) -> None:
    pytest.importorskip("myst_parser")
    conf = CONF.replace('["ckpt_defaults"]', '["ckpt_defaults", "myst_parser"]')
    page = "# Checkpoints\n\n```{ckpt-defaults}\n:name: formats\n:expect: dp-reshardable\n```\n\n{ref}`formats`\n"
    files = {**project(), "conf.py": conf, "index.md": page}
    del files["index.rst"]
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert default_row(built)[0].startswith("dp-reshardable The default, set in config/engine/megatron.yaml:2")
    assert pin_of(built)["documented"] == "dp-reshardable"


def test_parallel_reading_gives_the_same(build: Build) -> None:
    pages = {f"p{number}.rst": PAGE for number in range(8)}
    index = "Index\n=====\n\n.. toctree::\n\n" + "".join(f"   p{number}\n" for number in range(8))
    built = build({**project(index), **pages}, "html", "-j", "2", process=True)
    assert (built.status, built.warnings) == (0, "")
    for number in range(8):
        assert default_row(built, f"p{number}.html")[0].startswith("dp-reshardable")


def test_pages_do_not_depend_on_where_they_are_built(build: Build, tmp_path: Path) -> None:
    built = build(project())
    assert str(tmp_path) not in built.read("index.html")


def test_without_hydra_the_file_itself_is_read(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path / "site", {"sitecustomize.py": "import sys\nsys.modules.update(hydra=None, omegaconf=None)\n"})
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    conf = CONF.replace("../config", str(ROOT / "verl/trainer/config"))
    built = build(
        {**project(), "conf.py": conf + "import importlib.util\nassert not importlib.util.find_spec('hydra')\n"},
        process=True,
    )
    assert built.status == 0, built.warnings
    assert "engine/megatron.yaml:" in default_row(built)[0]
