"""How it began, replayed: one default changed in one place, while its copies stood in four."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from ckpt_defaults.flatten import main as flatten
from ckpt_defaults.judging.code_statements import code_verdicts
from ckpt_defaults.roots import find_project
from conftest import ROOT, Build, sphinx_build, write_files

pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")

KEY = "dist_ckpt_optim_fully_reshardable"
SILENT = "Home\n====\n\nNo word of any setting.\n"
PAGE = f"Home\n====\n\n``{KEY}`` defaults to ``{{}}``.\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of our configs and classes."""
    place = tmp_path / "project" / "verl"
    shutil.copytree(ROOT / "verl", place, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def regenerate(tree: Path) -> None:
    assert flatten([str(tree / "trainer/config")]) == 0


def change(file: Path, pattern: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, new, text)
    assert count == 1
    file.write_text(changed, encoding="utf-8")


def change_yaml(tree: Path) -> None:
    change(tree / "trainer/config/engine/megatron.yaml", rf"(?m)^{KEY}: False$", f"{KEY}: True")


def change_class(tree: Path) -> None:
    file = tree / "workers/config/engine.py"
    change(file, rf"{KEY}: bool = False", f"{KEY}: bool = True")
    change(file, r"(every parallel size|parallel size)\. Default False", r"\1. Default True")


def told(tree: Path) -> list[tuple[str, str, str]]:
    result = code_verdicts(find_project([str(tree / "trainer/config")]), [str(tree.parent)])
    return [
        (v.statement.kind, v.path.rpartition(".")[2], v.statement.documented)
        for v in result.verdicts
        if v.verdict == "disagrees"
    ]


def test_the_yaml_changed_alone_leaves_the_class_behind(tree: Path) -> None:
    assert told(tree) == []
    change_yaml(tree)
    regenerate(tree)
    assert told(tree) == [("prose", KEY, "False"), ("dataclass", KEY, "False")]


def test_the_generated_file_is_told_as_well(tree: Path) -> None:
    change_yaml(tree)
    assert [one for one in told(tree) if one[0] == "generated"] == [("generated", KEY, "false")] * 3


def test_all_changed_together_are_quiet(tree: Path) -> None:
    change_yaml(tree)
    regenerate(tree)
    change_class(tree)
    assert told(tree) == []


CONF = (
    "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../verl/trainer/config']\nckpt_defaults_code = ['../']\n"
)


def test_the_build_fails_on_the_class_though_no_page_states_the_key(tree: Path, build: Build) -> None:
    assert build({"conf.py": CONF, "index.rst": SILENT}, "html").status == 0
    change_yaml(tree)
    regenerate(tree)
    docs = tree.parent / "docs"
    for _ in range(2):  # a second build, with nothing changed, fails as the first does
        built = sphinx_build(docs, "html")
        assert built.status == 1
        told = [line for line in built.lines if "workers/config/engine.py:" in line]
        says = rf"engine\.py:\d+: .*{KEY} is documented as False; .*engine/megatron\.yaml:\d+ says true"
        assert [bool(re.search(says, line)) for line in told] == [True, True]  # the docstring, the field


def test_the_build_passes_when_all_changed_together(tree: Path, build: Build) -> None:
    assert build({"conf.py": CONF, "index.rst": PAGE.format("False")}, "html").status == 0
    change_yaml(tree)
    regenerate(tree)
    change_class(tree)
    docs = tree.parent / "docs"
    assert sphinx_build(docs, "html").status == 1  # the page is behind
    write_files(docs, {"index.rst": PAGE.format("True")})
    built = sphinx_build(docs, "html")
    assert built.status == 0, built.lines
