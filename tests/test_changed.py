"""``--changed-since``: what a branch touches, lines of pages and settings alike, through real repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from conftest import write_files

FILES = {
    "conf/main.yaml": "seed: 42\nlr: 0.1\nname: ${other}\nother: adam\n",
    "docs/a.rst": "``seed`` defaults to ``7``.\n\n``lr`` defaults to ``0.2``.\n\n``name`` defaults to ``sgd``.\n",
    "docs/b.md": "`seed` defaults to `8`.\n",
}


def git(folder: Path, *args: str) -> None:
    identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *args], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    write_files(tmp_path, FILES)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *args: str, status: int = 1) -> list[str]:
    """The places that the check tells, as ``file:line``."""
    assert main(["check", "docs", "--config", "conf", "--no-cache", "--changed-since", "HEAD", *args]) == status
    return [":".join(row.split(":")[:2]) for row in capsys.readouterr().out.splitlines() if row.endswith("[disagrees]")]


def test_nothing_changed(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, status=0) == []


def test_changed_lines_only(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = repository / "docs" / "a.rst"
    page.write_text("Words.\n\n" + page.read_text(encoding="utf-8").replace("0.2", "0.3"), encoding="utf-8")
    assert told(capsys) == ["docs/a.rst:5"]
    git(repository, "add", ".")
    assert told(capsys) == ["docs/a.rst:5"], "staged or not"


def test_new_pages_whole(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(repository, {"docs/ä new.rst": "``seed`` defaults to ``7``.\n"})
    assert told(capsys) == ["docs/ä new.rst:1"]
    git(repository, "add", ".")
    assert told(capsys) == ["docs/ä new.rst:1"]
    git(repository, "mv", "docs/b.md", "docs/c.md")
    assert told(capsys) == ["docs/c.md:1", "docs/ä new.rst:1"]


def test_a_changed_setting_names_its_pages(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(repository, {"conf/main.yaml": FILES["conf/main.yaml"].replace("42", "43")})
    assert told(capsys) == ["docs/a.rst:1", "docs/b.md:1"]


def test_a_moved_setting_does_not(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(repository, {"conf/main.yaml": "# words\n\nlr: 1e-1\nseed: 42\nname: ${other}\nother: adam\n"})
    assert told(capsys, status=0) == []


def test_a_setting_that_follows_another(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("omegaconf")
    write_files(repository, {"conf/main.yaml": FILES["conf/main.yaml"].replace("adam", "adamw")})
    assert told(capsys) == ["docs/a.rst:5"]


def test_a_removed_setting(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = "| key | default |\n|---|---|\n| `lr` | 0.1 |\n| `seed` | 42 |\n| `other` | adam |\n"
    write_files(repository, {"docs/b.md": table})
    git(repository, "commit", "-qam", "second")
    write_files(repository, {"conf/main.yaml": "lr: 0.1\nname: sgd\nother: adam\n"})
    assert main(["check", "docs", "--config", "conf", "--changed-since", "HEAD"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith("[unknown-key]")]
    assert lines == ["docs/b.md:4:12: seed is documented as 42, but no config has this key [unknown-key]"]


def test_composed_configs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A change in a group's file reaches the key at which the group is laid."""
    pytest.importorskip("hydra")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    write_files(
        tmp_path,
        {
            "conf/main.yaml": "defaults:\n  - optim@actor.optim: adam\n  - _self_\nseed: 42\n",
            "conf/optim/adam.yaml": "lr: 0.1\neps: 0.5\n",
            "docs/a.rst": "``actor.optim.lr`` defaults to ``7``.\n\n``actor.optim.eps`` defaults to ``7``.\n",
        },
    )
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    assert told(capsys, status=0) == []
    write_files(tmp_path, {"conf/optim/adam.yaml": "lr: 0.2\neps: 0.5\n"})
    assert told(capsys) == ["docs/a.rst:1"]


def test_from_a_folder_below(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_files(repository, {"conf/main.yaml": FILES["conf/main.yaml"].replace("42", "43")})
    monkeypatch.chdir(repository / "docs")
    args = ["check", "a.rst", "b.md", "--config", "../conf", "--no-cache", "--changed-since", "HEAD"]
    assert main(args) == 1
    assert "2 of 2 documented defaults are wrong" in capsys.readouterr().out


def test_a_config_that_was_not_there(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git(repository, "rm", "-rq", "--cached", "conf")
    git(repository, "commit", "-q", "-m", "second")
    assert told(capsys) == ["docs/a.rst:1", "docs/a.rst:3", "docs/a.rst:5", "docs/b.md:1"]


def test_only_these_are_mended(repository: Path) -> None:
    write_files(repository, {"conf/main.yaml": FILES["conf/main.yaml"].replace("0.1", "0.5")})
    args = ["check", "docs", "--config", "conf", "--no-cache", "--changed-since", "HEAD", "--fix"]
    assert main(args) == 1
    assert (repository / "docs/a.rst").read_text(encoding="utf-8") == FILES["docs/a.rst"].replace("0.2", "0.5")
    assert (repository / "docs/b.md").read_text(encoding="utf-8") == FILES["docs/b.md"]


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        ("nothing", "--changed-since 'nothing' is no revision of "),
        ("--output=x", "--changed-since '--output=x' is no revision"),
    ],
)
def test_unknown_revisions(repository: Path, capsys: pytest.CaptureFixture[str], revision: str, message: str) -> None:
    assert main(["check", "docs", "--config", "conf", f"--changed-since={revision}"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"ckpt-defaults: {message}")
    assert err.count("\n") == 1


def test_outside_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write_files(tmp_path, FILES)
    assert main(["check", "docs", "--config", "conf", "--changed-since", "HEAD"]) == 2
    assert "docs: is in no git repository; --changed-since needs one" in capsys.readouterr().err


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(repository))
    assert main(["check", "docs", "--config", "conf", "--changed-since", "HEAD"]) == 2
    assert "asks git, which is not installed" in capsys.readouterr().err
