"""``config-listing``: the YAML itself, with the lines' own numbers, and what another root changes."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
import yaml
from ckpt_defaults.rendering.config_text import lines_of
from ckpt_defaults.rendering.selection import Answer, Query, rows_of
from ckpt_defaults.roots import find_project
from conftest import Build, Built

CONFIG = """
# The run.
trainer:

  # Steps between two checkpoints.
  # Two lines.
  save_freq: 20  # often

  betas:  # of Adam
    - 0.9
    # the second
    - 0.99
  text: |
    # not a comment
    two lines

  nested:
    flow: {a: 1, password: hunter2}
    deep:
      x: 'quoted'
      token: hidden-token
  last: [1,
    2]
other: 1
"""


def project(page: str, **files: str) -> dict[str, str]:
    return {
        "conf.py": "extensions = ['ckpt_defaults', 'myst_parser']\nshow_warning_types = True\n"
        "ckpt_defaults_config = ['../config']\nhtml_theme = 'basic'\n",
        "../config/train.yaml": CONFIG,
        "index.rst": f"Page\n====\n\n{page}\n",
        **files,
    }


def listing(built: Built, page: str = "index.html") -> list[str]:
    """The lines of the listing of a page."""
    code = re.search(r"<pre>(.*?)</pre>", built.read(page), re.S)
    assert code
    return unescape(re.sub(r"<[^>]+>", "", code[1])).rstrip("\n").split("\n")


def test_the_yaml_as_it_stands(build: Build) -> None:
    built = build(project(".. config-listing:: trainer"), "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert listing(built) == [
        "# Steps between two checkpoints.",
        "# Two lines.",
        "save_freq: 20  # often",
        "",
        "betas:  # of Adam",
        "  - 0.9",
        "  # the second",
        "  - 0.99",
        "text: |",
        "  # not a comment",
        "  two lines",
        "",
        "nested:",
        "  flow:",
        "    a: 1",
        "    password: <secret>",
        "  deep:",
        "    x: 'quoted'",
        "    token: <secret>",
        "last: [1,",
        "  2]",
    ]
    assert 'class="highlight-yaml' in built.read("index.html")
    assert "hunter2" not in built.read("index.html")


def test_without_comments_with_the_numbers_of_the_file(build: Build) -> None:
    built = build(project(".. config-listing:: trainer\n   :no-comments:\n   :linenos:\n   :depth: 1"), "html", "-W")
    assert listing(built) == [
        " 6save_freq: 20",
        " 8betas:",
        " 9  - 0.9",
        "11  - 0.99",
        "12text: |",
        "13  # not a comment",
        "14  two lines",
        "16nested:  # 4 settings",
        "21last: [1,",
        "22  2]",
    ]
    latex = build({}, "latex", "-W")
    tex = next(latex.outdir.glob("*.tex")).read_text("utf-8")
    assert re.findall(r"firstnumber=(\d+)", tex) == ["6", "8", "11", "16", "21"]


def test_keys_are_emphasized_and_are_targets(build: Build) -> None:
    built = build(
        project(".. config-listing:: trainer\n   :emphasize: save_freq, nested.deep.*\n\n:confval:`save_freq`"),
        "html",
        "-W",
        "-n",
    )
    assert (built.status, built.warnings) == (0, "")
    html = built.read("index.html")
    marked = re.findall(r'<span class="hll">(.*?)\n</span>', html, re.S)
    assert [unescape(re.sub(r"<[^>]+>", "", line)).strip() for line in marked] == [
        "save_freq: 20  # often",
        "x: 'quoted'",
        "token: <secret>",
    ]
    assert '<span id="confval-trainer.save_freq"></span>' in html
    assert 'href="#confval-trainer.save_freq"' in html


def test_a_caption_and_a_name(build: Build) -> None:
    built = build(
        project(".. config-listing:: trainer\n   :caption: The run\n   :name: run\n\n:ref:`run`"), "html", "-W"
    )
    assert (built.status, built.warnings) == (0, "")
    assert '<span class="caption-text">The run</span>' in built.read("index.html")


def test_in_markdown(build: Build) -> None:
    files = project("x\n\n.. toctree::\n\n   md")
    files["md.md"] = "# M\n\n```{config-listing} trainer.betas\n:linenos:\n```\n"
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert listing(built, "md.html") == [" 8betas:  # of Adam", " 9  - 0.9", "10  # the second", "11  - 0.99"]


def test_diff_shows_what_another_root_changes(build: Build) -> None:
    files = project(
        ".. config-listing:: a\n   :root: fsdp\n   :diff: megatron",
        **{
            "../config/fsdp.yaml": "a:\n  same: 1\n  lr: 1e-6\n  n:\n    only: x\n    token: one\n    deep: 1\n",
            "../config/megatron.yaml": "b: 2\na:\n  same: 1.0\n  lr: ${b}\n  n:\n    token: two\n    deep: 1\n"
            "    new: []\n",
        },
    )
    built = build(files, "html", "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    assert listing(built) == [
        "- lr: 1e-6",
        "+ lr: ${b}  # 2",
        "  n:",
        "-   only: x",
        "-   token: <secret>",
        "+   token: <secret>",
        "+   new: []",
    ]
    assert "What megatron changes of fsdp (4 settings):" in built.read("index.html")
    # the same root has nothing to tell
    built = build({"index.rst": files["index.rst"].replace(":diff: megatron", ":diff: fsdp")})
    assert "fsdp and fsdp have the same settings here." in built.read("index.html")


def test_anchors_do_not_disturb_lines_in_a_table(build: Build) -> None:
    files = project(".. config-listing:: trainer\n   :linenos:\n   :no-comments:")
    files["conf.py"] += "html_codeblock_linenos_style = 'table'\n"
    built = build(files, "html", "-W")
    assert (built.status, built.warnings) == (0, "")
    assert '<span class="normal"> 6</span>' in built.read("index.html")


TREES = ["../verl/trainer/config", "corpus/verl/verl/trainer/config"]


@pytest.mark.parametrize("tree", TREES, ids=["ours", "corpus"])
@pytest.mark.parametrize("comments", [True, False])
def test_a_listing_of_a_whole_root_reads_as_the_root(tree: str, comments: bool, request: pytest.FixtureRequest) -> None:
    """The text of every root of a real tree, composed of many files, is YAML with the very values of the root."""
    pytest.importorskip("hydra")
    base = Path(__file__).parent if tree.startswith("..") else request.getfixturevalue("shared")
    folder = base / tree
    if not folder.is_dir():
        pytest.skip("the corpus has no verl")
    project = find_project([str(folder)])
    assert project.roots
    for root in project.roots:
        text = "\n".join(line.text for line in lines_of(Answer(root, "", rows_of(root, "", Query(""))), comments))
        found = dict(_leaves(yaml.safe_load(text), ""))
        for path, setting in root.settings.items():
            if not isinstance(setting.value, (dict, list)):
                assert str(found[path]) == str(setting.value) or float(found[path]) == setting.value, path
        assert ("#" in re.sub(r"'[^']*'|\"[^\"]*\"", "", text)) is comments or not comments


def _leaves(value: object, path: str) -> list[tuple[str, object]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[str, object]] = []
    for name, item in items:
        found.append((f"{path}{name}", item))
        found += _leaves(item, f"{path}{name}.")
    return found
