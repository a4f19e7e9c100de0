"""Fixtures for every test: real Sphinx builds of small projects."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""

SHARED = Path(os.environ.get("CKPT_DEFAULTS_SHARED", str(ROOT.parent / "shared")))
"""An optional folder beside the repository with corpora; tests that use it skip where it is absent."""


@dataclass(frozen=True)
class Built:
    """What a build left: its exit status, what it printed, and its folders."""

    status: int
    stdout: str
    warnings: str
    srcdir: Path
    outdir: Path

    def read(self, name: str) -> str:
        """The text of a file of the output."""
        return (self.outdir / name).read_text(encoding="utf-8")

    @property
    def lines(self) -> list[str]:
        """The warnings and errors, one a line, with paths relative to the source folder."""
        prefix = f"{self.srcdir}{os.sep}"
        return [line.replace(prefix, "") for line in self.warnings.splitlines() if line.strip()]


class Build(Protocol):
    """Runs ``sphinx-build``; see the fixture :func:`build`."""

    def __call__(
        self, source: Path | Mapping[str, str], builder: str = "html", *args: str, process: bool = False
    ) -> Built: ...


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes ``files`` (paths relative to ``folder``, texts dedented) and returns ``folder``."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
    return folder


def sphinx_build(srcdir: Path, builder: str, *args: str, process: bool = False) -> Built:
    """Runs ``sphinx-build`` on ``srcdir``, in this process or its own; the output is in ``_build/BUILDER`` beside it.

    A second call with the same builder is a rebuild. Sphinx's catalogues are forgotten first: they outlive a build.
    """
    outdir = srcdir.parent / "_build" / builder
    doctrees = srcdir.parent / "_build" / ("doctrees-gettext" if builder == "gettext" else "doctrees")
    argv = ["-N", "-b", builder, "-d", str(doctrees), *args, str(srcdir), str(outdir)]
    if process:
        path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", *argv],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
            cwd=srcdir.parent,
            check=False,
        )
        return Built(done.returncode, done.stdout, done.stderr, srcdir, outdir)
    from sphinx.cmd.build import main
    from sphinx.locale import translators

    translators.clear()
    stdout, stderr = io.StringIO(), io.StringIO()
    modules = set(sys.modules)
    path_before = list(sys.path)
    try:
        with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
            status = main(argv)
    finally:
        sys.path[:] = path_before
        for name in set(sys.modules) - modules:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(srcdir.parent)):
                del sys.modules[name]  # a project's own extension: the next project may have one of the same name
    return Built(status, stdout.getvalue(), stderr.getvalue(), srcdir, outdir)


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """``build(source, builder="html", *args, process=False)``: a real Sphinx build.

    ``source`` is a source folder, or its files as ``{path: text}`` (dedented; ``../`` reaches the project's folder,
    ``tmp_path/project``, whose ``docs`` is the source folder; ``conf.py`` may be left out). Calling it again with other
    files adds to or overwrites those that are there, and rebuilds. ``args`` go to ``sphinx-build`` (``-W``, ``-j``,
    ``2``, ``-D``, ``language=zh_CN``); ``process=True`` takes a process of its own.
    """

    def run(source: Path | Mapping[str, str], builder: str = "html", *args: str, process: bool = False) -> Built:
        if isinstance(source, Path):
            srcdir = source
        else:
            srcdir = tmp_path / "project" / "docs"
            srcdir.mkdir(parents=True, exist_ok=True)
            write_files(srcdir, source)
            if not (srcdir / "conf.py").exists():
                write_files(srcdir, {"conf.py": "extensions = ['ckpt_defaults']\n"})
        return sphinx_build(srcdir, builder, *args, process=process)

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """The optional folder of corpora; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the corpora are not here (../shared)")
    return SHARED
