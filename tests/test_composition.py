"""Composition: hydra-core composes, we say what was laid where; and nothing outside the folder is touched."""

from __future__ import annotations

import functools
import json
import logging
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.composition import Composition, compose, engine_choices, origins, primary_configs
from ckpt_defaults.settings import ConfigError, load
from conftest import ROOT, write_files
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


# -- nothing outside -------------------------------------------------------------------------------------------------
def test_the_environment_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CKPT_SECRET", "leaked")
    monkeypatch.setenv("CKPT_GROUP", "db")
    folder = write_files(
        tmp_path,
        {
            "list.yaml": "defaults:\n  - _self_\n  - db: ${oc.env:CKPT_GROUP}",
            "nested.yaml": "defaults:\n  - db: ${oc.decode:${oc.env:CKPT_GROUP}}",
            "copy.yaml": "defaults: [_self_]\nhydra: {job: {env_copy: [CKPT_SECRET]}}\nx: 1",
            "merged.yaml": "defaults:\n  - db: lazy\n  - _self_\ndb: {x: {y: 2}}",
            "db/db.yaml": "x: 1",
            "db/lazy.yaml": "x: ${oc.env:CKPT_SECRET}",
        },
    )
    for name in ("list", "nested"):
        with pytest.raises(ConfigError, match=rf"{name}\.yaml:[23]: the defaults list .*not static"):
            compose(str(folder), name)
    assert compose(str(folder), "copy").values == {"x": 1}
    reads: list[str] = []

    class Watched(dict[Any, Any]):
        def __getitem__(self, key: Any) -> Any:
            reads.append(str(key))
            return super().__getitem__(key)

        def get(self, key: Any, default: Any = None) -> Any:
            reads.append(str(key))
            return super().get(key, default)

    monkeypatch.setattr(os, "environ", Watched(os.environ))
    for name in ("copy", "merged"):
        assert "leaked" not in repr(compose(str(folder), name))
    assert not [key for key in reads if key.startswith("CKPT_")]


def test_a_resolver_of_the_surrounding_program_is_not_called(tmp_path: Path) -> None:
    from omegaconf import OmegaConf

    called: list[str] = []
    OmegaConf.register_new_resolver("ckpt_test", lambda: called.append("x") or "a")
    try:
        folder = write_files(
            tmp_path,
            {
                "main.yaml": "defaults:\n  - db: a\n  - _self_\ndb: {x: {y: 2}}",
                "list.yaml": "defaults:\n  - db: '${ckpt_test:}'",
                "db/a.yaml": "x: ${ckpt_test:}",
            },
        )
        compose(str(folder), "main")
        with pytest.raises(ConfigError, match="calls a resolver"):
            compose(str(folder), "list")
        assert called == []
        assert OmegaConf.has_resolver("ckpt_test")
        assert OmegaConf.has_resolver("oc.env")
    finally:
        OmegaConf.clear_resolver("ckpt_test")


def test_search_paths_and_packages_are_refused(tmp_path: Path) -> None:
    folder = write_files(
        tmp_path,
        {
            "conf/main.yaml": "defaults: [_self_]\nhydra:\n  searchpath:\n    - pkg://evil.conf",
            "conf/plain.yaml": "defaults: [_self_]",
            "evil/__init__.py": "raise SystemExit('imported')",
            "evil/conf/__init__.py": "",
        },
    )
    sys.path.insert(0, str(folder))
    try:
        with pytest.raises(ConfigError, match=r"main\.yaml:3: hydra\.searchpath is not followed"):
            compose(str(folder / "conf"), "main")
        with pytest.raises(ConfigError, match="refused"):
            compose(str(folder / "conf"), "plain", ["hydra.searchpath=[pkg://evil.conf]"])
    finally:
        sys.path.remove(str(folder))
    assert "evil" not in sys.modules


def test_no_plug_in_is_imported_and_no_state_is_left(tmp_path: Path) -> None:
    """In a process of its own: what composing imports, registers, logs and warns."""
    folder = write_files(
        tmp_path,
        {
            "conf/main.yaml": "defaults:\n  - db: a\nx: 1",  # without _self_, of which Hydra warns
            "conf/db/a.yaml": "# @package _group_\ny: 1",  # of which it warns as well
            "hydra_plugins/loud/__init__.py": "raise SystemExit('plug-in imported')",
            "probe.py": """
                import json, logging, sys
                from ckpt_defaults.composition import compose
                before = (logging.root.level, list(logging.root.handlers))
                made = compose(sys.argv[1], "main")
                from hydra.core.singleton import Singleton
                from hydra._internal.sources_registry import SourcesRegistry
                from hydra import version
                print(json.dumps({
                    "values": made.values,
                    "logging": before == (logging.root.level, list(logging.root.handlers)),
                    "singletons": sorted(kind.__name__ for kind in Singleton._instances),
                    "sources": sorted(SourcesRegistry.instance().types),
                    "base": version.getbase() is version._UNSPECIFIED_,
                    "plugins": [name for name in sys.modules if name.startswith("hydra_plugins")],
                }))
                """,
        },
    )
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), str(folder)])
    got = subprocess.run(
        [sys.executable, "-W", "error", str(folder / "probe.py"), str(folder / "conf")],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path,
    )  # fmt: skip
    assert got.stderr == ""
    told = json.loads(got.stdout)
    assert told["values"] == {"db": {"y": 1}, "x": 1}
    assert told["logging"]
    assert "GlobalHydra" not in told["singletons"]
    assert "Plugins" not in told["singletons"]
    assert told["sources"] == []
    assert told["base"]
    assert told["plugins"] == []


def test_a_running_hydra_is_left_as_it_was(tmp_path: Path) -> None:
    import hydra
    from hydra import version
    from hydra.core.global_hydra import GlobalHydra

    folder = str(write_files(tmp_path, {"main.yaml": "defaults: [_self_]\nx: 1"}))
    with hydra.initialize_config_dir(folder, version_base="1.2"):
        running, base, level = GlobalHydra.instance().hydra, version.getbase(), logging.root.level
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            compose(folder, "main")
            with pytest.raises(ConfigError):
                compose(folder, "main", ["nothing=here"])
        assert GlobalHydra.instance().hydra is running
        assert version.getbase() == base
        assert logging.root.level == level
        assert hydra.compose("main") == {"x": 1}


# -- faults ----------------------------------------------------------------------------------------------------------
FAULTS = {
    "a missing option": (
        {"main.yaml": "defaults:\n  - _self_\n  - db: gone", "db/a.yaml": "x: 1", "db/b.yaml": "x: 1"},
        (), r"main\.yaml:3: .*db/gone.*Available options in 'db': a; b",
    ),
    "a missing option one level down": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "defaults:\n  - size: big", "db/size/s.yaml": ""},
        (), r"db/a\.yaml:2: .*db/size/big",
    ),
    "a config that code would register": (
        {"main.yaml": "defaults:\n  - _self_\n\n  - base_schema"}, (), r"main\.yaml:4: .*base_schema.*ConfigStore",
    ),
    "an option that must be chosen": (
        {"main.yaml": "defaults:\n  - db: ???", "db/a.yaml": ""}, (), r"main\.yaml:2: .*must specify 'db'",
    ),
    "an interpolation without a target": (
        {"main.yaml": "defaults:\n  - db: ${nothing}_x", "db/a.yaml": ""}, (), r"main\.yaml:2: .*nothing",
    ),
    "a circle": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "defaults:\n  - b", "db/b.yaml": "defaults:\n  - a"},
        (), r"main\.yaml: .*circle",
    ),
    "two _self_": ({"main.yaml": "defaults:\n  - _self_\n  - _self_"}, (), r"main\.yaml: .*_self_"),
    "a defaults mapping": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "defaults:\n  x: 1"}, (), r"a\.yaml:1: .*must be a list",
    ),
    "an entry with two keys": ({"main.yaml": "defaults:\n  - {db: a, cache: b}"}, (), r"main\.yaml:2: .*[Tt]oo many"),
    "an entry that is a number": ({"main.yaml": "defaults:\n  - 3"}, (), r"main\.yaml:\d?:? .*int"),
    "an override of a key that is not there": (
        {"main.yaml": "defaults: [_self_]\nx: 1"}, ("y=1",), r"main\.yaml: .*Could not override 'y'",
    ),
    "an override of a group that is not there": (
        {"main.yaml": "defaults: [_self_]\nx: 1"}, ("db@y=1",), r"main\.yaml: .*db",
    ),
    "an override that is no override": ({"main.yaml": "defaults: [_self_]"}, ("x=[1",), r"main\.yaml: "),
    "a sweep": ({"main.yaml": "defaults: [_self_]\nx: 1"}, ("x=1,2",), r"main\.yaml: .*x"),
    "broken YAML below": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "x: 1\ny: [1"}, (), r"db/a\.yaml:\d: is not valid YAML",
    ),
    "a key twice below": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "x: 1\nx: 2"}, (), r"db/a\.yaml:2: .*twice",
    ),
    "a broken interpolation": ({"main.yaml": "defaults: [_self_]\nx: ${a"}, (), r"main\.yaml:2: "),
    "a bad package header": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "# @package a b\nx: 1"}, (), r"a\.yaml:1: .*header",
    ),
    "two documents": (
        {"main.yaml": "defaults:\n  - db: a", "db/a.yaml": "x: 1\n---\nx: 2"}, (), r"a\.yaml: .*documents",
    ),
    "an object": (
        {"main.yaml": "defaults: [_self_]\nx: !!python/object/apply:os.system [id]"}, (), r"main\.yaml:2: the tag",
    ),
    "no such config": ({"main.yaml": "x: 1"}, None, r"other\.yaml: cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_that_names_file_and_line(fault: str, tmp_path: Path) -> None:
    files, overrides, message = FAULTS[fault]
    folder = write_files(tmp_path, files)
    with pytest.raises(ConfigError, match=message) as caught:
        compose(str(folder), "other" if overrides is None else "main", overrides or ())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_without_hydra_the_module_imports_and_says_what_to_install(tmp_path: Path) -> None:
    write_files(tmp_path, {"main.yaml": "defaults: [_self_]\nx: 1"})
    code = (
        "import sys; sys.modules.update(hydra=None, omegaconf=None)\n"
        "from ckpt_defaults import composition as c, flatten\n"
        "print(c.primary_configs('.'), c.engine_choices('.', 'main'))\n"
        "try: c.compose('.', 'main')\n"
        "except c.CompositionUnavailable as error: print(error)\n"
        "sys.exit(flatten.main(['--new', '_generated_x.yaml', '--source', 'main']))"
    )
    got = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "sphinx_ext")},
    )  # fmt: skip
    assert got.stdout.splitlines()[0] == "('main',) ((),)"
    assert "install sphinx-ckpt-defaults[hydra]" in got.stdout
    assert got.returncode == 2
    assert got.stderr.count("\n") == 1
    assert not (tmp_path / "_generated_x.yaml").exists()
