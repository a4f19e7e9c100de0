"""What ``config-table`` takes from the classes under ``_target_``: types, allowed values, limits, links."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from pathlib import Path

import pytest
from ckpt_defaults.statements.class_fields import FieldReader
from ckpt_defaults.statements.class_source import ClassSource, Library
from ckpt_defaults.statements.field_types import FieldType, TypeReader
from conftest import Build, write_files
from test_config_table import project, read_again, rows
from verl_trees import wheel_code

HEAD = """
from __future__ import annotations

import enum
import pathlib
import typing as t
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, Final, List, Literal, NewType, Optional, Tuple, Union

from annotated_types import Ge
from pydantic import BaseModel, Field, PositiveInt, confloat


class Mode(enum.Enum):
    FAST = "fast"
    SLOW = "slow"
    ALSO_SLOW = "slow"
    _ignore_ = ["x"]

    def method(self): ...


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Auto(enum.Enum):
    A = enum.auto()
    B = enum.auto()


class Text(enum.StrEnum):
    A = enum.auto()


class Pair(enum.Enum):
    A = (1, 2)
    B = (3, 4)


@dataclass
class Inner:
    x: int = 1


class Plain: ...


Kind = Literal["a", "b"]
Both = Union[Kind, None]
Size = NewType("Size", int)
FEW = "few"
"""

TYPES: list[tuple[str, FieldType]] = [
    ("int", FieldType(("int",))),
    ("bool", FieldType(("bool",))),
    ("'float'", FieldType(("float",))),
    ("str | None", FieldType(("str", "null"))),
    ("None | str", FieldType(("str", "null"))),
    ("Optional[int]", FieldType(("int", "null"))),
    ("t.Optional[t.List[str]]", FieldType(("list", "null"))),
    ("Union[int, str, None]", FieldType(("int", "str", "null"))),
    ("tuple[float, float]", FieldType(("list",))),
    ("Tuple[int, ...]", FieldType(("list",))),
    ("Sequence[int]", FieldType(("list",))),
    ("dict[str, Any]", FieldType(("dict",))),
    ("Dict", FieldType(("dict",))),
    ("Mapping[str, Plain]", FieldType(("dict",))),
    ("pathlib.Path", FieldType(("str",))),
    ("Size", FieldType(("int",))),
    ("Final[int]", FieldType(("int",))),
    ("Inner", FieldType(("dict",))),
    ("Optional[Inner]", FieldType(("dict", "null"))),
    ("Literal['a', 'b']", FieldType(("str",), ("a", "b"))),
    ("Literal['a', 1, True, None]", FieldType(("str", "int", "bool", "null"), ("a", 1, True))),
    ("Optional[Literal['a']]", FieldType(("str", "null"), ("a",))),
    ("Literal[Kind, 'c']", FieldType(("str",), ("a", "b", "c"))),
    ("Literal[Mode.FAST, -1]", FieldType(("str", "int"), ("fast", -1))),
    ("Kind", FieldType(("str",), ("a", "b"))),
    ("Both", FieldType(("str", "null"), ("a", "b"))),
    ("Literal['a'] | Literal['b', 'a']", FieldType(("str",), ("a", "b"))),
    ("list[Literal['a', 'b']]", FieldType(("list",), ("a", "b"))),
    ("Mode", FieldType(("str",), ("fast", "slow"), ("FAST", "SLOW"))),
    ("Optional[Level]", FieldType(("int", "null"), (1, 2), ("LOW", "HIGH"))),
    ("Auto", FieldType(("str",), ("A", "B"), ("A", "B"))),
    ("Text", FieldType(("str",), ("a",), ("A",))),
    ("Pair", FieldType(("str",), ("A", "B"))),
    ("Annotated[int, 'words', Ge(1)]", FieldType(("int",), limits=((">=", 1),))),
    ("PositiveInt | None", FieldType(("int", "null"), limits=((">", 0),))),
    ("confloat(ge=0, lt=1)", FieldType(("float",), limits=((">=", 0), ("<", 1)))),
    # what another type opens, and what is not known, is not listed
    ("Literal['a'] | str", FieldType(("str",))),
    ("Literal['auto'] | int", FieldType(("str", "int"))),
    ("Mode | Plain", FieldType()),
    ("int | Plain", FieldType()),
    ("Any", FieldType()),
    ("Plain", FieldType()),
    ("Unheard[int]", FieldType()),
    ("type[int]", FieldType()),
    ("1 + 1", FieldType()),
    ("'int |'", FieldType()),
    ("int if FEW else str", FieldType()),
]


@pytest.mark.parametrize(("annotation", "expected"), TYPES, ids=[each[0] for each in TYPES])
def test_types_of_annotations(tmp_path: Path, annotation: str, expected: FieldType) -> None:
    write_files(tmp_path, {"mod.py": HEAD + f"\n\n@dataclass\nclass C:\n    x: {annotation} = None\n"})
    fields = FieldReader(Library([str(tmp_path)]))
    source = fields.library.find("mod.C")
    assert isinstance(source, ClassSource)
    assert TypeReader(fields).of(fields.fields_of(source).fields["x"]) == expected


def test_an_alias_of_itself_ends(tmp_path: Path) -> None:
    write_files(
        tmp_path, {"mod.py": HEAD + "\nA = Optional[B]\nB = A\nC = C\n@dataclass\nclass D:\n    x: A\n    y: C[int]\n"}
    )
    fields = FieldReader(Library([str(tmp_path)]))
    source = fields.library.find("mod.D")
    assert isinstance(source, ClassSource)
    assert {TypeReader(fields).of(field) for field in fields.fields_of(source).fields.values()} == {FieldType()}


@pytest.mark.parametrize(
    ("call", "limits"),
    [
        ("Field(1, ge=1)", ((">=", 1),)),
        ("Field(default=1, gt=-1, le=2 * 5)", ((">", -1), ("<=", 10))),
        ("Field(1, ge=unknown(), description='text')", ()),
        ("Field(1, lt='x')", ()),
    ],
)
def test_limits_of_a_model(tmp_path: Path, call: str, limits: object) -> None:
    write_files(tmp_path, {"mod.py": HEAD + f"\n\nclass C(BaseModel):\n    x: int = {call}\n"})
    fields = FieldReader(Library([str(tmp_path)]))
    source = fields.library.find("mod.C")
    assert isinstance(source, ClassSource)
    assert TypeReader(fields).of(fields.fields_of(source).fields["x"]) == FieldType(("int",), limits=limits)  # type: ignore[arg-type]


# -- on pages --------------------------------------------------------------------------------------------------------
CONFIG = """
part:
  _target_: pkg.Part
  # How it is done. Options: fast, slow.
  mode: fast
  kind: null
  other: c
  by_name: HIGH
  size: null
  rate: 0
  ratio: 0.5
  names: null
  must: ???
  late: ${oc.env:HOME}
  wrong: text
  free: 5
  follows: ${part.mode}
  api_key: k1
  inner:
    level: null
    deeper: {flag: null, max-len: 3}
  none: null
plain:
  _target_: more.Plain
  mode: null
"""

CODE = """
from __future__ import annotations
import enum
from dataclasses import dataclass, field
from typing import Any, Literal, Optional
from pydantic import BaseModel, Field
from .low import Inner

raise SystemExit("nobody imports this")

class Level(enum.Enum):
    LOW = "low"
    HIGH = "high"

@dataclass
class Part:
    mode: Literal["fast", "slow", "off"] = "fast"
    kind: Optional[Literal["a", "b"]] = None
    other: Literal["a", "b"] = "a"
    by_name: Level = Level.HIGH
    size: int = None
    rate: float = 0
    ratio: float = 0.5
    names: list[str] | None = None
    must: Optional[str] = None
    late: str = ""
    wrong: int = 1
    free: Any = 5
    follows: Literal["fast", "slow"] = "fast"
    api_key: Optional[Literal["k1", "k2"]] = None
    inner: Inner = field(default_factory=Inner)
"""

LOW = """
from dataclasses import dataclass, field
from typing import Literal, Optional
from pydantic import BaseModel, Field

class Deeper(BaseModel):
    flag: bool = None
    max_len: int = Field(3, alias="max-len", ge=1, lt=10)

@dataclass
class Inner:
    level: Literal[1, 2] | None = None
    deeper: Optional[Deeper] = None
"""


def coded(page: str, **files: str) -> dict[str, str]:
    made = project(
        page, **{"../config/train.yaml": CONFIG, "../src/pkg/__init__.py": CODE, "../src/pkg/low.py": LOW}, **files
    )
    made["conf.py"] += "ckpt_defaults_code = ['../src']\nckpt_defaults_fail_on = 'never'\n"
    return made


TABLE = ".. config-table:: part\n   :columns: name type default values\n"


def test_types_and_allowed_values_come_from_the_class(build: Build) -> None:
    built = build(coded(TABLE), "html", "-n")
    assert built.status == 0
    assert rows(built) == {
        "_target_": ["str", "pkg.Part", ""],
        "mode": ["str", "fast", 'fast, slow, "off"'],  # more than the comment says
        "kind": ["str | null", "null", "a, b, null"],
        "other": ["str", "c", ""],  # the list lacks the default
        "by_name": ["str", "HIGH", "LOW, HIGH"],  # OmegaConf takes a member by its name
        "size": ["int", "null", ""],
        "rate": ["float", "0", ""],
        "ratio": ["float", "0.5", ""],
        "names": ["list | null", "null", ""],
        "must": ["str | null", "required", ""],
        "late": ["str", "${oc.env:HOME} known when the program runs", ""],
        "wrong": ["str", "text", ""],  # the config is the truth
        "free": ["int", "5", ""],
        "follows": ["str", "fast follows part.mode", "fast, slow"],
        "api_key": ["str | null", "secret, not shown", ""],
        "inner": ["", "", ""],
        "inner.level": ["int | null", "null", "1, 2, null"],
        "inner.deeper": ["", "", ""],
        "inner.deeper.flag": ["bool", "null", ""],
        "inner.deeper.max-len": ["int", "3", ">= 1, < 10"],
        "none": ["", "null", ""],
    }
    assert "pkg" not in sys.modules


def test_without_folders_of_code_the_defaults_and_comments_tell(build: Build) -> None:
    files = coded(TABLE)
    files["conf.py"] += "ckpt_defaults_code = []\n"
    found = rows(build(files, "html", "-W", "-n"))
    assert (found["mode"], found["kind"]) == (["str", "fast", "fast, slow"], ["", "null", ""])


def test_a_class_of_an_installed_distribution_counts(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = coded(TABLE, **{"../empty/README": ""})
    files["conf.py"] += "ckpt_defaults_code = ['../empty']\n"
    assert rows(build(files))["kind"] == ["", "null", ""]
    monkeypatch.syspath_prepend(str(tmp_path / "project/src"))
    assert rows(build({}, "html", "-E"))["kind"] == ["str | null", "null", "a, b, null"]
    assert "pkg" not in sys.modules


def test_a_changed_class_has_its_pages_read_again_and_no_other(build: Build) -> None:
    files = coded("x\n\n.. toctree::\n   :glob:\n\n   p*\n")
    files["p1.rst"] = "P1\n==\n\n.. config-table:: part\n   :exclude: inner\n"
    files["p2.rst"] = "P2\n==\n\n.. config-table:: part.inner\n"
    files["p3.rst"] = "P3\n==\n\n.. config-table:: plain\n"
    files["p4.rst"] = "P4\n==\n\n:config-default:`part.inner.level`\n"
    assert build(files).status == 0
    assert read_again(build({})) == set()
    built = build({"../src/pkg/low.py": LOW.replace("Literal[1, 2]", "Literal[1, 2, 3]")})
    assert read_again(built) == {"p2"}
    assert "1, 2, 3, null" in rows(built, "p2.html")["level"][2]
    assert read_again(build({"../src/pkg/__init__.py": CODE.replace('"off"', '"none"')})) == {"p1"}
    # a class that was not there before, in a file that no page could name
    code = "import dataclasses\n@dataclasses.dataclass\nclass Plain:\n    mode: str = None\n"
    built = build({"../src/more.py": code})
    assert read_again(built) == {"p3"}
    assert rows(built, "p3.html")["mode"][:2] == ["str", "null"]
    # two processes
    shutil.rmtree(built.outdir.parent)
    built = build({}, "html", "-j", "2")
    assert "1, 2, 3, null" in rows(built, "p2.html")["level"][2]


@pytest.mark.parametrize("builder", ["text", "man", "latex", "epub", "gettext"])
def test_every_builder_shows_them(build: Build, builder: str) -> None:
    files = coded(".. config-table:: part\n")
    files["conf.py"] += "copyright = 'x'\nversion = '1'\nsuppress_warnings = ['epub.unknown_project_files']\n"
    files["conf.py"] += "man_pages = [('index', 'page', 'x', [], 1)]\n"
    built = build(files, builder, "-n")
    assert built.status == 0
    assert [line for line in built.lines if "is documented as" not in line] == []
    if builder == "text":
        text = " ".join(built.read("index.txt").split())
        assert '"kind" Type: str | null; Default: "null" Allowed: "a", "b", "null" Set in' in text
        assert 'Allowed: ">= 1, < 10"' in text


def test_the_classes_of_verls_wheel_tell_types(build: Build) -> None:
    """verl's package is not imported: what it needs is not installed."""
    pytest.importorskip("hydra")
    code = wheel_code()
    conf = f"extensions = ['ckpt_defaults']\nckpt_defaults_config = [{str(code / 'verl/trainer/config')!r}]\n"
    conf += f"ckpt_defaults_code = [{str(code)!r}]\nckpt_defaults_fail_on = 'never'\n"
    table = ".. config-table:: actor_rollout_ref.actor\n   :root: ppo_megatron_trainer\n"
    found = rows(build({"conf.py": conf, "index.rst": "Page\n====\n\n" + table}, "html", "-n"))
    assert found["megatron.expert_tensor_parallel_size"][:2] == ["int | null", "null"]
    assert found["optim.override_optimizer_config"][:2] == ["dict | null", "{}"]
    assert found["ppo_micro_batch_size_per_gpu"][:2] == ["int | null", "null"]
    assert "verl" not in sys.modules


# -- links to classes ------------------------------------------------------------------------------------------------
IMPORTABLE = """
import dataclasses
@dataclasses.dataclass
class Part:
    "A part."
    mode: str = "fast"
"""


@pytest.mark.parametrize("builder", ["html", "dirhtml"])
@pytest.mark.parametrize(
    ("documented", "anchor"),
    [
        (".. autoclass:: linked.Part", "linked.Part"),
        (".. automodule:: linked.deep\n   :members:", "linked.deep.Part"),  # where it is defined
        (".. py:class:: linked.Part", "linked.Part"),
        (".. py:module:: linked\n\n.. class:: Part", "linked.Part"),
        ("Nothing.", ""),
    ],
)
def test_a_class_is_linked_where_it_is_documented(build: Build, builder: str, documented: str, anchor: str) -> None:
    files = project(
        ".. config-table:: part\n\n.. toctree::\n\n   api/classes\n",
        **{
            "../config/train.yaml": "part:\n  _target_: linked.Part\n  mode: fast\n",
            "../src/linked/__init__.py": "from .deep import Part\n",
            "../src/linked/deep.py": textwrap.dedent(IMPORTABLE),
            "api/classes.rst": f"Classes\n=======\n\n{documented}\n",
        },
    )
    files["conf.py"] += (
        "import os, sys\nsys.path.insert(0, os.path.abspath('../src'))\nextensions += ['sphinx.ext.autodoc']\n"
    )
    files["conf.py"] += "ckpt_defaults_code = ['../src']\n"
    built = build(files, builder, "-W", "-n")
    assert (built.status, built.warnings) == (0, "")
    html = built.read("index.html").partition("<tbody>")[2].partition("</tbody>")[0]
    page = "api/classes.html" if builder == "html" else "api/classes/"
    linked = re.search(r'href="([^"#][^"]*)"[^>]*><code[^>]*>linked\.<wbr />Part</code></a>', html)
    assert (linked.group(1) if linked else "") == (f"{page}#{anchor}" if anchor else "")
    assert "linked.<wbr />Part</code>" in html
