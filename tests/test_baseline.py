"""The baseline: yesterday's disagreements are quiet, today's are not, and healed ones are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.baseline import read_baseline
from ckpt_defaults.cli import main
from ckpt_defaults.settings import ConfigError
from conftest import Build, write_files

FILES = {
    "conf.yaml": "seed: 42\nlr: 0.1\napi_key: x\n",
    "docs/a.rst": """
        ``seed`` defaults to ``7``.

        ``lr`` defaults to ``0.1``.

        ``api_key`` defaults to ``abc``.
        """,
    "docs/b.md": "`seed` defaults to `8`.\n\n`seed` defaults to `8`.\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def check(*args: str) -> int:
    return main(["check", "--config", "conf.yaml", *args])


def entries(file: Path) -> list[str]:
    return [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def test_written_it_makes_the_check_green(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check("docs") == 1
    assert check("docs", "--write-baseline", "known.txt") == 0
    assert "4 known disagreements written to known.txt." in capsys.readouterr().out
    assert entries(project / "known.txt") == [
        '["docs/a.rst", "api_key", "<secret>"]',
        '["docs/a.rst", "seed", "7"]',
        '["docs/b.md", "seed", "8"]',
        '["docs/b.md", "seed", "8"]',
    ]
    assert check("docs", "--baseline", "known.txt") == 0
    assert capsys.readouterr().out == "1 documented default: none is wrong. 4 known from the baseline.\n"


def test_lines_above_do_not_wake_it(project: Path) -> None:
    check("docs", "--write-baseline", "known.txt")
    page = project / "docs" / "a.rst"
    page.write_text("New words.\n\n" * 5 + page.read_text(encoding="utf-8"), encoding="utf-8")
    assert check("docs", "--baseline", "known.txt") == 0


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("docs/a.rst", "\n``lr`` defaults to ``0.2``.\n", "docs/a.rst:7:"),  # another key
        ("docs/a.rst", "\n``seed`` defaults to ``9``.\n", "docs/a.rst:7:"),  # another value
        ("docs/c.rst", "``seed`` defaults to ``7``.\n", "docs/c.rst:1:"),  # another page
        ("docs/b.md", "\n\n`seed` defaults to `8`.\n", "docs/b.md:6:"),  # once more than is known
    ],
)
def test_what_is_new_is_told(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, place: str
) -> None:
    check("docs", "--write-baseline", "known.txt")
    capsys.readouterr()
    with open(project / name, "a", encoding="utf-8") as stream:
        stream.write(text)
    assert check("docs", "--baseline", "known.txt") == 1
    told = [line for line in capsys.readouterr().out.splitlines() if line.endswith("[disagrees]")]
    assert len(told) == 1
    assert told[0].startswith(place)


def test_a_flipped_default_is_red(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("docs", "--write-baseline", "known.txt")
    capsys.readouterr()
    (project / "conf.yaml").write_text(FILES["conf.yaml"].replace("0.1", "0.3"), encoding="utf-8")
    assert check("docs", "--baseline", "known.txt") == 1
    assert "docs/a.rst:3:22: lr is documented as 0.1; conf.yaml:2 says 0.3; write 0.3 [disagrees]" in (
        capsys.readouterr().out
    )
    assert check("docs", "--baseline", "known.txt", "--fix") == 1
    assert check("docs", "--baseline", "known.txt") == 0
    text = (project / "docs" / "a.rst").read_text(encoding="utf-8")
    assert "``0.3``" in text
    assert "``7``" in text, "what is known is not mended along"


def test_healed_entries(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("docs", "--write-baseline", "known.txt")
    page = project / "docs" / "b.md"
    page.write_text("`seed` defaults to `42`.\n\n`seed` defaults to `8`.\n", encoding="utf-8")
    capsys.readouterr()
    assert check("docs", "--baseline", "known.txt") == 0
    assert "known.txt: seed as 8 in docs/b.md is healed; remove the entry\n" in capsys.readouterr().out
    assert check("docs", "--baseline", "known.txt", "--strict-baseline") == 1
    page.unlink()
    assert check("docs/a.rst", "--baseline", "known.txt", "--strict-baseline") == 1, "the page is gone"
    check("docs", "--write-baseline", "known.txt")
    assert check("docs", "--baseline", "known.txt", "--strict-baseline") == 0


def test_written_again_it_tells_what_changed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("docs", "--write-baseline", "known.txt")
    write_files(
        project,
        {
            "docs/a.rst": "``seed`` defaults to ``7``.\n\n``lr`` defaults to ``0.2``.\n",
            "docs/b.md": "`seed` defaults to `8`.\n\n`seed` defaults to `9`.\n",
        },
    )
    capsys.readouterr()
    assert check("docs", "--write-baseline", "known.txt") == 0
    assert capsys.readouterr().out.splitlines() == [
        "new: docs/a.rst:3:22: lr is documented as 0.2; conf.yaml:2 says 0.1 [disagrees]",
        "new: docs/b.md:3:21: seed is documented as 9; conf.yaml:1 says 42 [disagrees]",
        "4 known disagreements written to known.txt. 2 new, 2 kept, 2 dropped (healed).",
    ]
    assert check("docs", "--write-baseline", "known.txt") == 0
    assert capsys.readouterr().out == (
        "4 known disagreements written to known.txt. 0 new, 4 kept, 0 dropped (healed).\n"
    )
    assert check("docs/a.rst", "--write-baseline", "known.txt") == 0
    assert capsys.readouterr().out == (
        "2 known disagreements written to known.txt. 0 new, 2 kept, 0 dropped (healed). "
        "2 more dropped, of pages that were not looked at.\n"
    )
    (project / "known.txt").write_text("notes\n", encoding="utf-8")
    assert check("docs", "--write-baseline", "known.txt") == 2, "another file is not overwritten"
    assert (project / "known.txt").read_text(encoding="utf-8") == "notes\n"


def test_entries_of_code_and_config_heal_as_well(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = {"conf.yaml": "# Defaults to 6\nqueue: 7\n", "docs/a.rst": "Nothing.\n", "docs/b.md": "Nothing.\n"}
    write_files(project, config)
    check("docs", "--config-copies", "--write-baseline", "known.txt")
    assert entries(project / "known.txt") == ['["conf.yaml", "queue", "6"]']
    write_files(project, {"conf.yaml": "# Defaults to 7\nqueue: 7\n"})
    capsys.readouterr()
    assert check("docs", "--config-copies", "--baseline", "known.txt", "--strict-baseline") == 1
    assert "known.txt: queue as 6 in conf.yaml is healed" in capsys.readouterr().out
    assert check("docs", "--baseline", "known.txt", "--strict-baseline") == 0, "it was not looked at"


def test_pages_that_were_not_looked_at_are_not_healed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check("docs", "--write-baseline", "known.txt")
    capsys.readouterr()
    assert check("docs/a.rst", "--baseline", "known.txt", "--strict-baseline") == 0
    assert "healed" not in capsys.readouterr().out


def test_pyproject_names_it(project: Path) -> None:
    (project / "pyproject.toml").write_text(
        '[tool.ckpt-defaults]\nconfig = ["conf.yaml"]\nbaseline = "docs/known.txt"\n', encoding="utf-8"
    )
    assert main(["check", "--write-baseline"]) == 0
    assert entries(project / "docs" / "known.txt")[1] == '["a.rst", "seed", "7"]', "relative to the file's folder"
    assert main(["check"]) == 0
    assert main(["check", "--baseline", ""]) == 1


def test_two_branches_merge(project: Path) -> None:
    check("docs", "--write-baseline", "known.txt")
    known = project / "known.txt"
    lines = known.read_text(encoding="utf-8").splitlines(keepends=True)
    assert lines == [*lines[:2], *sorted(lines[2:])]
    known.write_text("".join([lines[-1], "\n", *lines[:-1], "\r\n"]), encoding="utf-8")
    assert check("docs", "--baseline", "known.txt") == 0, "the order does not count"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("<<<<<<< HEAD", "is the mark of a merge conflict; keep the lines of both sides"),
        ('["a", "b"]', "is no entry"),
        ("a b c", "is no entry"),
        ('["a", "b", 3]', "is no entry"),
    ],
)
def test_a_broken_baseline_is_one_line(project: Path, capsys: pytest.CaptureFixture[str], line: str, what: str) -> None:
    (project / "known.txt").write_text(f'["a", "b", "c"]\n{line}\n', encoding="utf-8")
    assert check("docs", "--baseline", "known.txt") == 2
    assert capsys.readouterr().err.startswith(f"ckpt-defaults: known.txt:2: {what}")
    with pytest.raises(ConfigError):
        read_baseline("missing.txt")


def test_sphinx_takes_it_from_conf_py(build: Build) -> None:
    files = {
        "../conf.yaml": FILES["conf.yaml"],
        "index.rst": "Title\n=====\n\n``seed`` defaults to ``7``.\n",
        "conf.py": """
            extensions = ['ckpt_defaults']
            ckpt_defaults_config = ['../conf.yaml']
            ckpt_defaults_baseline = 'known.txt'
            """,
        "known.txt": '["index.rst", "seed", "7"]\n["index.rst", "lr", "5"]\n',
    }
    first = build(files)
    assert first.status == 0, first.lines
    assert first.lines == []
    assert "known.txt: lr as 5 in index.rst is healed; remove the entry" in first.stdout.replace(f"{first.srcdir}/", "")
    assert "ckpt-defaults: 0 documented defaults: none is wrong. 1 known from the baseline.\n" in first.stdout
    second = build({"known.txt": ""})
    assert second.status != 0, "a change of the baseline alone counts"
    assert "seed is documented as 7" in second.warnings
    third = build({"known.txt": "nonsense\n"})
    assert third.status != 0
    assert any("known.txt:1: is no entry" in line for line in third.lines)
