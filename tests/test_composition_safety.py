"""Composing touches nothing outside of its folder, and tells each fault in one line."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.composition import compose
from ckpt_defaults.settings import ConfigError
from conftest import ROOT, write_files

pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")


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
