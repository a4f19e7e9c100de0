"""The fallbacks of interpolations: found wherever they stand, compared with the default of the key they name."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.judging.code_statements import code_verdicts
from ckpt_defaults.roots import find_project
from ckpt_defaults.statements.fallbacks import written
from ckpt_defaults.verdicts import Verdict
from conftest import write_files

pytest.importorskip("omegaconf", reason="resolving needs the extra 'hydra'")


def judged(folder: Path, config: str) -> list[Verdict]:
    write_files(folder, {"config.yaml": config})
    result = code_verdicts(find_project([str(folder / "config.yaml")]), [])
    return [v for v in result.verdicts if v.statement.kind == "fallback"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("${oc.select:a.b,1}", [("a.b", "1", False)]),
        ("${oc.select: a.b , x y }", [("a.b", "x y", False)]),
        ("${oc.select:a}", []),
        ("${a}", []),
        ("${oc.select:a,{b: {c: 1}}}", [("a", "{b: {c: 1}}", False)]),
        ("${oc.select:a,'}'}", [("a", "'}'", False)]),
        ("${oc.select:a,${oc.select:b,null}}", [("b", "null", False)]),
        ("x/${oc.select:a,1}/${oc.select:.b,2}", [("a", "1", False), (".b", "2", False)]),
        ("${oc.env:HOME,/root}", [("HOME", "/root", True)]),
        ("${oc.decode:${oc.env:N,3}}", [("N", "3", True)]),
        ("${oc.select:a,", [("a", "", False)]),
    ],
)
def test_fallbacks_are_found_in_a_text(text: str, found: list[tuple[str, str, bool]]) -> None:
    hits = list(written(text))
    assert [(one.key, one.value, one.environment) for one in hits] == found
    assert all(text[one.start :].startswith(one.value) for one in hits)


CONFIG = """
    actor:
      size: 256
      off: false
      mode: "fast"
      nothing: null
      must: ???
      section: {a: 1}
      follows: ${actor.size}
    critic:
      own: 3
      right: ${oc.select:actor.size,256}
      wrong: ${oc.select:actor.size,1}
      quoted: "${oc.select:actor.mode, 'fast'}"
      null_: ${oc.select:actor.nothing,null}
      false_: ${oc.select:actor.nothing,false}
      near: ${oc.select:.own,4}
      up: ${oc.select:..actor.off,False}
      chain: ${oc.select:actor.follows,256}
      inner: ${oc.select:actor.mode,${oc.select:actor.size,2}}
      list_: [1, "${oc.select:actor.size,7}"]
      must: ${oc.select:actor.must,1}
      section: ${oc.select:actor.section,null}
      gone: ${oc.select:actor.gone,1}
      home: ${oc.env:HOME,/root}
"""


def test_a_fallback_is_compared_with_the_default_of_its_key(tmp_path: Path) -> None:
    verdicts = judged(tmp_path, CONFIG)
    by_name = {v.statement.keys[1].removeprefix("critic."): v for v in verdicts}
    found = {name: (v.verdict, v.statement.documented, v.actual) for name, v in by_name.items()}
    assert found == {
        "right": ("agrees", "256", "256"),
        "wrong": ("disagrees", "1", "256"),
        "quoted": ("agrees", "'fast'", "fast"),
        "null_": ("agrees", "null", "null"),
        "false_": ("disagrees", "false", "null"),
        "near": ("disagrees", "4", "3"),
        "up": ("agrees", "False", "false"),
        "chain": ("agrees", "256", "256"),
        "inner": ("disagrees", "2", "256"),
        "list_": ("disagrees", "7", "256"),
        "must": ("undecided", "1", "required (???), it has no default"),
        "section": ("undecided", "null", "{a: 1}"),
        "gone": ("undecided", "1", ""),
        "home": ("undecided", "/root", ""),
    }
    assert by_name["home"].reason == "the environment decides"
    assert by_name["gone"].reason == "no root has a setting that it repeats"


def test_the_verdict_is_about_the_key_and_the_place_is_that_of_the_value(tmp_path: Path) -> None:
    lines = (write_files(tmp_path, {"config.yaml": CONFIG}) / "config.yaml").read_text(encoding="utf-8").splitlines()
    for verdict in judged(tmp_path, CONFIG):
        s = verdict.statement
        assert lines[s.line - 1][s.column - 1 :][: s.span] == s.documented
    (wrong,) = [v for v in judged(tmp_path, CONFIG) if v.statement.keys[1] == "critic.wrong"]
    assert wrong.path == "actor.size"
    assert wrong.message.startswith("actor.size is documented as 1; ")
    assert wrong.message.endswith("config.yaml:2 says 256")


def test_a_file_that_several_roots_are_composed_of_is_told_once(tmp_path: Path) -> None:
    pytest.importorskip("hydra")
    write_files(tmp_path, {
        "config/one.yaml": "defaults: [part]\na: 1\n",
        "config/two.yaml": "defaults: [part]\na: 2\n",
        "config/part/x.yaml": "",
        "config/part.yaml": "b: ${oc.select:a,2}\nc: ${oc.select:a,3}\n",
    })  # fmt: skip
    result = code_verdicts(find_project([str(tmp_path / "config")]), [])
    found = [(v.verdict, v.statement.documented) for v in result.verdicts if v.statement.kind == "fallback"]
    assert found == [("agrees", "2"), ("disagrees", "3")]
