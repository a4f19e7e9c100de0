"""The defaults of the classes that a config names by _target_: found, read as syntax, compared with the config."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from ckpt_defaults.judging.code_statements import CodeResult, code_verdicts
from ckpt_defaults.roots import find_project
from ckpt_defaults.settings import ConfigError
from ckpt_defaults.statements.python_values import python_literal
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


NESTED = """
    from __future__ import annotations
    from dataclasses import dataclass, field
    from functools import partial

    @dataclass
    class Inner:
        a: int = 1
        b: int = 1

    @dataclass
    class Outer:
        made: Inner = field(default_factory=Inner)
        given: Inner = field(default_factory=lambda: Inner(5, b=6))
        part: Inner = field(default_factory=partial(Inner, a=7))
        named: Inner | None = None
        table: dict = field(default_factory=lambda: {"a": 1, "deep": {"b": 2}, "gone": 3})
        filled: dict = field(default_factory=dict)
        other: Inner = field(default_factory=Inner)
"""


def test_nested_classes_and_mappings_are_followed_key_by_key(tmp_path: Path) -> None:
    config = """
        _target_: mod.Outer
        made: {a: 1, b: 2}
        given: {a: 5, b: 7}
        part: {_target_: mod.Inner, a: 8, b: 1}
        named: {a: 1, b: 3}
        table: {a: 1, deep: {b: 3}}
        filled: {a: 1}
        other: null
    """
    result = judged(tmp_path, {"config.yaml": config, "mod.py": NESTED}, every_place=True)
    found = {v.path: (v.verdict, v.statement.documented, v.actual) for v in classes(result) if v.verdict != "agrees"}
    assert found == {
        "made.b": ("disagrees", "1", "2"),
        "given.b": ("disagrees", "6", "7"),
        "part.a": ("disagrees", "7", "8"),
        "named.b": ("disagrees", "1", "3"),
        "table": ("undecided", "3", "{a: 1, deep: {b: 3}}"),
        "table.deep.b": ("disagrees", "2", "3"),
        "filled": ("undecided", "dict", "{a: 1}"),
        "other": ("disagrees", "Inner", "null"),
    }


def test_a_section_with_a_class_of_its_own_is_compared_with_that(tmp_path: Path) -> None:
    config = "_target_: mod.Outer\nmade: {_target_: mod.Special, a: 9, b: 1}\n"
    source = NESTED + "\n    @dataclass\n    class Special(Inner):\n        a: int = 9\n"
    assert {v.verdict for v in classes(judged(tmp_path, {"config.yaml": config, "mod.py": source}))} == {"agrees"}


ROLES = {
    "config/main.yaml": """
        defaults:
          - engine@actor.engine: engine
          - engine@ref.engine: engine
          - _self_
        ref:
          engine:
            forward_only: true
    """,
    "config/engine/engine.yaml": "_target_: mod.Engine\nforward_only: false\nsize: 2\n",
    "mod.py": f"{HEAD}@dataclass\nclass Engine:\n    forward_only: bool = False\n    size: int = 1\n",
}


def test_a_role_may_differ_and_a_field_that_no_role_agrees_with_is_told(tmp_path: Path) -> None:
    pytest.importorskip("hydra")
    result = judged(tmp_path, ROLES)
    assert short(classes(result)) == [
        ("agrees", "actor.engine.forward_only", "False", "false"),
        ("disagrees", "actor.engine.size", "1", "2"),
    ]


def test_every_place_is_told_where_it_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("hydra")
    wrong = [v for v in classes(judged(tmp_path, ROLES, every_place=True)) if v.verdict == "disagrees"]
    assert [v.path for v in wrong] == ["ref.engine.forward_only", "actor.engine.size", "ref.engine.size"]


def test_a_class_deep_in_another_component_is_a_role(tmp_path: Path) -> None:
    config = """
        rollout: {_target_: mod.R, n: 2, m: 1}
        reward:
          model:
            rollout:
              _target_: mod.R
              n: 1
              m: 5
    """
    source = f"{HEAD}@dataclass\nclass R:\n    n: int = 1\n    m: int = 1\n"
    result = judged(tmp_path, {"config.yaml": config, "mod.py": source})
    assert short(classes(result)) == [("disagrees", "rollout.n", "1", "2"), ("agrees", "rollout.m", "1", "1")]


def test_what_each_role_lays_over_the_section_of_the_class_is_no_alarm(tmp_path: Path) -> None:
    pytest.importorskip("hydra")
    files = {
        "config/main.yaml": """
            defaults:
              - optim@a.optim: adam
              - optim@b.optim: adam
              - _self_
            a: {optim: {lr: 2}}
            b: {optim: {lr: 3}}
        """,
        "config/optim/adam.yaml": "_target_: mod.Adam\nlr: 1\n",
        "mod.py": f"{HEAD}@dataclass\nclass Adam:\n    lr: int = 1\n",
    }
    (verdict,) = classes(judged(tmp_path, files))
    assert verdict.verdict == "undecided"
    assert "adam.yaml says so too" in verdict.reason
    files["mod.py"] = files["mod.py"].replace("= 1", "= 5")
    (verdict,) = classes(judged(tmp_path, files))
    assert verdict.verdict == "disagrees"
    assert verdict.statement.span == 0  # two roles, two values: no one value to write


def test_a_literal_that_is_right_for_one_heir_has_no_length_to_rewrite(tmp_path: Path) -> None:
    config = "a: {_target_: mod.A, x: 1, y: 2}\nb: {_target_: mod.B, x: 2, y: 2}\n"
    heirs = "".join(f"@dataclass\nclass {name}(Base): pass\n" for name in "AB")
    source = f"{HEAD}@dataclass\nclass Base:\n    x: int = 1\n    y: int = 1\n{heirs}"
    found = classes(judged(tmp_path, {"config.yaml": config, "mod.py": source}))
    assert [(v.verdict, v.path, v.statement.span) for v in found] == [
        ("agrees", "a.x", 1),
        ("disagrees", "b.x", 0),
        ("disagrees", "a.y", 1),  # wrong for both: told once, to be rewritten
    ]


def test_interpolated_values_are_resolved(tmp_path: Path) -> None:
    pytest.importorskip("omegaconf")
    config = "top: 2\npart:\n  _target_: mod.C\n  x: ${top}\n  y: ${top}\n  z: ${oc.env:HOME}\n  w: ???\n"
    fields = "".join(f"    {name}: Any = {value}\n" for name, value in (("x", 1), ("y", None), ("z", "'a'"), ("w", 1)))
    found = classes(judged(tmp_path, {"config.yaml": config, "mod.py": f"{HEAD}@dataclass\nclass C:\n{fields}"}))
    assert [(v.verdict, v.path) for v in found] == [
        ("disagrees", "part.x"), ("undecided", "part.y"), ("undecided", "part.z"), ("undecided", "part.w")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("mod.Gone", "mod has no Gone that its source shows"),
        ("absent.C", "no folder of code holds absent"),
        ("mod.function", "is no class"),
        ("mod.Plain", "is an ordinary class"),
        ("mod.Heir", "the base torch_absent.Module of mod.Heir is not among the code"),
    ],
)
def test_a_class_that_cannot_be_read_is_undecided_where_the_config_names_it(
    tmp_path: Path, target: str, reason: str
) -> None:
    source = """
        import torch_absent

        class Plain:
            x: int = 1

        class Heir(torch_absent.Module):
            x: int = 1

        def function(): ...
    """
    result = judged(tmp_path, {"config.yaml": f"part:\n  _target_: {target}\n  x: 2\n", "mod.py": source})
    (verdict,) = classes(result)
    assert (verdict.verdict, verdict.statement.line) == ("undecided", 2)
    assert verdict.statement.file.endswith("config.yaml")
    assert reason in verdict.reason
    assert len(result.notes) == 1  # nothing was found at all: worth a word
    assert "none of the classes" in result.notes[0]


def test_a_file_that_is_no_python_is_told_in_one_line(tmp_path: Path) -> None:
    result = judged(tmp_path, {"config.yaml": "part:\n  _target_: mod.C\n  x: 2\n", "mod.py": "class C(:\n"})
    assert [v.verdict for v in classes(result)] == ["undecided"]
    assert any("mod.py line 1 is no Python" in note for note in result.notes)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist; name the folder of the code"):
        judged(tmp_path, {"config.yaml": "a: 1\n"}, ["nowhere"])


DOCSTRING = '''
    from dataclasses import dataclass

    @dataclass
    class C:
        """A part.

        Args:
            enable (bool): Whether, default False
            mode (str): One of "a" and "b", default "a"
            size (Optional[dict[str, Any]]): A size that needs many
                words. Defaults to
                3 and no more.
            other: The `mode` of the rest, see there.

        The default of all is 9.
        """

        enable: bool = False
        mode: str = "b"
        size: int = 4
        other: int = 1
        # Port to listen on, default is 9090
        port: int = 9091
        rate: float = 0.5  # default 0.1
'''


def test_docstrings_and_comments_of_a_class_are_statements(tmp_path: Path) -> None:
    config = "part: {_target_: mod.C, enable: true, mode: b, size: 4, other: 1, port: 9091, rate: 0.5}\n"
    result = judged(tmp_path, {"config.yaml": config, "mod.py": DOCSTRING})
    words = [v for v in result.verdicts if v.statement.kind in ("prose", "comment")]
    lines = (tmp_path / "mod.py").read_text(encoding="utf-8").splitlines()
    assert [(v.statement.kind, *short([v])[0]) for v in words] == [
        ("prose", "disagrees", "part.enable", "False", "true"),
        ("prose", "disagrees", "part.mode", '"a"', "b"),
        ("prose", "disagrees", "part.size", "3", "4"),
        ("comment", "disagrees", "part.port", "9090", "9091"),
        ("comment", "disagrees", "part.rate", "0.1", "0.5"),
    ]
    for verdict in words:
        s = verdict.statement
        assert lines[s.line - 1][s.column - 1 :][: s.span] == s.documented


OTHER_WAYS = [
    "Parameters\n----------\nx : int\n    A size. Default 3.\ny : int",
    ":param x: A size. Default 3.\n:param y: None.",
    "Attributes:\n    x: A size (default: 3).",
]


@pytest.mark.parametrize("text", OTHER_WAYS)
def test_docstrings_of_other_styles_are_read(tmp_path: Path, text: str) -> None:
    body = "\n".join(f"    {line}".rstrip() for line in f'"""A part.\n\n{text}\n"""\nx: int = 4'.splitlines())
    source = f"{HEAD}@dataclass\nclass C:\n{body}\n"
    result = judged(tmp_path, {"config.yaml": "part: {_target_: mod.C, x: 4}\n", "mod.py": source})
    words = [v for v in result.verdicts if v.statement.kind == "prose"]
    assert short(words) == [("disagrees", "part.x", "3", "4")]


def test_comments_of_the_config_are_statements(tmp_path: Path) -> None:
    config = """
        # Defaults to 1
        x: 2
        y: 3  # the default is 4
        # One of a and b. Default is 'a'.
        z: a
        # Kinds:
        # - strict: the default
        # Use ["p"] or ["q"]
        # By default, nothing is said.
        w: [p]
        # null for no limit (default max_length // 3)
        v: null
    """
    result = judged(tmp_path, {"config.yaml": config}, code=())
    assert short(result.verdicts) == [
        ("disagrees", "x", "1", "2"),
        ("disagrees", "y", "4", "3"),
        ("agrees", "z", "'a'", "a"),
    ]
    lines = (tmp_path / "config.yaml").read_text(encoding="utf-8").splitlines()
    places = [v.statement for v in result.verdicts]
    assert [lines[s.line - 1][s.column - 1 :][: s.span] for s in places] == ["1", "4", "'a'"]
    assert [s.line for s in places] == [1, 3, 4]


def test_a_secret_is_not_printed(tmp_path: Path) -> None:
    config = """
        part:
          _target_: mod.C
          api_key: abc
          url: ${part.api_key}
          section: {token: abc}
          other: {token: abc}
          one: 1
          two: {token: abc}
    """
    source = f"""{HEAD}@dataclass
class C:
    api_key: str = 'hunter2'
    url: str = 'hunter2'
    section: dict = field(default_factory=dict)
    other: dict = field(default_factory=lambda: {{"token": "hunter2"}})
    one: dict = field(default_factory=lambda: {{"token": "hunter2"}})
    two: int = 5
"""
    verdicts = judged(tmp_path, {"config.yaml": config, "mod.py": source}).verdicts
    assert [v.verdict for v in verdicts] == ["disagrees", "disagrees", "undecided", *["disagrees"] * 3]
    for verdict in verdicts:
        assert "hunter2" not in verdict.message
        assert "abc" not in verdict.message + verdict.actual
    assert all("hunter2" not in v.statement.documented for v in verdicts if v.path in ("part.url", "part.one"))


@pytest.mark.parametrize(
    ("actual", "instead_of", "expected"),
    [
        ("true", "False", "True"),
        ("null", "1", "None"),
        ("1e-06", "1e-3", "1e-06"),
        ("fast", "'slow'", "'fast'"),
        ("fast", '"slow"', '"fast"'),
        ("it's", '"a"', '"it\'s"'),
        ("''", "None", '""'),
        ("[a, b]", "['c']", "['a', 'b']"),
        ("[a]", "(1, 2)", '("a",)'),
        ("{a: 1}", "dict", 'lambda: {"a": 1}'),
        ("[1]", "None", None),
        (".inf", "1.0", None),
    ],
)
def test_a_value_is_spelt_as_python_to_stand_in_place_of_a_literal(
    actual: str, instead_of: str, expected: str | None
) -> None:
    assert python_literal(actual, instead_of) == expected
