"""Composition: hydra-core composes, we say what was laid where; and nothing outside the folder is touched."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.composition import Composition, compose, engine_choices, origins, primary_configs
from ckpt_defaults.settings import load
from conftest import write_files
from verl_trees import TREES, corpus_config

pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")


@pytest.fixture(params=TREES)
def tree(request: pytest.FixtureRequest) -> str:
    """Three real config trees: this project's, a checkout of verl's, and the one verl published."""
    return str(TREES[request.param]())


def every_root(tree: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in primary_configs(tree):
        for overrides in engine_choices(tree, name):
            yield name, overrides


composed = functools.lru_cache(maxsize=None)(compose)
"""Composing without composing twice, for the real trees, which no test changes."""


def laid(composition: Composition) -> dict[str, Any]:
    """The layers' YAML laid one over another by hand: mappings merge, all else replaces."""

    def lay(below: dict[str, Any], above: dict[str, Any]) -> None:
        for key, value in above.items():
            if isinstance(value, dict) and isinstance(below.get(key), dict):
                lay(below[key], value)
            else:
                below[key] = json.loads(json.dumps(value)) if isinstance(value, dict | list) else value

    result: dict[str, Any] = {}
    for layer in composition.layers:
        place = result
        for part in layer.package.split(".") if layer.package else []:
            place = place.setdefault(part, {})
        value = dict(load(layer.file)[0].value)
        value.pop("defaults", None)
        if not layer.package:
            value.pop("hydra", None)
        lay(place, value)
    return result


def composed_by_hydra(folder: str, name: str, overrides: tuple[str, ...]) -> object:
    import hydra
    from omegaconf import OmegaConf

    with hydra.initialize_config_dir(folder, version_base=None):
        return OmegaConf.to_container(hydra.compose(name, list(overrides)), resolve=False)


# -- real trees ------------------------------------------------------------------------------------------------------
def test_values_are_what_hydras_own_entry_point_composes(tree: str) -> None:
    roots = list(every_root(tree))
    assert ("ppo_trainer", ("model_engine=megatron",)) in roots
    for name, overrides in roots:
        assert composed(tree, name, overrides).values == composed_by_hydra(tree, name, overrides), (name, overrides)


def test_layers_laid_one_over_another_give_the_values(tree: str) -> None:
    for name, overrides in every_root(tree):
        composition = composed(tree, name, overrides)
        assert laid(composition) == composition.values, (name, overrides)
        assert all(os.path.isabs(layer.file) and os.path.isfile(layer.file) for layer in composition.layers)


def test_every_composed_setting_has_an_origin_that_holds_its_value(tree: str) -> None:
    composition = composed(tree, "ppo_trainer", ("model_engine=megatron",))
    decides = origins(composition)

    def walk(value: Any, path: str) -> None:
        if isinstance(value, dict) and value:
            for key, below in value.items():
                walk(below, f"{path}.{key}" if path else key)
        else:
            found = decides(path)
            assert found is not None, path
            assert found.value == value, path

    walk(composition.values, "")


def test_the_roots_of_verl_are_found_and_no_group_is_special() -> None:
    verl = str(corpus_config())
    assert primary_configs(verl) == ("ppo_megatron_trainer", "ppo_trainer", "sft_trainer_engine")
    engines = ("dp", "megatron", "torchtitan", "veomni")
    assert engine_choices(verl, "ppo_trainer") == tuple((f"model_engine={e}",) for e in engines)
    assert engine_choices(verl, "ppo_megatron_trainer") == ((),)
    assert engine_choices(verl, "sft_trainer_engine") == ((),)


# -- small trees -----------------------------------------------------------------------------------------------------
def test_choices_of_two_groups_are_combined(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "main.yaml": """
                defaults:
                  - data/kind: small
                  - engine@train.engine: a
                  - optim: adam
                  - loop: ${data/kind}_${engine}
                  - optional extra: ${engine}
                """,
            "data/kind/small.yaml": "x: 1",
            "data/kind/large.yaml": "x: 2",
            "engine/a.yaml": "x: 1",
            "engine/b.yaml": "x: 1",
            "engine/notes.txt": "not an option",
            "optim/adam.yaml": "x: 1",
            "optim/sgd.yaml": "x: 1",
        },
    )
    assert engine_choices(str(folder), "main") == tuple(
        (f"data/kind={kind}", f"engine@train.engine={engine}") for kind in ("large", "small") for engine in ("a", "b")
    )


def test_a_primary_config_has_a_defaults_list_and_was_not_generated(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "a.yaml": "defaults: [_self_]\nx: 1",
            "b.yaml": "defaults: {x: 1}",
            "c.yaml": "x: 1",
            "d.yaml": "# This file was generated by tool.py\ndefaults: [_self_]",
            "_generated_e.yaml": "defaults: [_self_]",
            "f.yaml": "# tokens generated per step\ndefaults: [_self_]",
            "g.txt": "defaults: [_self_]",
            "sub/h.yaml": "defaults: [_self_]",
        },
    )
    assert primary_configs(str(folder)) == ("a", "f")


def test_packages_are_what_hydra_decides(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "main.yaml": """
                defaults:
                  - group: plain
                  - /other@elsewhere.deep: plain
                  - headed: global
                  - headed@_global_: named
                  - group/inner: old
                  - _self_
                x: main
                """,
            "group/plain.yaml": "defaults: [../other@here: plain, _self_]\ny: 1",
            "group/inner/old.yaml": "# @package _group_\nz: 1",
            "other/plain.yaml": "w: 1",
            "headed/global.yaml": "# @package _global_\ntop: 1\nx: lost",
            "headed/named.yaml": "# @package some.place\ntop: 2",
        },
    )
    made = compose(str(folder), "main")
    assert [(os.path.relpath(layer.file, folder).replace(os.sep, "/"), layer.package) for layer in made.layers] == [
        ("other/plain.yaml", "group.here"),
        ("group/plain.yaml", "group"),
        ("other/plain.yaml", "elsewhere.deep"),
        ("headed/global.yaml", ""),
        ("headed/named.yaml", ""),
        ("group/inner/old.yaml", "group.inner"),
        ("main.yaml", ""),
    ]
    assert made.values == laid(made)
    assert made.values["x"] == "main"
    assert made.values["top"] == 2
    assert made.values["group"] == {"here": {"w": 1}, "y": 1, "inner": {"z": 1}}


def test_values_keep_interpolations_and_have_omegaconfs_types(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "main.yaml": """
                defaults: [_self_]
                rate: 1e-6
                day: 2024-01-01
                must: ???
                same: ${rate}
                env: ${oc.env:HOME}
                none: null
                empty: ''
                list: [1, "${rate}"]
                """
        },
    )
    assert compose(str(folder), "main").values == {
        "rate": 1e-6,
        "day": "2024-01-01",
        "must": "???",
        "same": "${rate}",
        "env": "${oc.env:HOME}",
        "none": None,
        "empty": "",
        "list": [1, "${rate}"],
    }


def test_overrides_of_values_and_deleted_groups(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {"main.yaml": "defaults:\n  - db: a\n  - _self_\nx: {y: 1}", "db/a.yaml": "n: 1", "db/b.yaml": "n: 2"},
    )
    assert compose(str(folder), "main", ["x.y=2", "+x.z=3"]).values == {"db": {"n": 1}, "x": {"y": 2, "z": 3}}
    assert compose(str(folder), "main", ["db=b"]).values == {"db": {"n": 2}, "x": {"y": 1}}
    deleted = compose(str(folder), "main.yaml", ["~db"])
    assert deleted.values == {"x": {"y": 1}}
    assert [layer.package for layer in deleted.layers] == [""]
    assert origins(compose(str(folder), "main", ["+x.z=3"]))("x.z") is None


def test_hydras_own_node_is_left_out_and_its_plug_ins_are_not_needed(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "main.yaml": """
                defaults:
                  - own: a
                  - _self_
                  - override hydra/launcher: submitit_slurm
                  - override hydra/sweeper: optuna
                  - override hydra/job_logging: ours
                hydra:
                  run: {dir: out}
                  launcher: {partition: gpu}
                x: 1
                """,
            "own/a.yaml": "y: 1",
            "hydra/job_logging/ours.yaml": "version: 1",
        },
    )
    made = compose(str(folder), "main")
    assert made.values == {"own": {"y": 1}, "x": 1}
    assert [layer.package for layer in made.layers] == ["own", ""]


def test_a_linked_folder_is_followed_as_hydra_does(tmp_path: Path) -> None:
    write_files(tmp_path, {"real/db/a.yaml": "x: 1", "conf/main.yaml": "defaults:\n  - db: a\n  - _self_\ny: 1"})
    try:
        (tmp_path / "conf/db").symlink_to(tmp_path / "real/db", target_is_directory=True)
    except OSError:
        pytest.skip("no symbolic links here")
    made = compose(str(tmp_path / "conf"), "main")
    assert made.values == {"db": {"x": 1}, "y": 1}
    assert made.layers[0].file == str(tmp_path / "conf/db/a.yaml")
