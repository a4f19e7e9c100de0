"""The project of a build, and how a page names and links its files."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from ckpt_defaults.settings import ConfigError
from ckpt_defaults.sources import line_url, page_path, project_of
from conftest import write_files


def conf(*places: str, url: str = "") -> SimpleNamespace:
    return SimpleNamespace(ckpt_defaults_config=list(places), ckpt_defaults_source_url=url)


def test_a_project_is_read_once_and_again_when_a_file_changes(tmp_path: Path) -> None:
    write_files(tmp_path, {"config/a.yaml": "x: 1\n"})
    docs = tmp_path / "docs"
    first = project_of(conf("../config"), docs)
    assert project_of(conf("../config"), docs) is first
    write_files(tmp_path, {"config/a.yaml": "x: 22\n"})
    assert project_of(conf("../config"), docs, check=False) is first
    second = project_of(conf("../config"), docs)
    assert second.roots[0].settings["x"].value == 22
    write_files(tmp_path, {"config/b.yaml": "y: 1\n"})
    assert len(project_of(conf("../config"), docs).roots) == 2
    (tmp_path / "config/b.yaml").unlink()
    assert len(project_of(conf("../config"), docs).roots) == 1


def test_a_change_of_equal_length_is_seen_by_its_time(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("x: 1\n", encoding="utf-8")
    assert project_of(conf("a.yaml"), tmp_path).roots[0].settings["x"].value == 1
    file.write_text("x: 2\n", encoding="utf-8")
    later = time.time_ns() + 1_000_000_000
    os.utime(file, ns=(later, later))
    assert project_of(conf("a.yaml"), tmp_path).roots[0].settings["x"].value == 2


@pytest.mark.parametrize(
    ("places", "files", "message"),
    [
        ((), {}, "ckpt_defaults_config is empty; name the YAML files"),
        (("gone",), {}, "does not exist; check the path"),
        (("empty",), {"empty/readme.txt": ""}, "holds no .yaml or .yml file"),
        (("a.yaml",), {"a.yaml": "x: 1\nx: 2\n"}, "a.yaml:2: the key 'x' stands twice"),
    ],
)
def test_a_fault_is_told_each_time_in_one_line(
    tmp_path: Path, places: tuple[str, ...], files: dict[str, str], message: str
) -> None:
    write_files(tmp_path, files)
    for _time in range(2):
        with pytest.raises(ConfigError) as error:
            project_of(conf(*places), tmp_path)
        assert message in str(error.value)
        assert "\n" not in str(error.value)


def test_one_place_may_be_given_as_a_text(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.yaml": "x: 1\n"})
    given = SimpleNamespace(ckpt_defaults_config="a.yaml")
    assert len(project_of(given, tmp_path).roots) == 1


@pytest.mark.parametrize("mark", [".git/HEAD", "pyproject.toml", ""])
def test_a_page_names_files_from_the_repository(tmp_path: Path, mark: str) -> None:
    top = write_files(tmp_path / "repository", {"docs/conf.py": "", **({mark: ""} if mark else {})})
    file = str(top / "verl/trainer/config/engine/megatron.yaml")
    assert page_path(file, conf("../verl/trainer/config"), top / "docs") == "verl/trainer/config/engine/megatron.yaml"


def test_a_file_outside_is_named_from_the_configured_folder(tmp_path: Path) -> None:
    top = write_files(tmp_path / "repository", {"docs/conf.py": "", ".git/HEAD": ""})
    other = str(tmp_path / "elsewhere" / "config")
    assert page_path(f"{other}/engine/a.yaml", conf(other), top / "docs") in (
        "config/engine/a.yaml",
        "elsewhere/config/engine/a.yaml",
    )
    assert page_path("/a.yaml", conf(other), top / "docs") == "a.yaml"


def test_the_address_of_a_line(tmp_path: Path) -> None:
    top = write_files(tmp_path / "repository", {".git/HEAD": ""})
    file = str(top / "config/a b.yaml")
    template = "https://example.org/{path}#L{line}"
    assert (
        line_url(file, 7, conf("../config", url=template), top / "docs") == "https://example.org/config/a%20b.yaml#L7"
    )
    assert line_url(file, 7, conf("../config"), top / "docs") == ""
