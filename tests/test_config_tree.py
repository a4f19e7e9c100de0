"""The config tree of this project: verl's settings and values, our words, and a generated file that is up to date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ckpt_defaults.composition import compose, engine_choices, primary_configs
from ckpt_defaults.flatten import differences, generated_files, source_of
from ckpt_defaults.settings import load
from verl_trees import OURS as CONFIG
from verl_trees import corpus_config

pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")

SOURCES = sorted(p for p in CONFIG.rglob("*.yaml") if not p.name.startswith("_generated"))
ENGINES = ("actor_rollout_ref.actor.megatron", "actor_rollout_ref.ref.megatron", "critic.megatron")


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from leaves(below, f"{path}.{key}" if path else key)
    else:
        yield path, value


def at(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values[part]
    return values


def comments(file: Path) -> str:
    return "\n".join(re.findall(r"(?:^|\s)#(.*)$", file.read_text(encoding="utf-8"), re.M))


@pytest.fixture(scope="module")
def composed() -> Any:
    return compose(str(CONFIG), "ppo_trainer", ("model_engine=megatron",)).values


def test_there_is_one_root_and_it_takes_the_engine_as_an_override() -> None:
    assert primary_configs(str(CONFIG)) == ("ppo_trainer",)
    assert engine_choices(str(CONFIG), "ppo_trainer") == (("model_engine=megatron",),)


def test_the_megatron_engine_stands_in_actor_critic_and_ref(composed: Any) -> None:
    written = load(str(CONFIG / "engine/megatron.yaml"))[0].value
    for path in ENGINES:
        engine = at(composed, path)
        assert set(engine) == set(written)
        assert engine["_target_"] == "verl.workers.config.McoreEngineConfig"
        assert engine["dist_ckpt_optim_fully_reshardable"] is False
        assert engine["distrib_optim_fully_reshardable_mem_efficient"] is False
    follows = [path for path, value in leaves(at(composed, ENGINES[1])) if str(value).startswith("${oc.select:")]
    assert len(follows) == 18


def test_every_interpolation_has_its_target(composed: Any) -> None:
    """``oc.select`` hides a missing target behind its fallback; here each must be there."""
    from omegaconf import OmegaConf

    assert "???" not in dict(leaves(composed)).values()
    for path, value in leaves(composed):
        for target in re.findall(r"\$\{(?:oc\.select:)?([\w.]+)", str(value)):
            base = path.rsplit(".", 1)[0] + target if target.startswith(".") else target
            at(composed, base)
    OmegaConf.resolve(OmegaConf.create(composed))


def test_the_generated_file_is_what_the_sources_compose_to() -> None:
    files = generated_files(str(CONFIG))
    assert [Path(file).name for file in files] == ["_generated_ppo_megatron_trainer.yaml"]
    assert source_of(files[0]) == ("ppo_trainer", ("model_engine=megatron",))
    assert differences(files[0]) == ()


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: str(file.relative_to(CONFIG)))
def test_every_setting_has_a_comment_above_it(file: Path) -> None:
    for setting in load(str(file))[0].settings.values():
        if setting.path.partition(".")[0] == "defaults":
            continue
        assert len(setting.comment.split()) >= 2, setting.place
        assert setting.remark == "", setting.place
        assert setting.comment.rstrip().endswith((".", "?", ":")), setting.place
        assert not re.search(r"[`*|]|\w_(?!\w)", setting.comment), setting.place  # markup, where it is shown in a page


def test_the_engine_has_verls_keys_and_values_in_verls_order() -> None:
    ours, verls = (load(str(tree / "engine/megatron.yaml"))[0] for tree in (CONFIG, corpus_config()))
    assert list(leaves(dict(ours.value))) == list(leaves(dict(verls.value)))
    assert list(ours.settings) == list(verls.settings)


def test_no_composed_value_differs_from_verls(composed: Any) -> None:
    verls = dict(leaves(compose(str(corpus_config()), "ppo_trainer", ("model_engine=megatron",)).values))
    for path, value in leaves(composed):
        assert (path, told(value)) == (path, told(verls.get(path, "not there")))


def told(value: object) -> object:
    """A value with its type; of an ``oc.select`` only what it follows: two of verl's fallbacks are not the default."""
    if isinstance(value, str):
        return re.sub(r"^\$\{oc\.select:([^,}]+),[^}]*\}$", r"${oc.select:\1}", value)
    return type(value), value


def test_no_comment_is_verls() -> None:
    """No seven words in a row, but for lists of the values that a setting takes."""

    def runs(file: Path) -> set[tuple[str, ...]]:
        words = re.findall(r"[\w']+", comments(file).lower())
        return {tuple(words[i : i + 7]) for i in range(len(words) - 6)}

    verls = set().union(*(runs(file) for file in corpus_config().rglob("*.yaml")))
    values = {"token", "seq", "mean", "sum", "norm", "or", "kl", "abs", "mse", "low_var_kl", "full"}
    shared = {run for file in SOURCES for run in runs(file) & verls if len(set(run) - values) > 1}
    assert not shared
