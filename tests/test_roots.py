"""Which roots a project has: plain files, Hydra trees, what is left of a tree, and what was generated."""

from __future__ import annotations

from pathlib import Path

import pytest
from ckpt_defaults.defaults_lists import says_generated
from ckpt_defaults.roots import Project, Root, find_project
from ckpt_defaults.settings import ConfigError
from conftest import write_files

needs_hydra = pytest.mark.skipif("not __import__('importlib').util.find_spec('hydra')", reason="the extra 'hydra'")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def project(files: dict[str, str], *places: str, names: tuple[str, ...] = ()) -> Project:
    write_files(Path(), files)
    return find_project(places or ("conf",), names)


def named(found: Project) -> list[str]:
    return [root.name for root in found.roots]


def leaves(root: Root) -> dict[str, object]:
    return {path: root.resolve(path).value for path, s in root.settings.items() if not isinstance(s.value, dict)}


# -- plain files ----------------------------------------------------------------------------------------------------
def test_each_plain_file_and_each_document_is_a_root() -> None:
    found = project(
        {"conf/a.yaml": "x: 1\n---\ny: 2\n", "conf/deep/b.yml": "x: 3\n", "c.yaml": "z: 4"}, "conf", "c.yaml"
    )
    assert named(found) == ["conf/a.yaml", "conf/a.yaml#2", "conf/deep/b.yml", "c.yaml"]
    assert [root.stem for root in found.roots] == ["a", "a.yaml#2", "b", "c"]
    assert leaves(found.roots[1]) == {"y": 2}
    assert not any(root.fragment for root in found.roots)
    assert found.notes == ()


def test_a_file_named_twice_is_read_once() -> None:
    found = project({"conf/a.yaml": "x: 1\n"}, "conf", "conf/a.yaml", "conf")
    assert named(found) == ["conf/a.yaml"]


def test_a_file_without_settings_is_no_root() -> None:
    assert named(project({"conf/a.yaml": "# nothing\n", "conf/b.yaml": "x: 1\n"})) == ["conf/b.yaml"]


def test_a_broken_file_stops_the_project_and_says_where() -> None:
    with pytest.raises(ConfigError, match=r"^conf/b\.yaml:2: the key 'x' stands twice"):
        project({"conf/a.yaml": "x: 1\n", "conf/b.yaml": "x: 1\nx: 2\n"})


def test_a_generated_file_alone_is_a_root_like_any_other() -> None:
    """Only beside the tree that it was flattened from does it add nothing."""
    found = project({"conf/a.yaml": "# This file is generated; do not edit.\nx: 1\n"})
    assert named(found) == ["conf/a.yaml"]
    assert found.generated == ()


# -- names ----------------------------------------------------------------------------------------------------------
FILES = {"conf/a/values.yaml": "x: 1\n", "conf/b/values.yaml": "x: 2\n", "conf/only.yaml": "x: 3\n"}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("conf/a/values.yaml", ["conf/a/values.yaml"]),
        ("a/values.yaml", ["conf/a/values.yaml"]),
        ("./a/values.yaml", ["conf/a/values.yaml"]),
        ("values", ["conf/a/values.yaml", "conf/b/values.yaml"]),
        ("values.yaml", ["conf/a/values.yaml", "conf/b/values.yaml"]),
        (" only ", ["conf/only.yaml"]),
    ],
)
def test_a_root_goes_by_its_name_its_stem_and_the_end_of_its_path(name: str, wanted: list[str]) -> None:
    found = project(FILES)
    assert [root.name for root in found.named(name)] == wanted
    assert named(project(FILES, names=(name,))) == wanted


@pytest.mark.parametrize("name", ["nope", "alues.yaml", "", "conf/a"])
def test_a_root_that_is_not_there_is_told_with_those_that_are(name: str) -> None:
    with pytest.raises(ConfigError, match=r"^no root is called '.*'; there are: conf/a/values\.yaml, conf/b/values"):
        project(FILES, names=("only", name))


# -- Hydra ----------------------------------------------------------------------------------------------------------
TREE = {
    "conf/main.yaml": """
        defaults:
          - engine: fast
          - actor: ${engine}_actor
          - optim@actor.optim: adam
          - _self_
        # how often to save
        save_freq: -1
        actor:
          lr: 2  # over the file's own
        """,
    "conf/engine/fast.yaml": "# @package _global_\nengine_name: fast\nbuffer: 5\n",
    "conf/engine/slow.yaml": "# @package _global_\nengine_name: slow\nbuffer: 6\n",
    "conf/actor/fast_actor.yaml": "lr: 1\nname: ${engine_name}\nkeep: 3\n",
    "conf/actor/slow_actor.yaml": "lr: 1\nname: ${engine_name}\nlater: 4\n",
    "conf/optim/adam.yaml": "beta: 0.9\n",
    "conf/optim/sgd.yaml": "momentum: 0.5\n",
    "conf/other.yaml": "z: 1\n",
}


@needs_hydra
def test_a_tree_is_composed_for_every_choice_that_others_hang_on() -> None:
    found = project(TREE)
    assert named(found) == [
        "main[engine=fast]", "main[engine=slow]", "conf/optim/sgd.yaml", "conf/other.yaml",
    ]  # fmt: skip
    fast, slow, sgd, other = found.roots
    assert leaves(fast) == {
        "engine_name": "fast", "buffer": 5, "actor.lr": 2, "actor.name": "fast", "actor.keep": 3,
        "actor.optim.beta": 0.9, "save_freq": -1,
    }  # fmt: skip
    assert leaves(slow)["actor.later"] == 4
    assert (fast.stem, fast.choices, slow.choices) == ("main", {"fast"}, {"slow"})
    assert [root.fragment for root in found.roots] == [False, False, True, False]
    assert found.named("main") == (fast, slow)
    assert found.named("main[engine=slow]") == (slow,)
    assert found.named("conf/main.yaml") == (fast, slow)
    assert leaves(sgd) == {"momentum": 0.5}
    assert leaves(other) == {"z": 1}


@needs_hydra
def test_a_setting_of_a_composed_root_is_the_line_that_decides() -> None:
    fast = project(TREE).roots[0]
    assert fast.settings["actor.lr"].place == "conf/main.yaml:9"
    assert fast.settings["actor.lr"].remark == "over the file's own"
    assert fast.settings["save_freq"].comment == "how often to save"
    assert fast.settings["actor.keep"].place == "conf/actor/fast_actor.yaml:3"
    assert fast.settings["actor.optim.beta"].place == "conf/optim/adam.yaml:1"
    assert fast.settings["actor"].value == {
        "lr": 2, "name": "${engine_name}", "keep": 3, "optim": {"beta": 0.9},
    }  # fmt: skip
    assert fast.resolve("actor").value["name"] == "fast"


@needs_hydra
def test_the_defaults_list_is_no_setting() -> None:
    files = {**TREE, "conf/engine/third.yaml": "defaults:\n  - /optim/sgd\nbuffer: 7\n"}
    for root in project(files).roots:
        assert not any(path.partition(".")[0] == "defaults" for path in root.settings), root.name


@needs_hydra
def test_a_generated_file_in_a_tree_is_set_aside() -> None:
    found = project(
        {**TREE, "conf/_generated_main.yaml": "save_freq: 1\n", "conf/flat.yaml": "# Generated by x\na: 1\n"}
    )
    assert named(found)[0] == "main[engine=fast]"
    assert sorted(Path(file).name for file in found.generated) == ["_generated_main.yaml", "flat.yaml"]
    assert not any("generated" in name or "flat" in name for name in named(found))


@needs_hydra
def test_a_comment_that_mentions_something_generated_takes_no_file_out() -> None:
    files = {**TREE, "conf/rollout.yaml": "# Tokens generated per step.\ntokens: 5\n"}
    found = project(files)
    assert "conf/rollout.yaml" in named(found)
    assert found.generated == ()


BAD = {
    "a choice that the user makes": ("defaults:\n  - db: ???\n  - _self_\nx: 1\n", "db"),
    "a search path": (
        "defaults:\n  - db: one\n  - _self_\nx: 1\nhydra:\n  searchpath: [pkg://some.package]\n", "searchpath",
    ),
    "a group that is not there": ("defaults:\n  - gone: one\nx: 1\n", "gone"),
    "an option that is not there": ("defaults:\n  - db: two\nx: 1\n", "two"),
    "the environment": ("defaults:\n  - db: ${oc.env:DB}\nx: 1\n", "environment"),
    "a circle": ("defaults:\n  - bad\n  - _self_\nx: 1\n", ""),
}  # fmt: skip


@needs_hydra
@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_composed_stands_for_itself_and_the_others_are_composed(case: str) -> None:
    text, said = BAD[case]
    found = project(
        {
            "conf/bad.yaml": text,
            "conf/good.yaml": "defaults:\n  - db: one\n  - _self_\ny: 2\n",
            "conf/db/one.yaml": "port: 5\n",
        }
    )
    assert named(found)[:1] == ["good"]
    assert leaves(found.roots[0]) == {"db.port": 5, "y": 2}
    (alone,) = (root for root in found.roots if root.name == "conf/bad.yaml")
    assert leaves(alone)["x"] == 1
    (note,) = found.notes
    assert note.startswith("bad is not composed: ")
    assert "conf/bad.yaml" in note
    assert said in note
    assert "\n" not in note


@needs_hydra
def test_a_choice_that_does_not_compose_is_told_once_and_the_others_stand() -> None:
    files = {**TREE, "conf/engine/broken.yaml": "buffer: 1\n", "conf/engine/worse.yaml": "buffer: 2\n"}
    found = project(files)
    assert named(found)[:2] == ["main[engine=fast]", "main[engine=slow]"]
    (note,) = found.notes
    assert note.startswith("main[engine=broken] is not composed: conf/main.yaml:3: ")


@needs_hydra
def test_a_yaml_fault_in_a_tree_still_stops_it() -> None:
    with pytest.raises(ConfigError, match=r"^conf/optim/adam\.yaml:2: "):
        project({**TREE, "conf/optim/adam.yaml": "a: 1\na: 2\n"})


@needs_hydra
def test_a_hydra_config_named_as_a_file_is_read_as_it_stands() -> None:
    found = project(TREE, "conf/main.yaml")
    assert named(found) == ["conf/main.yaml"]


# -- what is told of a root ---------------------------------------------------------------------------------------
def test_open_mappings() -> None:
    (root,) = project(
        {
            "conf/a.yaml": """
                empty: {}
                full: {x: 1}
                override_config: {x: 1}
                kwargs:
                null_one:
                list: []
                more_kwargs: 1
                """
        }
    ).roots
    assert [path for path in root.settings if root.is_open(path)] == ["empty", "override_config", "kwargs"]
    assert not root.is_open("gone")


def test_paths_by_their_last_component() -> None:
    (root,) = project({"conf/a.yaml": "a: {Key: 1}\nb: {Key: 2, key: 3}\n"}).roots
    assert root.by_name["Key"] == ("a.Key", "b.Key")
    assert root.by_lower["key"] == ("a.Key", "b.Key", "b.key")
    with pytest.raises(KeyError):
        root.resolve("gone")


# -- what says that a file was generated -----------------------------------------------------------------------
@pytest.mark.parametrize(
    "line",
    [
        "This file is generated: do not edit.",
        "This reference yaml is automatically generated via 'make config'",
        "Generated by `make config`; do not edit.",
        "GENERATED FILE",
        "@generated",
        "Auto-generated.",
        "autogenerated from main.yaml",
        "Code generated by controller-gen. DO NOT EDIT.",
        "the config below was generated with a script",
        "Do not modify this file directly.",
        "Please do not edit",
        "do not edit by hand",
    ],
)
def test_a_header_that_says_generated(line: str) -> None:
    assert says_generated("a.yaml", ("Copyright", line))


@pytest.mark.parametrize(
    "line",
    [
        "Tokens generated per step",
        "Number of tokens generated by the actor",
        "names are auto-generated by the server",
        "how the ids are generated: by counting",
        "whether texts that were generated with an error are kept",
        "max length of generated sequences",
        "do not edit the prompts of the user",
        "regenerated from scratch",
        "generates a file",
    ],
)
def test_a_header_that_does_not(line: str) -> None:
    assert not says_generated("a.yaml", (line,))


def test_a_name_that_says_generated() -> None:
    assert says_generated("x/_generated_main.yaml", ())
    assert not says_generated("x/generated_tokens.yaml", ())
