"""``impact``: what would have to follow, told before anything is changed, and true when it is changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from ckpt_defaults.cli import main
from ckpt_defaults.command.impact import tree_of, with_values
from ckpt_defaults.interpolation import Resolution, resolve_all
from ckpt_defaults.roots import Root, find_project
from conftest import write_files

FILES = {
    "conf.yaml": "optim:\n  lr: 1e-6\n  eps: 0.5\nname: adam\nseed: 42\nother:\n  seed: 1\n",
    "docs/a.rst": "``optim.lr`` defaults to ``1e-6``.\n\n``name`` defaults to ``adam``.\n",
    "docs/b.md": "| key | default |\n|---|---|\n| `optim.lr` | 1e-6 |\n| `name` | sgd |\n",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "C")
    return write_files(tmp_path, FILES)


def impact(*args: str) -> int:
    return main(["impact", "--config", "conf.yaml", *args])


def test_pages_that_would_have_to_follow(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert impact("optim.lr=1e-3") == 0
    assert capsys.readouterr().out.splitlines() == [
        "conf.yaml:2: optim.lr would be 0.001, is 1e-06",
        "docs/a.rst:1:28: optim.lr is documented as 1e-6; write 1e-3 [prose]",
        "docs/b.md:3:16: optim.lr is documented as 1e-6; write 1e-3 [table]",
        "2 statements in 2 files would have to follow.",
    ]
    assert {p.name for p in project.rglob("*.*")} >= {"conf.yaml", "a.rst", "b.md"}
    assert (project / "conf.yaml").read_text(encoding="utf-8") == FILES["conf.yaml"], "nothing is written"


def test_it_comes_true(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    impact("optim.lr=1e-3", "name=sgd", "--format", "json")
    foretold = json.loads(capsys.readouterr().out)
    (project / "conf.yaml").write_text(FILES["conf.yaml"].replace("1e-6", "1e-3").replace("adam", "sgd"), "utf-8")
    main(["check", "docs", "--config", "conf.yaml", "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    places = [(claim["file"], claim["line"], claim["path"]) for claim in foretold["claims"]]
    assert places == [(claim["file"], claim["line"], claim["path"]) for claim in found["claims"]]
    assert len(places) == 3
    assert [(claim["file"], claim["path"]) for claim in foretold["healed"]] == [("docs/b.md", "name")]


def test_nothing_states_it(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert impact("optim.eps=0.7") == 0
    assert capsys.readouterr().out.endswith("Nothing that states this default would have to follow.\n")


def test_settings_that_follow(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("omegaconf")
    write_files(
        project,
        {
            "conf.yaml": "base: 42\ndata:\n  seed: ${base}\n  list: [1, '${base}']\n",
            "docs/a.rst": "``data.seed`` defaults to ``42``.\n",
        },
    )
    (project / "docs" / "b.md").unlink()
    assert impact("base=43") == 0
    assert capsys.readouterr().out.splitlines() == [
        "conf.yaml:1: base would be 43, is 42",
        "data.seed follows: 42 would be 43",
        "data.list follows: [1, 42] would be [1, 43]",
        "docs/a.rst:1:29: data.seed is documented as 42; write 43 [prose]",
        "1 statement in 1 file would have to follow.",
    ]


def test_copies_in_code(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(
        project,
        {
            "conf.yaml": "_target_: pack.things.Thing\nseed: 42\n",
            "pack/__init__.py": "",
            "pack/things.py": "from dataclasses import dataclass\n\n@dataclass\nclass Thing:\n    seed: int = 42\n",
        },
    )
    assert impact("seed=43", "--code", ".") == 0
    assert "pack/things.py:5:17: seed is documented as 42; write 43 [dataclass]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("lr", "'lr' is no KEY=VALUE"),
        ("=5", "'=5' is no KEY=VALUE"),
        ("optim.lrr=5", "no config has the key 'optim.lrr'; did you mean optim.lr?"),
        ("seed=[1", "'[1' is no value as YAML writes it; quote it"),
        ("optim=3", None),
    ],
)
def test_mistakes(project: Path, capsys: pytest.CaptureFixture[str], change: str, message: str | None) -> None:
    status = impact(change)
    captured = capsys.readouterr()
    if message is not None:
        assert status == 2
        assert captured.err == f"ckpt-defaults: {message}\n"
    assert "Traceback" not in captured.err


def test_a_name_that_several_have(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert impact("eps=1") == 0, "one setting is called so"
    write_files(project, {"conf.yaml": "a:\n  eps: 1\nb:\n  eps: 2\n"})
    capsys.readouterr()
    assert impact("eps=3") == 2
    assert capsys.readouterr().err == "ckpt-defaults: eps may mean a.eps, b.eps; write it in full\n"


def test_the_tree_of_a_composed_root_resolves_as_before(shared: Path) -> None:
    project = find_project([str(shared / "corpus" / "verl" / "verl" / "trainer" / "config")])
    for root in project.roots:
        assert resolve_all(root.settings, tree_of(root)) == root.resolved
    assert any(len(root.resolved) > 50 for root in project.roots)


def resolved_anew(root: Root) -> Root:
    return replace(root, resolved=resolve_all(root.settings, tree_of(root)))


def meanings(root: Root) -> dict[str, Resolution]:
    return {path: root.resolve(path) for path in root.settings}


REACHED = """
base: {lr: 1, deep: [2, {x: 3}]}
own: 4
alone: {a: 5, b: "${own}", list: [{c: 6}]}
direct: ${base.lr}
section: ${base}
select: ${oc.select:own,7}
nested: ${${name}.lr}
name: base
env: ${SOME_NAME:8}
relative: {x: 9, y: "${.x}"}
"""


@pytest.mark.parametrize("value", [11, "text", None, "${own}", [1, 2]])
@pytest.mark.parametrize("nested", [True, False])
def test_what_a_change_does_not_reach_is_not_resolved_anew(tmp_path: Path, value: object, nested: bool) -> None:
    pytest.importorskip("omegaconf")
    text = REACHED if nested else REACHED.replace("nested: ${${name}.lr}\n", "")
    write_files(tmp_path, {"conf.yaml": text})
    (root,) = find_project([str(tmp_path / "conf.yaml")]).roots
    tried = 0
    for setting in root.settings.values():
        if isinstance(setting.value, (dict, list)):
            continue
        changed = with_values(root, {(setting.file, setting.line): (setting, value)})
        assert meanings(changed) == meanings(resolved_anew(changed)), setting.path
        tried += 1
    assert tried > 10


def test_the_same_on_composed_roots(shared: Path) -> None:
    project = find_project([str(shared / "corpus" / "verl" / "verl" / "trainer" / "config")])
    for root in project.roots[:4]:
        leaves = [s for s in root.settings.values() if not isinstance(s.value, (dict, list))]
        for setting in leaves[:: max(len(leaves) // 8, 1)]:
            changed = with_values(root, {(setting.file, setting.line): (setting, "other")})
            assert meanings(changed) == meanings(resolved_anew(changed)), setting.path


def test_what_the_baseline_knows_is_marked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "docs", "--config", "conf.yaml", "--write-baseline", "known.txt"])
    write_files(project, {"pyproject.toml": '[tool.ckpt-defaults]\nconfig = ["conf.yaml"]\nbaseline = "known.txt"\n'})
    capsys.readouterr()
    assert main(["impact", "name=rprop"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [
        "docs/a.rst:3:24: name is documented as adam; write rprop [prose]",
        "docs/b.md:4:12: name is documented as sgd; write rprop [table] (in the baseline)",
        "2 statements in 2 files would have to follow.",
    ]
    assert main(["impact", "name=rprop", "--format", "json"]) == 0
    assert [claim["known"] for claim in json.loads(capsys.readouterr().out)["claims"]] == [False, True]
    assert main(["show", "name"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "docs/a.rst:3:24: name is adam, as conf.yaml:4 says [agrees]",
        "docs/b.md:4:12: name is documented as sgd; conf.yaml:4 says adam [disagrees] (in the baseline)",
    ]


def test_fallbacks_and_comments_of_the_config_follow_too(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked or not: the check tells them only where it is asked to."""
    pytest.importorskip("omegaconf")
    config = "base: 42\nother: ${oc.select:base,42}\nwrong: ${oc.select:base,41}\n# Defaults to 7\nlast: 7\n"
    write_files(project, {"conf.yaml": config, "docs/a.rst": "Nothing.\n", "docs/b.md": "Nothing.\n"})
    assert impact("base=43", "last=8") == 0
    assert capsys.readouterr().out.splitlines()[-6:] == [
        "other follows: 42 would be 43",
        "wrong follows: 42 would be 43",
        "conf.yaml:2:25: base is documented as 42; write 43 [fallback]",
        "conf.yaml:3:25: base is documented as 41; write 43 [fallback]",
        "conf.yaml:4:15: last is documented as 7; write 8 [comment]",
        "3 statements in 1 file would have to follow.",
    ]
    assert main(["show", "base", "--config", "conf.yaml"]) == 0
    assert "2 statements:" in capsys.readouterr().out


def test_without_pages_the_rest_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.rst", "b.md"):
        (project / "docs" / name).unlink()
    (project / "docs").rmdir()
    assert impact("seed=43") == 0
    assert "Nothing that states this default" in capsys.readouterr().out
    assert main(["show", "eps", "--config", "conf.yaml"]) == 0
    assert capsys.readouterr().out.splitlines() == ["optim.eps", "  0.5  conf.yaml:3  in conf.yaml"]
