"""What a project may ask of the copies in code and config: every place, and the config's own words without code."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from conftest import Build, write_files

pytest.importorskip("omegaconf", reason="fallbacks need the extra 'hydra'")

FILES = {
    "conf/main.yaml": """
        actor:
          _target_: pack.roles.Worker
          forward_only: false
          size: 4
        reward:
          ref:
            _target_: pack.roles.Worker
            forward_only: true
        late: ${oc.select:actor.size,5}
        # Defaults to 6
        queue: 7
        """,
    "src/pack/__init__.py": "",
    "src/pack/roles.py": """
        from dataclasses import dataclass

        @dataclass
        class Worker:
            forward_only: bool = False
            size: int = 4
        """,
    "docs/index.rst": "Title\n=====\n\n``queue`` defaults to ``7``.\n",
}
ROLE = "src/pack/roles.py:5 reward.ref.forward_only is documented as False; conf/main.yaml:8 says true"
FALLBACK = "conf/main.yaml:9 actor.size is documented as 5; conf/main.yaml:4 says 4"
COMMENT = "conf/main.yaml:10 queue is documented as 6; conf/main.yaml:11 says 7"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def told(capsys: pytest.CaptureFixture[str], *flags: str) -> list[str]:
    """What disagrees as ``file:line message``; the status must fit."""
    status = main(["check", "docs", "--config", "conf", *flags])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith("[disagrees]")]
    assert status == int(bool(lines))
    found = []
    for line in lines:
        place, message = line.split(" ", 1)
        found.append(f"{place.rsplit(':', 2)[0]} {message.split('; write')[0].split(' [')[0]}")
    return found


@pytest.mark.parametrize(
    ("flags", "settings", "wanted"),
    [
        ([], "", []),
        (["--code", "src"], "", [FALLBACK, COMMENT]),
        (["--code", "src", "--code-every-place"], "", [FALLBACK, COMMENT, ROLE]),
        (["--code", "src"], "code-every-place = true\n", [FALLBACK, COMMENT, ROLE]),
        ([], "code = 'src'\ncode-every-place = true\n", [FALLBACK, COMMENT, ROLE]),
        (["--config-copies"], "", [FALLBACK, COMMENT]),
        ([], "config-copies = true\n", [FALLBACK, COMMENT]),
        ([], "code-every-place = true\n", []),  # no code is named
    ],
)
def test_command(
    project: Path, capsys: pytest.CaptureFixture[str], flags: list[str], settings: str, wanted: list[str]
) -> None:
    write_files(project, {"pyproject.toml": f"[tool.ckpt-defaults]\n{settings}"})
    assert told(capsys, *flags) == wanted


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        ("", []),
        ("ckpt_defaults_code = ['../src']\n", [FALLBACK, COMMENT]),
        ("ckpt_defaults_code = ['../src']\nckpt_defaults_code_every_place = True\n", [FALLBACK, COMMENT, ROLE]),
        ("ckpt_defaults_config_copies = True\n", [FALLBACK, COMMENT]),
    ],
)
def test_build(build: Build, settings: str, wanted: list[str]) -> None:
    files = {name.removeprefix("docs/") if name.startswith("docs/") else f"../{name}": FILES[name] for name in FILES}
    conf = "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../conf']\n"
    first = build({**files, "conf.py": conf})
    assert (first.status, first.lines) == (0, [])
    built = build({"conf.py": conf + settings}, "html", "-D", "show_warning_types=0")
    assert built.status == int(bool(wanted)), built.warnings
    top = f"{built.srcdir.parent}/"
    assert [
        line.replace(top, "").replace(": ERROR:", "").split(" [")[0] for line in built.warnings.splitlines()
    ] == wanted


def test_a_role_that_differs_on_purpose_is_left_out_with_a_reason(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ignored = "ignore = ['src/pack/roles.py:reward.ref.forward_only  # the reference model never learns']\n"
    write_files(project, {"pyproject.toml": f"[tool.ckpt-defaults]\n{ignored}"})
    assert told(capsys, "--code", "src", "--code-every-place") == [FALLBACK, COMMENT]


def test_copies_alone_need_no_pages(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "docs/index.rst").unlink()
    (project / "docs").rmdir()
    assert main(["check", "--config", "conf"]) == 2
    assert main(["check", "--config", "conf", "--config-copies"]) == 1
    assert "2 of 2 documented defaults are wrong on 1 page." in capsys.readouterr().out
    assert main(["check", "--config", "conf", "--code", "src"]) == 1
    assert "2 of 4 documented defaults are wrong on 1 page." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("comment", "verdict"),
    [
        ("Defaults to 6", "disagrees"),
        ("Default is off", "disagrees"),
        ("in addition to the default lists", ""),
        ("use the default setting", ""),
    ],
)
def test_a_bare_word_is_no_value_of_another_kind(
    project: Path, capsys: pytest.CaptureFixture[str], comment: str, verdict: str
) -> None:
    write_files(project, {"conf/main.yaml": f"# {comment}\nqueue: 7\n", "docs/index.rst": "Text.\n"})
    lines = told(capsys, "--config-copies")
    assert bool(lines) == bool(verdict), lines
