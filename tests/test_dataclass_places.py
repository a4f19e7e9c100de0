"""Classes at several places of a config: nested, in roles, interpolated, and those that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.settings import ConfigError
from code_projects import HEAD, classes, judged, short

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
