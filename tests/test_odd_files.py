"""Files that are no files, and files nobody meant: one line, status 2, nothing waits and nothing is lost."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.writing import replace_file
from conftest import sphinx_build, write_files

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")

PAGE = "A\n=\n\n``retries`` defaults to 3.\n"
CHECK = ("check", "docs", "--config", "conf.yaml", "--no-cache")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {"conf.yaml": "retries: 5\n", "docs/a.rst": PAGE})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def mistake(args: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a mistake gives."""
    capsys.readouterr()
    assert main(args) == 2
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    return told.err


def bounded(args: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which a wait would end with an error."""
    return subprocess.run(
        [sys.executable, "-m", "ckpt_defaults.cli", *args], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("pipe", "more"),
    [
        ("docs/x.rst", ()),
        ("docs/sub/x.md", ()),
        ("pipe.yaml", ("--config", "pipe.yaml")),
        ("confs/pipe.yaml", ("--config", "confs")),
        ("pipe.txt", ("--baseline", "pipe.txt")),
        ("pipe.txt", ("--write-baseline", "pipe.txt")),
        ("pipe.rst", ("pipe.rst",)),
    ],
)
def test_a_pipe_is_refused_and_not_waited_for(project: Path, pipe: str, more: tuple[str, ...]) -> None:
    (project / pipe).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(project / pipe)
    done = bounded([CHECK[0], *(m for m in more if m.endswith(".rst")), *CHECK[1:],
                    *(m for m in more if not m.endswith(".rst"))])  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"ckpt-defaults: {pipe}: ")
    assert "a pipe or a device" in done.stderr
    assert done.stderr.count("\n") == 1
    assert stat.S_ISFIFO((project / pipe).stat().st_mode)


@pytest.mark.parametrize("text", [".. include:: f.txt\n", ".. literalinclude:: f.txt\n", "```{include} f.txt\n```\n"])
def test_an_included_pipe_is_not_waited_for(project: Path, text: str) -> None:
    os.mkfifo(project / "docs/f.txt")
    (project / "docs" / ("x.md" if "{" in text else "x.rst")).write_text(text)
    assert bounded(CHECK).returncode == 1


def test_what_is_no_regular_file_is_never_replaced(project: Path) -> None:
    pipe = project / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="a pipe or a device"):
        replace_file(str(pipe), b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [p.name for p in project.iterdir() if p.name.endswith(".tmp")] == []


def test_the_lock_of_an_editor_is_no_page(project: Path) -> None:
    (project / "docs/.#a.rst").symlink_to("somebody@host.1234")
    assert main(CHECK) == 1


@pytest.mark.parametrize(
    "text",
    [
        "tool = 3\n",
        "[tool]\nckpt-defaults = 3\n",
        "[[tool.ckpt-defaults]]\n",
        f"a = {'[' * 20000}",
        f"a = {'9' * 6000}",
    ],
)
def test_toml_of_another_shape(project: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    if text.startswith("tool"):
        assert main(CHECK) == 1
    else:
        assert mistake(CHECK, capsys).startswith("ckpt-defaults: pyproject.toml: ")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["check", "docs", "--config", ""], "'': does not exist; check the path"),
        (["check", "", "--config", "conf.yaml"], "'': does not exist; name a page or a folder of pages"),
        ([*CHECK, "--changed-since", ""], "--changed-since is empty; name a revision"),
    ],
)
def test_an_empty_value_is_told(capsys: pytest.CaptureFixture[str], args: list[str], told: str) -> None:
    assert mistake(args, capsys).startswith(f"ckpt-defaults: {told}")


@pytest.mark.parametrize("jobs", ["0", "-1", "x", "", "²", "9" * 5000])
def test_odd_numbers_of_processes(capsys: pytest.CaptureFixture[str], jobs: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([*CHECK, f"--jobs={jobs}"])
    assert stopped.value.code == 2
    assert "is no number of processes" in capsys.readouterr().err


@pytest.mark.parametrize(
    "pages",
    [
        {"x.md": "# A\n\n```{include} x.md\n```\n"},
        {"x.md": "# A\n\n```{include} y.md\n```\n", "y.md": "# B\n\n```{include} x.md\n```\n"},
        {"x.md": "# A\n\n```{include} y.txt\n```\n", "y.txt": "```{include} y.txt\n```\n"},
        {"x.rst": ".. include:: y.rst\n", "y.rst": ".. include:: x.rst\n"},
    ],
)
def test_pages_that_include_themselves(project: Path, pages: dict[str, str]) -> None:
    write_files(project / "docs", pages)
    assert main(CHECK) == 1


@pytest.mark.parametrize("quoted", ["'naive'", '"naive"', "``'naive'``", "a--b"])
@pytest.mark.parametrize(
    "where", ["- ``kind``: what it is. Default is {}.\n", "| key | default |\n|---|---|\n| kind | {} |\n"]
)
def test_smart_quotes_do_not_wake_a_baseline(project: Path, quoted: str, where: str) -> None:
    ending = ".md" if where.startswith("|") else ".rst"
    conf = "extensions = ['ckpt_defaults', 'myst_parser']\nckpt_defaults_config = ['../conf.yaml']\n"
    (project / "docs/a.rst").unlink()
    write_files(project, {
        "conf.yaml": "kind: null\n",
        "docs/index" + ending: ("# A\n\n" if ending == ".md" else "A\n=\n\n") + where.format(quoted),
        "docs/conf.py": conf + "ckpt_defaults_baseline = 'known'\nmyst_enable_extensions = ['smartquotes']\n",
    })  # fmt: skip
    assert main([*CHECK, "--write-baseline", "docs/known"]) == 0
    assert "naive" in (project / "docs/known").read_text() or "a--b" in (project / "docs/known").read_text()
    built = sphinx_build(project / "docs", "dummy", "-q")
    assert "disagrees" not in built.warnings


HEAD = "from dataclasses import dataclass\n"


@pytest.mark.parametrize(
    ("code", "target"),
    [
        (HEAD + "class A0: pass\n" + "".join(f"class A{i}(A{i - 1}): pass\n" for i in range(1, 3000))
         + "@dataclass\nclass C(A2999):\n    x: int = 2\n", "pkg.C"),
        (HEAD + "@dataclass\nclass C(C):\n    x: int = 1\n", "pkg.C"),
        (HEAD + "@dataclass\nclass C:\n    x: int = 1\n", "a." * 20_000 + "C"),
        (HEAD + "@dataclass\nclass C:\n    x: int = " + "(" * 100_000, "pkg.C"),
        (HEAD + "@dataclass\nclass C:\n    x: int = 10**10**10\n", "pkg.C"),
        (HEAD + "@dataclass\nclass C:\n    x: float = 1e999\n", "pkg.C"),
        (None, "pkg.C"),
    ],
    ids=["bases", "itself", "target", "brackets", "power", "infinite", "pipe"],
)  # fmt: skip
def test_code_that_nobody_writes(project: Path, code: str | None, target: str) -> None:
    write_files(project, {"conf.yaml": f"m:\n  _target_: {target}\n  x: 1\n", "code/pkg/x.txt": ""})
    if code is None:
        os.mkfifo(project / "code/pkg/__init__.py")
    else:
        (project / "code/pkg/__init__.py").write_text(code)
    done = bounded(["check", "--config", "conf.yaml", "--code", "code", "--no-cache"])
    assert done.returncode in (0, 1)
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") <= 2


@pytest.mark.parametrize("value", [".inf", "-.inf", ".nan", "1e999", "9" * 400])
@pytest.mark.parametrize("stated", ["3", "3.0", "3 seconds", "3 MB", "1e999", "9" * 400, "10^999", "'x'"])
def test_numbers_that_are_infinite(project: Path, value: str, stated: str) -> None:
    write_files(project, {
        "conf.yaml": f"wait_ms: {value}\n",
        "docs/a.rst": f"A\n=\n\n``wait_ms`` defaults to {stated}.\n\nThe defaults:\n\n.. code-block:: yaml\n\n"
                      f"   wait_ms: {stated}\n",
    })  # fmt: skip
    assert main([*CHECK, "--all"]) in (0, 1)
    assert main([*CHECK, "--fix"]) in (0, 1)
    once = (project / "docs/a.rst").read_text()
    main([*CHECK, "--fix"])
    assert (project / "docs/a.rst").read_text() == once


@pytest.mark.parametrize("line", ["[" * 100_000, "9" * 6000, "\\0"])
def test_a_baseline_of_anything(project: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    (project / "known").write_text(line + "\n")
    assert mistake([*CHECK, "--baseline", "known"], capsys).startswith("ckpt-defaults: known:1: is no entry")


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names of any bytes")
def test_a_page_whose_name_is_no_text(project: Path) -> None:
    os.rename("docs/a.rst", b"docs/\xff.rst")
    for form in ("text", "json", "sarif", "github", "junit"):
        done = subprocess.run(
            [sys.executable, "-m", "ckpt_defaults.cli", *CHECK, "--format", form], capture_output=True, check=False,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (1, b""), form
        if form in ("json", "sarif"):
            assert json.loads(done.stdout)
    assert main([*CHECK, "--write-baseline", "known"]) == 0
    assert main([*CHECK, "--baseline", "known", "--strict-baseline"]) == 0
    assert [main(["check", "docs", "--config", "conf.yaml"]) for _ in range(2)] == [1, 1]  # remembered


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github", "junit"])
def test_values_that_the_terminal_cannot_show(project: Path, form: str) -> None:
    write_files(project, {"conf.yaml": "retries: ä默认😀\n"})
    done = subprocess.run(
        [sys.executable, "-m", "ckpt_defaults.cli", *CHECK, "--format", form], capture_output=True, check=False,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b""), form
    if form in ("json", "sarif"):
        assert "ä默认😀" in json.dumps(json.loads(done.stdout), ensure_ascii=False)


NESTED = "${A:" * 2000 + "x" + "}" * 2000


@pytest.mark.parametrize("stated", [NESTED, "`" * 5000 + "x" + "`" * 5000, "(" * 2000, "'" * 4000])
@pytest.mark.parametrize("value", ["5", f"'{NESTED}'"])
def test_values_nested_beyond_measure(project: Path, stated: str, value: str) -> None:
    write_files(project, {
        "conf.yaml": f"retries: {value}\n", "docs/a.rst": f".. confval:: retries\n   :default: {stated}\n",
    })  # fmt: skip
    assert main([*CHECK, "--all"]) in (0, 1)
    assert main([*CHECK, "--fix"]) in (0, 1)
