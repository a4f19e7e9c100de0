"""The defaults of the classes that a config names by _target_: found, read as syntax, compared with the config."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from code_projects import HEAD, classes, judged, one, short
from conftest import write_files

SAME = [
    ("x: int = 1", "1"),
    ("x: float = 1", "1.0"),
    ("x: float = 1e-6", "1e-6"),
    ("x: float = -1.5", "-1.5"),
    ("x: str = 'a'", "a"),
    ("x: str = ''", "''"),
    ("x: bool = False", "no"),
    ("x: Optional[int] = None", "null"),
    ("x: int = 16 * 1024", "16384"),
    ("x: int = 2 ** 20", "1048576"),
    ("x: str = 'a' 'b'", "ab"),
    ("x: str = 'a' + 'b'", "ab"),
    ("x: tuple = (0.9, 0.999)", "[0.9, 0.999]"),
    ("x: int = field(default=3)", "3"),
    ("x: list = field(default_factory=list)", "[]"),
    ("x: dict = field(default_factory=dict)", "{}"),
    ("x: list = field(default_factory=lambda: ['a', 'b'])", "[a, b]"),
    ("x: list = field(default_factory=lambda: list(('a', 'b')))", "[a, b]"),
    ("x: dict = field(default_factory=lambda: dict(a=1))", "{a: 1}"),
    ("Y = 5\nx: int = Y", "5"),
    ("x: float = float('inf')", ".inf"),
    ("x: 'Optional[str]' = 'a'", "a"),
]


@pytest.mark.parametrize(("body", "value"), SAME)
def test_a_default_that_the_config_repeats_agrees(tmp_path: Path, body: str, value: str) -> None:
    assert one(tmp_path, body, value).verdict == "agrees"


DIFFERENT = [
    ("x: int = 1", "2", "1", "2"),
    ("x: bool = False", "true", "False", "true"),
    ("x: bool = True", "1", "True", "1"),
    ("x: Optional[int] = None", "''", "None", "''"),
    ("x: Optional[dict] = None", "{}", "None", "{}"),
    ("x: list = field(default_factory=list)", "null", "list", "null"),
    ("x: list = field(default_factory=lambda: ['a'])", "[b]", "['a']", "[b]"),
    ("x: str = 'a'", "null", "'a'", "null"),
    ("x: int = field(default=3)", "4", "3", "4"),
    ("Y = 5\nx: int = Y", "6", "Y", "6"),
]


@pytest.mark.parametrize(("body", "value", "documented", "actual"), DIFFERENT)
def test_a_default_that_differs_is_told_as_written(
    tmp_path: Path, body: str, value: str, documented: str, actual: str
) -> None:
    verdict = one(tmp_path, body, value)
    assert (verdict.verdict, verdict.statement.documented, verdict.actual) == ("disagrees", documented, actual)
    assert verdict.setting is not None
    assert verdict.setting.line == 3


UNREAD = [
    ("x: int = compute()", "computes it"),
    ("x: str = os.getenv('X', 'a')", "the environment decides it"),
    ("x: int = field(default_factory=lambda: compute())", "computes it"),
    ("x: int = 1 if compute() else 2", "not a literal"),
    ("x: str = f'{compute()}'", "computes it"),
    ("x: int = UNKNOWN", "no constant"),
    ("x: int = 9 ** 9 ** 9", "computed"),
]


@pytest.mark.parametrize(("body", "reason"), UNREAD)
def test_what_only_running_would_tell_is_undecided(tmp_path: Path, body: str, reason: str) -> None:
    verdict = one(tmp_path, body, "1", head=HEAD + "import os\n")
    assert verdict.verdict == "undecided"
    assert reason in verdict.reason


@pytest.mark.parametrize("body", ["x: int", "x: ClassVar[int] = 1", "x = 1", "x: int = field(init=False, default=1)"])
def test_what_is_no_default_of_a_field_says_nothing(tmp_path: Path, body: str) -> None:
    result = judged(tmp_path, {
        "config.yaml": "part:\n  _target_: mod.C\n  x: 2\n",
        "mod.py": f"{HEAD}@dataclass\nclass C:\n    {body}\n",
    })  # fmt: skip
    assert classes(result) == []


def test_the_place_is_that_of_the_literal(tmp_path: Path) -> None:
    body = "    é: str = 'ß'; x: list[str] = field(default_factory=lambda: [\n        'a',\n    ])\n"
    source = f"{HEAD}@dataclass\nclass C:\n{body}"
    result = judged(tmp_path, {"config.yaml": "part:\n  _target_: mod.C\n  x: [b]\n", "mod.py": source})
    (verdict,) = classes(result)
    s = verdict.statement
    text = (tmp_path / "mod.py").read_text(encoding="utf-8").splitlines(keepends=True)
    rest = "".join(text[s.line - 1 :])[s.column - 1 :]
    assert rest[: s.span] == "[\n        'a',\n    ]"
    assert s.documented == "[ 'a', ]"
    assert s.keys == ("part.x", "mod.C.x", "C.x")


ENUMS = """
    import enum

    class Mode(enum.Enum):
        FAST = "fast"
        SLOW = "slow"

    class Other(str, enum.Enum):
        ON = enum.auto()
"""


@pytest.mark.parametrize(
    ("body", "value", "verdict"),
    [
        ("x: Mode = Mode.FAST", "fast", "agrees"),
        ("x: Mode = Mode.FAST", "FAST", "agrees"),
        ("x: Mode = Mode.FAST", "slow", "disagrees"),
        ("x: str = Mode.SLOW.value", "slow", "agrees"),
        ("x: str = Mode.SLOW.name", "slow", "disagrees"),
        ("x: Other = modes.Other.ON", "'ON'", "agrees"),
    ],
)
def test_an_enum_goes_by_its_name_or_its_value(tmp_path: Path, body: str, value: str, verdict: str) -> None:
    head = HEAD + "from pkg import modes\nfrom .modes import Mode, Other\n"
    found = one(tmp_path, body, value, head, {"pkg/modes.py": ENUMS})
    assert found.verdict == verdict
    assert found.statement.span == 0  # a literal would be of another type


def test_fields_are_inherited_over_modules_in_the_order_of_python(tmp_path: Path) -> None:
    result = judged(tmp_path, {
        "config.yaml": "part:\n  _target_: pkg.D\n  a: 1\n  b: 1\n  c: 1\n  d: 1\n",
        "pkg/__init__.py": "from .low import *\nfrom .low import __all__\n",
        "pkg/base.py": f"{HEAD}@dataclass\nclass A:\n    a: int = 0\n    b: int = 0\n    c: int = 0\n    d: int = 1\n",
        "pkg/low.py": """
            from dataclasses import dataclass as data
            from . import base
            from pkg.base import A as Renamed

            __all__ = ["D"]

            @data
            class B(Renamed):
                a: int = 1
                b: int = 2

            @data
            class C(base.A):
                b: int = 1
                c: int = 3
                d = 5

            class Plain(C):
                d: int = 7

            @data
            class D(B, Plain):
                c: int = 1
        """,
    })  # fmt: skip
    assert short(classes(result)) == [
        ("agrees", "part.d", "1", "1"),  # neither an attribute nor a class without the decorator makes a new default
        ("agrees", "part.a", "1", "1"),
        ("disagrees", "part.b", "2", "1"),
        ("agrees", "part.c", "1", "1"),
    ]


@pytest.mark.parametrize(
    "init",
    [
        "from .real import C",
        "from .real import *",
        "from . import real\nfrom .real import *\n__all__ = real.__all__ + []",
        "from .middle import C",
        "try:\n    from .real import C\nexcept ImportError:\n    C = None",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .real import C",
        "import sys\nif sys.platform:\n    from .real import C\nelse:\n    C = None",
        "import pkg.real\nC = None\nfrom pkg.real import C as C",
    ],
)
def test_a_class_is_found_through_reexports(tmp_path: Path, init: str) -> None:
    result = judged(tmp_path, {
        "config.yaml": "part:\n  _target_: pkg.C\n  x: 2\n",
        "pkg/__init__.py": init,
        "pkg/middle.py": "from .real import *",
        "pkg/real.py": f"{HEAD}__all__ = ['C']\n@dataclass\nclass C:\n    x: int = 1\n",
    })  # fmt: skip
    assert short(classes(result)) == [("disagrees", "part.x", "1", "2")]


def test_a_circle_of_imports_ends(tmp_path: Path) -> None:
    result = judged(tmp_path, {
        "config.yaml": "part:\n  _target_: pkg.C\n  x: 2\n",
        "pkg/__init__.py": "from .a import C\nfrom .a import *",
        "pkg/a.py": "from .b import C\nfrom .b import *",
        "pkg/b.py": "from .a import C\nfrom .a import *",
    })  # fmt: skip
    (verdict,) = classes(result)
    assert verdict.verdict == "undecided"


@pytest.mark.parametrize("code", [".", "src", "src/pkg", "src/pkg/sub", "src/pkg/sub/mod.py"])
def test_a_folder_may_be_the_repository_the_parent_the_package_or_in_it(tmp_path: Path, code: str) -> None:
    files = {
        "config.yaml": "part:\n  _target_: pkg.sub.mod.Outer.C\n  x: 2\n",
        "src/pkg/sub/mod.py": f"{HEAD}class Outer:\n    @dataclass\n    class C:\n        x: int = 1\n",
    }
    assert short(classes(judged(tmp_path, files, [code]))) == [("disagrees", "part.x", "1", "2")]


def test_a_class_of_an_installed_distribution_is_read_and_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = f"raise SystemExit\n{HEAD}@dataclass\nclass C:\n    x: int = 1\n"
    write_files(tmp_path / "site", {"installed_pkg/__init__.py": source})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    (tmp_path / "empty").mkdir()
    result = judged(tmp_path, {"config.yaml": "part:\n  _target_: installed_pkg.C\n  x: 2\n"}, ["empty"])
    assert short(classes(result)) == [("disagrees", "part.x", "1", "2")]
    assert "installed_pkg" not in sys.modules


def test_nothing_of_the_code_is_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    source = f"open({str(marker)!r}, 'w')\n{HEAD}@dataclass\nclass C:\n    x: int = open({str(marker)!r}, 'w')\n"
    judged(tmp_path, {"config.yaml": "part:\n  _target_: mod.C\n  x: 2\n", "mod.py": source})
    assert not marker.exists()


MODELS = [
    ("from pydantic import BaseModel, Field", "class C(BaseModel):\n    x: int = 1", "1"),
    ("from pydantic import BaseModel, Field", "class C(BaseModel):\n    x: int = Field(1, gt=0)", "1"),
    ("from pydantic import BaseModel, Field", "class C(BaseModel):\n    x: list = Field(default_factory=lambda: [1])",
     "[1]"),
    ("import pydantic",
     "class B(pydantic.BaseModel):\n    x: int = 0\nclass C(B):\n    x: int = pydantic.Field(default=1)", "1"),
    ("from typing import Annotated\nfrom pydantic import BaseModel, Field",
     "class C(BaseModel):\n    x: Annotated[int, Field(default=1)]", "1"),
    ("import attr", "@attr.s\nclass C:\n    x = attr.ib(default=1)", "1"),
    ("import attr", "@attr.s(auto_attribs=True)\nclass C:\n    x: int = attr.ib(1)", "1"),
    ("from attrs import define, field, Factory", "@define\nclass C:\n    x: list = field(factory=list)", "list"),
    ("from attrs import define, Factory", "@define\nclass C:\n    x: list = Factory(lambda: [1])", "[1]"),
    ("from typing import NamedTuple", "class C(NamedTuple):\n    x: int = 1", "1"),
    ("from pydantic.dataclasses import dataclass", "@dataclass\nclass C:\n    x: int = 1", "1"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "body", "documented"), MODELS)
def test_fields_of_other_libraries_are_read(tmp_path: Path, head: str, body: str, documented: str) -> None:
    result = judged(tmp_path, {"config.yaml": "part:\n  _target_: mod.C\n  x: 2\n", "mod.py": f"{head}\n{body}\n"})
    assert short(classes(result)) == [("disagrees", "part.x", documented, "2")]


def test_an_alias_is_a_key_of_a_model_and_a_required_field_says_nothing(tmp_path: Path) -> None:
    source = """
        from pydantic import BaseModel, Field

        class C(BaseModel):
            model_config = {"x": 1}
            max_len: int = Field(1, alias="max-len")
            x: int = Field(...)
    """
    result = judged(tmp_path, {"config.yaml": "part: {_target_: mod.C, max-len: 2, x: 3}\n", "mod.py": source})
    assert short(classes(result)) == [("disagrees", "part.max-len", "1", "2")]
