"""The command and a Sphinx build find the same statements and judge them alike: the readers are the same."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.judging.checking import Rules, check
from ckpt_defaults.roots import Project, find_project
from conftest import SHARED, sphinx_build, write_files
from test_statements import MD_PLACES, RST_PLACES, SENTENCES, SHAPES, in_place, unmark

pytest.importorskip("myst_parser", reason="Markdown needs the extra 'myst'")

_FOREIGN = ("tab", "unknown")
"""Places made of directives that Sphinx does not know by itself."""

CONFIG = """
a: {lr: 1, n: x, on: true, t: 7, u: 1, v: 3, w: [1, 2], x: 3, y: 2, z: 0, c: 4, l: [1, 2], long_name: 7, q: 6}
b: {n: 3, odd: 1.0e-06, lr: 2}
c: {n: 4, d: 5}
l: [1, 2]
t: 1
u: 5
"""
CONF = """
extensions = ["ckpt_defaults", "myst_parser"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
ckpt_defaults_config = ["{config}"]
exclude_patterns = ["_build"]
suppress_warnings = ["*"]
"""
Told = Counter[tuple[str, int, str, str, str]]


def by_sphinx(srcdir: Path, project: Project, *args: str) -> Told:
    """The verdicts on the statements that a real build left in its environment."""
    built = sphinx_build(srcdir, "dummy", "-q", *args)
    assert "Traceback" not in built.warnings
    env: Any = pickle.loads((built.outdir.parent / "doctrees" / "environment.pickle").read_bytes())
    kept = env.domaindata["ckpt_defaults"]["statements"]
    statements = list(dict.fromkeys(s for page in sorted(kept) for s in kept[page]))
    outcome = check(statements, project, Rules(), lambda file: [file])
    return Counter(
        (os.path.relpath(v.statement.file, srcdir), v.statement.line, v.path, v.verdict, v.statement.kind)
        for v in outcome.verdicts
    )


def by_command(srcdir: Path, config: list[str], capsys: pytest.CaptureFixture[str], *args: str) -> Told:
    """The verdicts on statements of pages: copies in code and in generated files are none."""
    capsys.readouterr()
    places = [part for place in config for part in ("--config", place)]
    assert main(["check", str(srcdir), *places, "--all", "--format", "json", "--no-cache", *args]) < 2
    claims = json.loads(capsys.readouterr().out)["claims"]
    return Counter(
        (os.path.relpath(c["file"], srcdir), c["line"], c["path"] or "", c["verdict"], c["kind"])
        for c in claims
        if c["kind"] not in ("generated", "fallback", "dataclass")
    )


def same(ours: Told, theirs: Told) -> None:
    assert sorted((ours - theirs).elements()) == []
    assert sorted((theirs - ours).elements()) == []


def pages() -> dict[str, str]:
    found = {
        f"shapes/{name.replace('.', '-')}{Path(name).suffix}": unmark(textwrap.dedent(text).strip("\n") + "\n")[0]
        for name, text in SHAPES.items()
    }
    for ending, places in ((".rst", RST_PLACES), (".md", MD_PLACES)):
        for place, around in places.items():
            if place in _FOREIGN:
                continue
            for shape, sentence in SENTENCES.items():
                said = sentence.replace("`", "``") if ending == ".rst" or place == "rst in it" else sentence
                found[f"{ending[1:]}/{place} {shape}{ending}"] = unmark(in_place(said, around))[0] + "\n"
    found.pop("shapes/nested table-md.md")
    return found


def test_every_shape_in_every_place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    docs = write_files(tmp_path / "docs", pages())
    write_files(docs, {"conf.py": CONF.format(config="../c.yaml"), "index.rst": "Index\n=====\n"})
    write_files(
        tmp_path,
        {
            "c.yaml": CONFIG,
            "docs/inc.rst": "``a.lr`` defaults to 21.\n\nMore ``a.n`` (default y).\n",
            "docs/part.txt": "``a.on`` is disabled by default.\n",
            "docs/includes.rst": ".. include:: inc.rst\n\n.. include:: part.txt\n\n``a.lr`` defaults to 5.\n",
            "docs/includes too.md": "```{include} part.txt\n```\n\n`a.lr` defaults to 6.\n",
            "docs/t.csv": "Key,Default\n``a.lr``,31\na.n,2\n",
            "docs/csv.rst": ".. csv-table::\n   :file: t.csv\n   :header-rows: 1\n",
            "docs/some.yaml": "a:\n  lr: 4  # Default: 1\n",
            "docs/literal.rst": "The defaults:\n\n.. literalinclude:: some.yaml\n   :language: yaml\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    project = find_project(["c.yaml"])
    ours = by_command(docs, ["c.yaml"], capsys)
    assert sum(ours.values()) > 450
    same(ours, by_sphinx(docs, project))


def corpus_projects() -> list[str]:
    file = SHARED / "corpus" / "projects.json"
    return sorted(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else ["verl"]


@pytest.mark.slow
@pytest.mark.parametrize("name", corpus_projects())
def test_real_sites(
    name: str, shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of the corpora, with a conf.py of ours."""
    pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")
    described = json.loads((shared / "corpus" / "projects.json").read_text(encoding="utf-8"))[name]
    copy = tmp_path / "site"
    for file in described["docs"]:
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(shared / "corpus" / name / file, copy / file)
    config = [str(shared / "corpus" / name / place) for place in described["configs"]]
    write_files(copy, {"root.rst": "Root\n====\n", "conf.py": CONF + "root_doc = 'root'\n"})
    conf = (copy / "conf.py").read_text(encoding="utf-8").replace('["{config}"]', repr(config))
    (copy / "conf.py").write_text(conf, encoding="utf-8")
    monkeypatch.chdir(copy)
    project = find_project(config)
    ours = by_command(copy, config, capsys)
    assert sum(ours.values()) > 20
    same(ours, by_sphinx(copy, project))
    same(ours, by_command(copy, config, capsys, "-j", "2"))
