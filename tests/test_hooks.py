"""Hooks, action and recipes: tried as far as this goes without the services that run them."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ckpt_defaults.version import __version__
from conftest import ROOT, write_files

RECIPES = ROOT / "docs" / "how-to" / "recipes"
FILES = {
    "config/main.yaml": "seed: 42\n",
    "docs/page.rst": "``seed`` defaults to ``42``.\n",
}
WRONG = "``seed`` defaults to ``7``.\n"


def read(file: Path) -> Any:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def run(folder: Path, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )


def git(folder: Path, *args: str) -> None:
    identity = ("-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
    done = run(folder, "git", *identity, *args)
    assert done.returncode == 0, done.stdout


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, str]:
    """An environment in which ``ckpt-defaults`` is this repository's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "ckpt-defaults"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ckpt_defaults.cli "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        (ROOT / "action.yml", "vendor.github-actions"),
        (RECIPES / "github.yml", "vendor.github-workflows"),
        (RECIPES / "gitlab-ci.yml", "vendor.gitlab-ci"),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_files_of_services_fit_their_schemas(file: Path, schema: str) -> None:
    if importlib.util.find_spec("check_jsonschema") is None:
        pytest.skip("check-jsonschema is not installed")
    done = run(ROOT, sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file))
    assert done.returncode == 0, done.stdout


def test_hooks_fit_pre_commit() -> None:
    if importlib.util.find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed")
    for command, file in (
        ("validate-manifest", ROOT / ".pre-commit-hooks.yaml"),
        ("validate-config", RECIPES / "pre-commit-config.yaml"),
    ):
        done = run(ROOT, sys.executable, "-m", "pre_commit", command, str(file))
        assert done.returncode == 0, done.stdout
    hooks = {hook["id"] for hook in read(ROOT / ".pre-commit-hooks.yaml")}
    assert {hook["id"] for hook in read(RECIPES / "pre-commit-config.yaml")["repos"][0]["hooks"]} == hooks


def test_recipes_name_this_version() -> None:
    assert read(RECIPES / "pre-commit-config.yaml")["repos"][0]["rev"] == f"v{__version__}"
    assert f"sphinx-ckpt-defaults@v{__version__}" in (RECIPES / "github.yml").read_text(encoding="utf-8")


def test_recipes_use_inputs_that_the_action_has() -> None:
    inputs = set(read(ROOT / "action.yml")["inputs"])
    steps = read(RECIPES / "github.yml")["jobs"]["defaults"]["steps"]
    assert set(steps[1]["with"]) <= inputs


@pytest.mark.parametrize(("text", "status"), [(FILES["docs/page.rst"], 0), (WRONG, 1)])
def test_the_script_of_the_action(tmp_path: Path, commands: dict[str, str], text: str, status: int) -> None:
    """Run by bash as GitHub would, with inputs in the environment."""
    project = write_files(tmp_path / "a project", {**FILES, "docs/page.rst": text})
    step = next(step for step in read(ROOT / "action.yml")["runs"]["steps"] if step.get("id") == "check")
    output = tmp_path / "output"
    env = {"DOCS": "docs\n", "CONFIG": "config\n", "ARGS": "--all\n", "SARIF": "x.sarif", "GITHUB_OUTPUT": str(output)}
    done = run(project, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], **env, **commands)
    assert done.returncode == status, done.stdout
    assert output.read_text(encoding="utf-8") == f"status={status}\n"
    assert ("::error file=docs/page.rst,line=1,col=24" in done.stdout) is bool(status)
    assert '"version": "2.1.0"' in (project / "x.sarif").read_text(encoding="utf-8")
    bad = run(project, "bash", "-eo", "pipefail", "-c", step["run"], **{**env, "CONFIG": "none"}, **commands)
    assert bad.returncode == 2


@pytest.mark.parametrize(("text", "status"), [(FILES["docs/page.rst"], 0), (WRONG, 1)])
def test_the_script_for_gitlab(tmp_path: Path, commands: dict[str, str], text: str, status: int) -> None:
    project = write_files(tmp_path / "project", {**FILES, "docs/page.rst": text})
    script = read(RECIPES / "gitlab-ci.yml")["documented-defaults"]["script"]
    done = run(project, "bash", "-eo", "pipefail", "-c", "\n".join(script[1:]), **commands)
    assert done.returncode == status, done.stdout
    assert "<testsuites" in (project / "defaults.xml").read_text(encoding="utf-8")


def test_the_makefile(tmp_path: Path, commands: dict[str, str]) -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    project = write_files(tmp_path / "project", {**FILES, "docs/page.rst": WRONG})
    shutil.copy(RECIPES / "Makefile", project)
    assert run(project, "make", "defaults", **commands).returncode != 0
    assert run(project, "make", "defaults-fix", **commands).returncode != 0, "it changed a page"
    assert run(project, "make", "defaults", **commands).returncode == 0
    assert run(project, "make", "defaults-fix", **commands).returncode == 0


def test_the_noxfile(tmp_path: Path) -> None:
    if importlib.util.find_spec("nox") is None:
        pytest.skip("nox is not installed")
    done = run(tmp_path, sys.executable, "-m", "nox", "-f", str(RECIPES / "noxfile.py"), "-l")
    assert done.returncode == 0
    assert "defaults -> Compare documented defaults with the config" in done.stdout


@pytest.mark.slow
def test_the_hooks_in_a_real_repository(tmp_path: Path) -> None:
    """pre-commit installs this repository and runs both hooks; a config-only change stops the commit, too."""
    if importlib.util.find_spec("pre_commit") is None:
        pytest.skip("pre-commit is not installed")
    ours = tmp_path / "ours"
    ours.mkdir()
    for name in (".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, ours)
    shutil.copytree(ROOT / "sphinx_ext", ours / "sphinx_ext", ignore=shutil.ignore_patterns("__pycache__"))
    git(ours, "init", "-q")
    git(ours, "add", "-f", ".")
    git(ours, "commit", "-q", "-m", "x")
    revision = run(ours, "git", "rev-parse", "HEAD").stdout.strip()
    hooks = read(RECIPES / "pre-commit-config.yaml")
    hooks["repos"][0].update(repo=str(ours), rev=revision)
    options = '[tool.ckpt-defaults]\ndocs = ["docs"]\nconfig = ["config"]\n'
    project = {**FILES, "pyproject.toml": options, ".pre-commit-config.yaml": yaml.safe_dump(hooks)}
    theirs = write_files(tmp_path / "theirs", project)
    git(theirs, "init", "-q")
    git(theirs, "add", ".")
    home = {"PRE_COMMIT_HOME": str(tmp_path / "home")}
    installed = run(theirs, sys.executable, "-m", "pre_commit", "install", "--install-hooks", **home)
    if installed.returncode and ("No matching distribution" in installed.stdout or "Connection" in installed.stdout):
        pytest.skip("no package index can be reached")
    assert installed.returncode == 0, installed.stdout

    def commit() -> subprocess.CompletedProcess[str]:
        run(theirs, "git", "add", "-A", ":!.ckpt-defaults-cache")
        name = ("-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false")
        return run(theirs, "git", *name, "commit", "-q", "-m", "x", **home)

    first = commit()
    assert first.returncode == 0, first.stdout
    write_files(theirs, {"config/main.yaml": "seed: 43\n"})
    stopped = commit()
    assert stopped.returncode != 0, "a config alone was committed"
    assert (
        "docs/page.rst:1:24: seed is now documented as 43 instead of 42, as config/main.yaml:1 says" in stopped.stdout
    )
    assert (theirs / "docs/page.rst").read_text(encoding="utf-8") == "``seed`` defaults to ``43``.\n"
    assert commit().returncode == 0
    write_files(theirs, {"docs/page.rst": "``seed``: default ``44`` (disabled).\n"})
    told = commit()
    assert told.returncode != 0
    assert "left alone" in told.stdout
    assert "seed is documented as 44" in told.stdout
