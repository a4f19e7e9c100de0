"""The wheel, the commands of the README, and the build on Read the Docs, each in an environment of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
import yaml
from conftest import ROOT, write_files

PACKAGE = ROOT / "sphinx_ext" / "ckpt_defaults"


def run(argv: list[str], cwd: Path, *, status: int = 0, **env: str) -> str:
    """Runs a program to its end with ``status``, without this process's own Python environment; its output."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV", "NOX_", "PYTEST_"))}
    done = subprocess.run(
        argv,
        cwd=cwd,
        env={**inherited, **env},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == status, f"{argv}\n{done.stdout[-4000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository as a fresh clone would have it: nothing that is ignored, nothing built."""
    target = tmp_path_factory.mktemp("clone") / "repository"
    if (ROOT / ".git").exists() and shutil.which("git"):
        listed = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).split("\0")
        for name in filter(None, listed):
            if (ROOT / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target / name)
    else:
        shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(".*", "__pycache__", "_build", "dist"))
    return target


def virtualenv(folder: Path) -> Path:
    run([sys.executable, "-m", "venv", str(folder)], folder.parent)
    return folder / "bin"


@pytest.fixture(scope="module")
def wheel(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a source distribution."""
    pytest.importorskip("build")
    out = tmp_path_factory.mktemp("dist")
    run([sys.executable, "-m", "build", "--outdir", str(out), str(clone)], clone)
    assert len(list(out.glob("*.tar.gz"))) == 1
    [found] = out.glob("*.whl")
    return found


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [each for each in archive.namelist() if each.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode("utf-8"))


@pytest.mark.slow
def test_the_wheel_holds_all_of_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    wanted = {
        f"ckpt_defaults/{file.relative_to(PACKAGE).as_posix()}"
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and "." not in (file.name[0], file.parent.name[0])
    }
    assert names == wanted
    assert {
        "ckpt_defaults/locale/zh_CN/LC_MESSAGES/ckpt_defaults.mo",
        "ckpt_defaults/static/ckpt_defaults.css",
        "ckpt_defaults/phrases/en.yaml",
        "ckpt_defaults/py.typed",
    } <= names


@pytest.mark.slow
def test_the_wheel_says_what_it_needs(wheel: Path) -> None:
    told = metadata(wheel)
    assert (told["Name"], told["Requires-Python"], told["License-Expression"]) == (
        "sphinx-ckpt-defaults",
        ">=3.10",
        "Apache-2.0",
    )
    needs = [each for each in told.get_all("Requires-Dist", []) if "extra ==" not in each]
    assert sorted(re.split(r"[>=<;! ]", each)[0].lower() for each in needs) == ["pyyaml", "sphinx", "tomli"]
    assert {"hydra", "myst", "plot", "docs", "test"} <= set(told.get_all("Provides-Extra", []))


@pytest.mark.slow
def test_the_wheel_works_where_only_it_is_installed(wheel: Path, tmp_path: Path) -> None:
    tools = virtualenv(tmp_path / "env")
    run([str(tools / "pip"), "install", "--quiet", f"{wheel}[hydra]"], tmp_path)
    write_files(
        tmp_path,
        {
            "config/engine/megatron.yaml": (
                "dist_ckpt_optim_fully_reshardable: False\ndistrib_optim_fully_reshardable_mem_efficient: False\n"
            ),
            "docs/conf.py": (
                "extensions = ['ckpt_defaults']\nckpt_defaults_config = ['../config']\nlanguage = 'zh_CN'\n"
            ),
            "docs/index.rst": "T\n=\n\n.. ckpt-defaults::\n   :expect: dp-reshardable\n",
        },
    )
    run([str(tools / "sphinx-build"), "-W", "-n", "-b", "html", "docs", "out"], tmp_path)
    html = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "默认格式" in html
    assert (tmp_path / "out/_static/ckpt_defaults.css").is_file()
    assert metadata(wheel)["Version"] in run([str(tools / "ckpt-defaults"), "--version"], tmp_path)


def commands_of_the_readme() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("## Two commands", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"^\$ (.+)$", section, re.M)


def test_the_readme_has_two_commands_for_tasks_that_exist() -> None:
    docs, tests = commands_of_the_readme()
    tasks = re.findall(r"^def (\w+)\(session: nox.Session", (ROOT / "noxfile.py").read_text(encoding="utf-8"), re.M)
    assert docs.endswith("nox -s docs")
    assert tests.endswith("nox -s tests")
    assert {"docs", "tests", "lint", "config", "bench", "corpus", "megatron", "linkcheck"} <= set(tasks)


@pytest.mark.fresh
def test_the_readme_s_first_command_builds_the_site_on_a_fresh_clone(clone: Path) -> None:
    run(["bash", "-ec", commands_of_the_readme()[0]], clone)
    assert (clone / "docs/_build/html/advance/checkpoint.html").is_file()


@pytest.mark.fresh
def test_read_the_docs_builds_the_site(clone: Path, tmp_path: Path) -> None:
    """Its very commands, in a fresh environment, with the variables that it sets."""
    build = yaml.safe_load((clone / ".readthedocs.yaml").read_text(encoding="utf-8"))["build"]
    tools = virtualenv(tmp_path / "env")
    output = tmp_path / "output"
    output.mkdir()
    for command in build["commands"]:
        run(
            ["bash", "-ec", command],
            clone,
            PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
            READTHEDOCS="True",
            READTHEDOCS_OUTPUT=str(output),
            READTHEDOCS_GIT_CLONE_URL="https://example.org/project/repository.git",
            READTHEDOCS_GIT_COMMIT_HASH="0123abc",
        )
    page = (output / "html/advance/checkpoint.html").read_text(encoding="utf-8")
    assert "https://example.org/project/repository/blob/0123abc/verl/trainer/config/engine/megatron.yaml#L" in page


RECIPES = {
    "tox": ("tox.ini", ["tox", "-q", "-e", "defaults"]),
    "nox": ("noxfile.py", ["nox", "-s", "defaults"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("program", RECIPES)
def test_the_recipe_installs_and_runs_the_check(wheel: Path, tmp_path: Path, program: str) -> None:
    """The recipe as the documentation shows it, with the wheel as what a package index would give."""
    recipe, command = RECIPES[program]
    scripts = virtualenv(tmp_path / "env")
    run([str(scripts / "python"), "-m", "pip", "install", "-q", program], tmp_path)
    files = {"config/main.yaml": "seed: 42\n", "docs/page.rst": "``seed`` defaults to ``7``.\n"}
    project = write_files(tmp_path / "project", files)
    shutil.copy(ROOT / "docs/how-to/recipes" / recipe, project)
    links = f"{wheel.parent} {os.environ.get('PIP_FIND_LINKS', '')}"
    call = [str(scripts / command[0]), *command[1:]]
    told = run(call, project, status=1, PIP_FIND_LINKS=links, LC_ALL="C")
    assert "docs/page.rst:1:24: seed is documented as 7; config/main.yaml:1 says 42; write 42" in told
    write_files(project, {"docs/page.rst": "``seed`` defaults to ``42``.\n"})
    told = run(call, project, PIP_FIND_LINKS=links, LC_ALL="C")
    assert "1 documented default: none is wrong." in told
