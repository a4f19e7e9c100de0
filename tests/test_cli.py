"""The command: its flags, its exit statuses, and one line for each mistake."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.version import __version__
from conftest import ROOT, write_files

FILES = {
    "conf.yaml": "seed: 42\nlr: 1e-6\n",
    "docs/right.rst": "``seed`` defaults to ``42``.\n",
    "docs/wrong.rst": "``seed`` defaults to ``7``.\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def command(*args: str, **env: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "ckpt_defaults.cli", *args],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", **env},
        check=False,
    )


@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["docs/right.rst"], 0),
        (["docs/wrong.rst"], 1),
        (["docs"], 1),
        ([], 1),  # the folder docs, where none is named
        (["docs/right.rst", "--fix"], 0),
        (["docs/wrong.rst", "--diff"], 1),
        (["docs/wrong.rst", "--fix"], 1),
        (["docs/wrong.rst", "--root", "conf"], 1),
        (["docs/wrong.rst", "-j", "2"], 1),
        (["docs/wrong.rst", "--statistics", "--all"], 1),
    ],
)
def test_exit_status(project: Path, args: list[str], status: int) -> None:
    assert main(["check", *args, "--config", "conf.yaml"]) == status


@pytest.mark.parametrize("fail_on", ["disagrees", "unknown-key", "never"])
def test_fail_on(project: Path, fail_on: str) -> None:
    rows = "| `seed` | 42 |\n| `lr` | 1e-6 |\n| `gone` | 1 |\n"
    write_files(
        project,
        {
            "pyproject.toml": f'[tool.ckpt-defaults]\nconfig = ["conf.yaml"]\nfail-on = "{fail_on}"\n',
            "docs/gone.md": f"| key | default |\n|---|---|\n{rows}",
        },
    )
    assert main(["check", "docs/gone.md"]) == int(fail_on == "unknown-key")
    assert main(["check", "docs/wrong.rst"]) == int(fail_on != "never")


CONFIGURED = ["--config", "conf.yaml"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["check", "nowhere", *CONFIGURED], "nowhere: does not exist; name a page or a folder of pages"),
        (["check", "conf.yaml", *CONFIGURED], "conf.yaml: is no page; pages end with .rst or .md"),
        (["check", "docs"], "no config is named; give --config PATH, or config in [tool.ckpt-defaults]"),
        (["check", "docs", "--config", "none.yaml"], "none.yaml: does not exist; check the path"),
        (["check", "docs", "--config", "bad.yaml"], "bad.yaml:3: is not valid YAML"),
        (["check", "docs", *CONFIGURED, "--root", "x"], "no root is called 'x'; there are: conf.yaml"),
        (["check", "docs", *CONFIGURED, "--pages", "x"], "--pages 'x' is no PATTERN=ROOT"),
        (["check", "docs", *CONFIGURED, "other"], "other: does not exist; check the path"),
        (
            ["check", "docs", *CONFIGURED, "--format", "text", "other"],
            "'other' is one argument too many; name DOCS together, in front of the flags",
        ),
        (["check", "docs", *CONFIGURED, "--code-every-place"], "--code-every-place judges the fields of classes: name"),
        (["check", "docs", *CONFIGURED, "--live"], "--live rewrites pages: write it with --fix, or with --diff"),
        (
            ["check", "docs", *CONFIGURED, "--fix", "--format", "json"],
            "--fix and --diff print text; leave out --format",
        ),
        (["check", "docs", *CONFIGURED, "--write-baseline"], "--write-baseline needs a file: --write-baseline FILE"),
        (["check", *CONFIGURED, "--write-baseline", "docs"], "--write-baseline 'docs' is no baseline"),
        (["check", "docs", *CONFIGURED, "--write-baseline", "no/b.txt"], "no/b.txt: cannot be written"),
        (["check", "docs", *CONFIGURED, "--write-baseline", "b", "--fix"], "--write-baseline takes the whole check"),
        (["check", "docs", *CONFIGURED, "--baseline", "none"], "none: cannot be read"),
        (["check", "docs", *CONFIGURED, "--strict-baseline"], "--strict-baseline needs a baseline: --baseline FILE"),
        (["show", "sed", *CONFIGURED], "no config has the key 'sed'; did you mean seed?"),
        (["impact", "sed=1", *CONFIGURED], "no config has the key 'sed'; did you mean seed?"),
    ],
)
def test_mistakes_are_one_line(
    project: Path, capsys: pytest.CaptureFixture[str], args: list[str], message: str
) -> None:
    write_files(project, {"bad.yaml": "a: 1\nb: [\n"})
    before = sorted(project.rglob("*.rst")), (project / "docs/wrong.rst").read_bytes()
    assert main(args) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"ckpt-defaults: {message}")
    assert captured.err.count("\n") == 1
    assert captured.out == ""
    assert (sorted(project.rglob("*.rst")), (project / "docs/wrong.rst").read_bytes()) == before


@pytest.mark.parametrize("args", [["check", "-j", "0"], ["check", "--format", "xml"], ["nothing"], []])
def test_bad_arguments(project: Path, args: list[str]) -> None:
    done = command(*args)
    assert done.returncode == 2
    assert "usage: ckpt-defaults" in done.stderr
    assert "Traceback" not in done.stderr


def test_version_and_help() -> None:
    assert command("--version").stdout == f"ckpt-defaults {__version__}\n"
    text = command("check", "--help").stdout
    for flag in (
        "--fix",
        "--diff",
        "--baseline",
        "--write-baseline",
        "--strict-baseline",
        "--changed-since",
        "--format",
    ):
        assert flag in text
    assert "--live" in text


def test_broken_pipe(project: Path) -> None:
    (project / "docs/wrong.rst").write_text("``seed`` defaults to ``7``.\n\n" * 3, encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-m", "ckpt_defaults.cli", "check", "docs", "--config", "conf.yaml"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 2, "what was found was not told"


def test_chinese(project: Path) -> None:
    done = command("check", "docs", "--config", "conf.yaml", LC_ALL="", LANGUAGE="zh_CN", LANG="zh_CN.UTF-8")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "docs/wrong.rst:1:24: 文档称 seed 的默认值为 7，而 conf.yaml:1 为 42；请写 42 [disagrees]",
        "2 条默认值说明中有 1 条有误，涉及 1 个页面。",
    ]
    mended = command("check", "docs", "--config", "conf.yaml", "--fix", LC_ALL="", LANGUAGE="zh_CN", LANG="zh_CN.UTF-8")
    assert mended.stdout.splitlines()[-1] == "已修正 1 个文件中的 1 个值。"


def test_cache_and_none_agree(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for args in ([], [], ["--no-cache"]):
        main(["check", "docs", "--config", "conf.yaml", *args])
        outputs.append(capsys.readouterr().out)
    assert len(set(outputs)) == 1
    assert (project / ".ckpt-defaults-cache").is_dir()
