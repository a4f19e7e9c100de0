"""Flags that take several values: together, one by one, and with pages, keys and changes behind them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from conftest import write_files

FILES = {
    "a.yaml": "seed: 1\n",
    "b/b.yaml": "rate: 2\n",
    "docs/one.rst": "``seed`` defaults to ``5``.\n\n``rate`` defaults to ``6``.\n",
    "more/two.md": "`rate` defaults to `7`.\n",
    "src/pack/__init__.py": "",
    "lib/mod.py": "from dataclasses import dataclass\n\n@dataclass\nclass Thing:\n    seed: int = 8\n",
}
ONE, TWO = "docs/one.rst:1:24: seed", "docs/one.rst:3:24: rate"
MORE = "more/two.md:1:21: rate"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def told(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """The places and keys that disagree; the command must have done its work."""
    status = main(list(words))
    captured = capsys.readouterr()
    assert status == 1, captured.err
    return [line.split(" is ")[0] for line in captured.out.splitlines() if line.endswith("[disagrees]")]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("check docs --config a.yaml b", [ONE, TWO]),
        ("check docs --config a.yaml --config b", [ONE, TWO]),
        ("check docs --config=a.yaml --config=b", [ONE, TWO]),
        ("check docs more --config a.yaml b", [ONE, TWO, MORE]),
        ("check --config a.yaml docs", [ONE]),
        ("check --config a.yaml b docs", [ONE, TWO]),
        ("check --config a.yaml b docs more", [ONE, TWO, MORE]),
        ("check --config a.yaml --config b docs more/two.md", [ONE, TWO, MORE]),
        ("check --config a.yaml b -- docs", [ONE, TWO]),
        ("check --config a.yaml b --format text docs", [ONE, TWO]),
        ("check docs --config a.yaml b --all", [ONE, TWO]),
        ("check docs/one.rst --config a.yaml b more/two.md", [MORE, ONE, TWO]),
        ("check docs --config a.yaml b --root a.yaml b.yaml", [ONE, TWO]),
        ("check docs --config a.yaml b --root a.yaml", [ONE]),
        ("check --config a.yaml b --root a.yaml docs", [ONE]),
        ("check docs --config a.yaml b --pages x=a y=b", [ONE, TWO]),
        ("check --config a.yaml --code src lib docs", [ONE]),
        ("check --config a.yaml --code src --code lib -- docs", [ONE]),
    ],
)
def test_check(project: Path, capsys: pytest.CaptureFixture[str], line: str, wanted: list[str]) -> None:
    assert told(capsys, *line.split()) == wanted


def test_each_of_several_folders_of_code_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(project, {"a.yaml": "_target_: mod.Thing\nseed: 1\n"})
    copy = "lib/mod.py:5:17: seed"
    for line in ("check docs --config a.yaml --code src lib", "check --config a.yaml --code src lib docs"):
        assert copy in told(capsys, *line.split())
    assert main(["show", "seed", "--config", "a.yaml", "--code", "src", "lib"]) == 0
    assert copy in capsys.readouterr().out


def test_a_folder_with_pages_is_a_config_where_pages_are_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(project, {"b/README.md": "text\n"})
    assert told(capsys, "check", "docs", "--config", "a.yaml", "b") == [ONE, TWO]
    assert told(capsys, "check", "--config", "a.yaml", "--config", "b", "--", "docs") == [ONE, TWO]


@pytest.mark.parametrize(
    "line",
    [
        "show rate --config a.yaml b",
        "show --config a.yaml b rate",
        "show --config a.yaml --config b rate",
        "show --root a.yaml b.yaml rate --config a.yaml b",
        "show --config a.yaml b --docs docs more -- rate",
        "impact rate=3 --config a.yaml b",
        "impact --config a.yaml b rate=3",
        "impact --config a.yaml b --docs docs more rate=3 seed=9",
    ],
)
def test_keys_and_changes_behind_a_flag(project: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    assert main(line.split()) == 0
    assert "b/b.yaml:1" in capsys.readouterr().out
