"""What is left alone, with a reason; and ignores that ignore nothing any more are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.judging.ignores import commented
from conftest import Build, write_files


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, {"conf.yaml": "seed: 42\nlr: 0.1\nname: adam\n"})


def check(*args: str) -> int:
    return main(["check", "--config", "conf.yaml", *args])


WRONG = "``seed`` defaults to ``7``.\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rst", f".. ckpt-defaults: ignore -- why\n\n{WRONG}"),
        ("a.rst", f".. ckpt-defaults: ignore\n\n{WRONG}"),
        ("a.rst", f".. ckpt-defaults: ignore-page -- why\n\n{WRONG}\n{WRONG}"),
        ("a.rst", f"{WRONG}\n.. ckpt-defaults: ignore-page -- also below\n"),
        ("a.md", "% ckpt-defaults: ignore -- why\n\n`seed` defaults to `7`.\n"),
        ("a.md", "<!-- ckpt-defaults: ignore -- why -->\n\n`seed` defaults to `7`.\n"),
        ("a.md", "Defaults:\n\n```yaml\nlr: 0.1\nseed: 7  # ckpt-defaults: ignore -- why\n```\n"),
        ("a.md", "Defaults:\n\n```yaml\nlr: 0.1\n# ckpt-defaults: ignore -- why\n# more\nseed: 7\n```\n"),
    ],
)
def test_comments(project: Path, capsys: pytest.CaptureFixture[str], name: str, text: str) -> None:
    (project / name).write_text(text, encoding="utf-8")
    assert check(name) == 0
    assert "remove it" not in capsys.readouterr().out
    (project / name).write_text(text.replace("ckpt-defaults:", "other:"), encoding="utf-8")
    assert check(name) == 1, "without the comment it disagrees"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.rst", f"{WRONG}\n.. ckpt-defaults: ignore -- why\n\nNothing.\n", 3),
        ("a.rst", ".. ckpt-defaults: ignore-page -- why\n\nNothing.\n", 1),
        ("a.rst", f"{WRONG}\n.. ckpt-defaults: ignore\n", 3),
        ("a.md", "Defaults:\n\n```yaml\nseed: 7\nlr: 0.1\n# ckpt-defaults: ignore -- why\n```\n", 6),
    ],
)
def test_comments_that_ignore_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, line: int
) -> None:
    (project / name).write_text(text, encoding="utf-8")
    for _ in range(2):  # the second time from the cache
        check(name)
        assert f"{name}:{line}: the comment ignores nothing any more; remove it\n" in capsys.readouterr().out


def test_commented_lines() -> None:
    lines = [
        "x = 1  # ckpt-defaults: ignore -- its own line",
        "    # ckpt-defaults: ignore",
        "    # another comment",
        "",
        "y = 2",
        "# ckpt-defaults: ignored",
        "z = 'ckpt-defaults: ignore'",
        "# ckpt-defaults: ignore -- at the end",
    ]
    assert list(commented(lines)) == [(1, 1), (5, 2), (8, 8)]


@pytest.mark.parametrize("pattern", ["a", "a.rst", "docs/a.rst", "a:seed", "*:seed", "docs/*", "a:se*", "a  # reason"])
def test_patterns(project: Path, capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    write_files(project, {"docs/a.rst": WRONG, "pyproject.toml": f'[tool.ckpt-defaults]\nignore = ["{pattern}"]\n'})
    assert check("docs") == 0
    assert "remove it" not in capsys.readouterr().out


@pytest.mark.parametrize("pattern", ["b", "a:lr", "other/a"])
def test_patterns_that_match_nothing(project: Path, capsys: pytest.CaptureFixture[str], pattern: str) -> None:
    write_files(project, {"docs/a.rst": WRONG, "pyproject.toml": f'[tool.ckpt-defaults]\nignore = ["{pattern}"]\n'})
    assert check("docs") == 1
    assert f"ignore pattern '{pattern}' matches no statement any more; remove it" in capsys.readouterr().out


def test_comments_in_python_and_yaml(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(
        project,
        {
            "conf.yaml": "_target_: pack.things.Thing\nseed: 42\nlr: 0.1\n",
            "pack/__init__.py": "",
            "pack/things.py": """
                from dataclasses import dataclass

                @dataclass
                class Thing:
                    seed: int = 7  # ckpt-defaults: ignore -- old callers
                    # ckpt-defaults: ignore -- as well
                    lr: float = 0.2
                """,
            "docs/a.rst": "Nothing.\n",
        },
    )
    assert check("docs", "--code", ".") == 0, capsys.readouterr().out
    file = project / "pack" / "things.py"
    file.write_text(file.read_text(encoding="utf-8").replace("ckpt-defaults: ignore", "x"), encoding="utf-8")
    assert check("docs", "--code", ".") == 1
    out = capsys.readouterr().out
    assert "pack/things.py:5:17: seed is documented as 7; conf.yaml:2 says 42; write 42 [disagrees]" in out
    assert check("docs", "--code", ".", "--fix") == 1
    text = file.read_text(encoding="utf-8")
    assert "seed: int = 42  # x -- old callers" in text
    assert "lr: float = 0.1\n" in text
    assert check("docs", "--code", ".") == 0


def test_sphinx_tells_comments_that_ignore_nothing(build: Build) -> None:
    files = {
        "../conf.yaml": "seed: 42\n",
        "index.rst": "Title\n=====\n\n.. ckpt-defaults: ignore -- why\n\n``seed`` defaults to ``7``.\n",
        "conf.py": "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../conf.yaml']\n",
    }
    assert build(files).lines == []
    healed = build({"index.rst": "Title\n=====\n\n.. ckpt-defaults: ignore -- why\n\nNothing.\n"})
    assert healed.status == 0
    message = "index.rst:4: WARNING: this comment ignores nothing any more; remove it"
    assert [line.replace(" [ckpt_defaults.ignore]", "") for line in healed.lines] == [message]
    assert build({}).lines == healed.lines, "told again when nothing changed"
