"""What the documentation shows of the program is what the program does."""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from ckpt_defaults.options import Options
from ckpt_defaults.parsing import parse
from ckpt_defaults.settings import parse_value
from ckpt_defaults.statements.documents import read_document
from ckpt_defaults.values import compare
from conftest import ROOT

DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def rows(name: str) -> list[list[str]]:
    """The rows of a CSV table of the documentation, without its head."""
    with (DOCS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.reader(stream))[1:]


@pytest.mark.parametrize(("documented", "config", "verdict"), rows("reference/values.csv"))
def test_values_compare_as_the_table_says(documented: str, config: str, verdict: str) -> None:
    found = compare(documented.strip("`"), parse_value(config.strip("`")), literal=True)
    assert {"same": "same", "different": "different", "unreadable": "not read"}[found] == verdict


@pytest.mark.parametrize(("language", "text", "key", "value"), rows("reference/sentences.csv"))
def test_sentences_are_read_as_the_table_says(language: str, text: str, key: str, value: str, tmp_path: Path) -> None:
    page = tmp_path / "page.rst"
    page.write_text(text + "\n", encoding="utf-8")
    found = read_document(parse(str(page), text + "\n", str(tmp_path)), str(page))
    assert [(s.keys[0], s.documented) for s in found[:1]] == ([(key, value)] if key else [])


def test_every_setting_of_pyproject_is_described() -> None:
    text = (DOCS / "reference/configuration.rst").read_text(encoding="utf-8")
    table = text[text.index(".. _pyproject:") :]
    first_cells = re.findall(r"^   \* - (``.*)", table, re.M)
    described = {name for cell in first_cells for name in re.findall(r"``([\w-]+)``", cell)}
    assert described == {f.name.replace("_", "-") for f in fields(Options)}


def test_every_subtype_of_a_warning_is_described() -> None:
    text = (DOCS / "reference/warnings.rst").read_text(encoding="utf-8")
    described = set(re.findall(r"^ckpt_defaults\.(\w+)$", text, re.M))
    sources = "\n".join(f.read_text(encoding="utf-8") for f in (ROOT / "sphinx_ext/ckpt_defaults").rglob("*.py"))
    told = set(re.findall(r'\bsubtype(?:: str)? ?= ?"(\w+)"', sources))
    told |= set(re.findall(r'self\.failed\([^\n]*, "(\w+)"\)', sources))
    told |= set(re.findall(r'(?:DISAGREES|UNKNOWN_KEY): "([a-z_]+)"', sources))
    assert described == told


def test_the_example_of_the_readme_is_real(tmp_path: Path) -> None:
    block = next(b for b in re.findall(r"```console\n(.*?)```", README, re.S) if "$ cat" in b)
    *files, last = re.split(r"^\$ ", block, flags=re.M)[1:]
    for each in files:
        command, _, text = each.partition("\n")
        path = tmp_path / command.removeprefix("cat ")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command, _, output = last.partition("\n")
    done = subprocess.run(
        [sys.executable, "-m", "ckpt_defaults.cli", *command.split()[1:]],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext"), "LC_ALL": "C.UTF-8", "LANGUAGE": ""},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.stdout, done.returncode) == (output, 1)


def test_what_the_readme_links_to_is_there() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 8
    assert [t for t in targets if "://" not in t and not (ROOT / t).is_file()] == []


def test_the_table_of_accuracy_has_the_columns_that_its_page_explains() -> None:
    with (DOCS / "explanation/accuracy.csv").open(encoding="utf-8", newline="") as stream:
        columns = next(csv.reader(stream))[1:]
    text = (DOCS / "explanation/accuracy.rst").read_text(encoding="utf-8")
    assert [c for c in columns if not re.search(rf"^{c}\n   \S", text, re.M)] == []
