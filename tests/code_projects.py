"""Small projects of a config and Python, judged: for the tests of classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ckpt_defaults.judging.code_statements import CodeResult, code_verdicts
from ckpt_defaults.roots import find_project
from ckpt_defaults.verdicts import Verdict
from conftest import write_files

HEAD = "from dataclasses import dataclass, field\nfrom typing import Any, ClassVar, Optional\n\n"


def judged(folder: Path, files: dict[str, str], code: Sequence[str] = (".",), every_place: bool = False) -> CodeResult:
    """The verdicts on a project whose config is ``config`` (a folder or ``config.yaml``), and its code."""
    write_files(folder, files)
    place = folder / "config.yaml"
    project = find_project([str(place if place.is_file() else folder / "config")])
    return code_verdicts(project, [str(folder / each) for each in code], every_place=every_place)


def classes(result: CodeResult) -> list[Verdict]:
    return [v for v in result.verdicts if v.statement.kind == "dataclass"]


def short(verdicts: Sequence[Verdict]) -> list[tuple[str, str, str, str]]:
    return [(v.verdict, v.path, v.statement.documented, v.actual) for v in verdicts]


def one(folder: Path, body: str, value: str, head: str = HEAD, more: dict[str, str] | None = None) -> Verdict:
    """The verdict on the field ``x`` of a class whose body is ``body``, where the config says ``x: value``."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    result = judged(folder, {
        "config.yaml": f"part:\n  _target_: pkg.mod.C\n  x: {value}\n",
        "pkg/__init__.py": "",
        "pkg/mod.py": f"{head}\n@dataclass\nclass C:\n{indented}",
        **(more or {}),
    })  # fmt: skip
    found = [v for v in classes(result) if v.path == "part.x"]
    assert len(found) == 1, result
    return found[0]
