"""The project's tasks: ``nox -l`` lists them, ``nox -s docs`` runs one."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import nox

nox.needs_version = ">=2024.4"
nox.options.sessions = ["lint", "config", "tests", "docs"]
nox.options.reuse_existing_virtualenvs = True

CONFIG = "verl/trainer/config"
SPHINX = {"oldest": "sphinx==7.4.*", "newest": "sphinx"}


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation into docs/_build/BUILDER; warnings are errors.

    ``nox -s docs -- -b latex -j 2`` takes another builder or further arguments of sphinx-build, ``--lax`` leaves out
    ``-W --keep-going -n``, ``--output DIR`` writes elsewhere.
    """
    parser = argparse.ArgumentParser(prog="nox -s docs --", add_help=False)
    parser.add_argument("-b", "--builder", default="html")
    parser.add_argument("--output")
    parser.add_argument("--lax", action="store_true")
    given, rest = parser.parse_known_args(session.posargs)
    session.install("-e", ".[docs]")
    strict = [] if given.lax else ["-W", "--keep-going", "-n"]
    output = given.output or f"docs/_build/{given.builder}"
    doctrees = f"docs/_build/doctrees/{given.builder}"
    session.run("sphinx-build", *strict, "-b", given.builder, "-d", doctrees, *rest, "docs", output)


@nox.session
def linkcheck(session: nox.Session) -> None:
    """Follow the links of the documentation (needs the network)."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-b", "linkcheck", *session.posargs, "docs", "docs/_build/linkcheck")


@nox.session
@nox.parametrize("sphinx", list(SPHINX))
def tests(session: nox.Session, sphinx: str) -> None:
    """Run the tests, with the oldest Sphinx that is supported and the newest that this Python takes.

    The oldest leaves out those that build environments of their own, both leave out those that set up the docs again.
    Arguments go to pytest instead: ``-- -m fresh`` runs the latter.
    """
    session.install("-e", ".[test]", SPHINX[sphinx])
    workers = str(min(4, os.cpu_count() or 1))
    chosen = session.posargs or ["-m", "not slow and not fresh" if sphinx == "oldest" else "not fresh"]
    session.run("pytest", "-n", workers, "--dist", "loadfile", *chosen)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and types."""
    session.install("-e", ".[lint]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
def config(session: nox.Session) -> None:
    """Write the flattened configs anew; ``nox -s config -- --check`` only says whether they are out of date."""
    session.install("-e", ".[hydra]")
    session.run("python", "-m", "ckpt_defaults.flatten", *session.posargs, CONFIG)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure the cost of a page and of a config, against hand-written tables and against peers."""
    session.install("-e", ".[test]")
    _run_tool(session, "tools/bench.py")


@nox.session
def corpus(session: nox.Session) -> None:
    """Score the checker on the documentation of real projects, where ../shared is there."""
    session.install("-e", ".[test]")
    _run_tool(session, "tools/corpus.py")


@nox.session
def megatron(session: nox.Session) -> None:
    """Run Megatron-Core's own save and load on CPU and compare them with the formula (downloads torch).

    A CPU build of torch is enough: ``TORCH="torch==2.13.0" nox -s megatron`` names one where the index has it. The
    release of Megatron-Core follows the Python (0.19.2 wants 3.12): ``--force-python 3.12`` takes another.
    """
    session.install("-e", ".[test]", os.environ.get("TORCH", "torch"), "numpy", "packaging", "psutil")
    new, old = "python_version >= '3.12'", "python_version < '3.12'"
    releases = (f"megatron-core==0.19.2; {new}", f"triton; {new}", f"megatron-core==0.16.1; {old}")
    session.install("--no-deps", *releases)
    _run_tool(session, "tools/megatron/run.py")


def _run_tool(session: nox.Session, tool: str) -> None:
    if not Path(tool).is_file():
        session.error(f"{tool} is missing")
    session.run("python", tool, *session.posargs)
