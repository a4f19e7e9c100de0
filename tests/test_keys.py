"""Which settings of a root a key may mean: never one by its last component alone where there are several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from ckpt_defaults.judging import keys
from ckpt_defaults.judging.keys import BARE, EXACT, INNER, SUFFIX
from ckpt_defaults.roots import Root, find_project
from hypothesis import given, settings
from hypothesis import strategies as st

CONFIG = """
seed: 1
lr: 0.5
actor:
  optim: {lr: 1, warm-up: 2}
  ppo_epochs: 3
  checkpoint: {async_save: false}
  fsdp:
    deep: {offload: true}
  override_config: {known: 1}
critic:
  optim: {lr: 4}
  checkpoint: {async_save: true}
  enabled: true
rollout:
  n: 5
  Seed: 7
  engine_kwargs: {}
  servers:
  - port: 1
  - port: 2
kwargs:
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    file = tmp_path_factory.mktemp("keys") / "c.yaml"
    file.write_text(CONFIG, encoding="utf-8")
    return find_project([str(file)]).roots[0]


def config(tmp_path: Path, text: str, name: str = "d.yaml") -> Root:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return find_project([str(tmp_path / name)]).roots[0]


@pytest.mark.parametrize(
    ("key", "paths", "how"),
    [
        ("seed", ["seed"], EXACT),
        ("actor.ppo_epochs", ["actor.ppo_epochs"], EXACT),
        ("actor.optim", ["actor.optim"], EXACT),
        ("actor.optim.warm-up", ["actor.optim.warm-up"], EXACT),
        ("actor..ppo_epochs", ["actor.ppo_epochs"], EXACT),
        ("rollout.servers.1.port", ["rollout.servers.1.port"], EXACT),
        ("rollout.servers[1].port", ["rollout.servers.1.port"], EXACT),
        ("Actor.PPO_Epochs", ["actor.ppo_epochs"], EXACT),
        ("optim.lr", ["actor.optim.lr", "critic.optim.lr"], SUFFIX),
        ("checkpoint.async_save", ["actor.checkpoint.async_save", "critic.checkpoint.async_save"], SUFFIX),
        ("servers[0].port", ["rollout.servers.0.port", "rollout.servers.1.port"], SUFFIX),
        ("OPTIM.LR", ["actor.optim.lr", "critic.optim.lr"], SUFFIX),
        ("<role>.optim.lr", ["actor.optim.lr", "critic.optim.lr"], SUFFIX),
        ("*.optim.lr", ["actor.optim.lr", "critic.optim.lr"], SUFFIX),
        ("actor.*.lr", ["actor.optim.lr"], SUFFIX),
        ("servers[*].port", ["rollout.servers.0.port", "rollout.servers.1.port"], SUFFIX),
        ("actor.lr", ["actor.optim.lr"], INNER),
        ("actor.deep.offload", ["actor.fsdp.deep.offload"], INNER),
        ("actor.offload", ["actor.fsdp.deep.offload"], INNER),
        ("ppo_epochs", ["actor.ppo_epochs"], BARE),
        ("async_save", ["actor.checkpoint.async_save", "critic.checkpoint.async_save"], BARE),
        ("port", ["rollout.servers.0.port", "rollout.servers.1.port"], BARE),
    ],
)
def test_found(root: Root, key: str, paths: list[str], how: int) -> None:
    found = keys.find(root, key)
    assert found is not None
    assert (list(found.paths), found.how) == (paths, how)


@pytest.mark.parametrize(
    "key",
    [
        "gone", "critic.ppo_epochs", "ppo_epochs.actor", "epochs", "ppo_epoch", "PPO_EPOCHS", "optim.actor.lr", "lr.x",
        "tor.ppo_epochs", "actor.gone.lr", "critic.n", "*", "actor.*", "actor.<x>", "", ".", "..", "[", "]", "a[",
        "(.*)+", "actor|ppo_epochs", "actor.ppo_epochs\n",
    ],
)  # fmt: skip
def test_not_found(root: Root, key: str) -> None:
    assert keys.find(root, key) is None


def test_levels_between_are_few(tmp_path: Path) -> None:
    deep = config(tmp_path, "a: {b: {c: {d: {e: 1}}}, x: {y: {e: 2}}}\n")
    assert keys.find(deep, "x.e") is not None
    assert keys.find(deep, "a.e") == keys.Match(deep, ("a.x.y.e",), INNER)


@pytest.mark.parametrize(
    ("parents", "headings", "left"),
    [
        ([], [], ["actor.optim.lr", "critic.optim.lr"]),
        (["critic"], [], ["critic.optim.lr"]),
        (["critic.optim"], [], ["critic.optim.lr"]),
        (["nothing"], [], ["actor.optim.lr", "critic.optim.lr"]),
        (["optim", "actor"], [], ["actor.optim.lr"]),
        ([], ["The critic's optimizer"], ["critic.optim.lr"]),
        ([], ["Critics"], ["critic.optim.lr"]),
        ([], ["optim"], ["actor.optim.lr", "critic.optim.lr"]),
        ([], ["Training", "Actor"], ["actor.optim.lr"]),
        ([], ["Actor and critic"], ["actor.optim.lr", "critic.optim.lr"]),
        (["critic"], ["Actor"], ["critic.optim.lr"]),
    ],
)
def test_what_stands_around_a_key_tells_which(
    root: Root, parents: Sequence[str], headings: Sequence[str], left: list[str]
) -> None:
    found = keys.find(root, "optim.lr")
    assert found is not None
    assert list(keys.narrow(found.paths, "optim.lr", tuple(parents), tuple(headings))) == left


@pytest.mark.parametrize(
    ("key", "above"),
    [
        ("rollout.engine_kwargs.x", "rollout.engine_kwargs"),
        ("engine_kwargs.x.y", "rollout.engine_kwargs"),
        ("actor.override_config.new", "actor.override_config"),
        ("kwargs.x", "kwargs"),
        ("actor.optim.x", None),
        ("gone.x", None),
        ("seed.x", None),
        ("x", None),
        ("", None),
    ],
)
def test_keys_below_an_open_mapping(root: Root, key: str, above: str | None) -> None:
    assert keys.open_parent(root, key) == above


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("critic.ppo_epochs", "actor.ppo_epochs"),
        ("actor.rollout.n", "rollout.n"),
        ("actor.ppo_epoch", "actor.ppo_epochs"),
        ("actor.checkpoint.asinc_save", "actor.checkpoint.async_save"),
        ("critic.optimiser.lr", "critic.optim.lr"),
        ("something.else", ""),
        ("", ""),
    ],
)
def test_the_key_that_may_have_been_meant(root: Root, key: str, near: str) -> None:
    assert keys.suggestion([root], key) == near


def test_the_switch_of_a_group(root: Root) -> None:
    assert keys.switch_of(root, "critic") == "critic.enabled"
    assert keys.switch_of(root, "actor") is None


def test_how_much_of_a_key_is_known(root: Root) -> None:
    assert keys.known_part(root, "actor.optim.gone.x") == 2
    assert keys.known_part(root, "gone.x") == 0


def test_components() -> None:
    assert keys.components("a[0].b[].c[*]..d") == ("a", "0", "b", "c", "*", "d")


ODD = st.text(st.characters(exclude_categories=("Cs",)), max_size=20) | st.text("acortmlnse.[]<>{}*-_ 0N", max_size=16)


@given(ODD)
@settings(deadline=None)
def test_any_text_is_a_key_or_none(root: Root, key: str) -> None:
    found = keys.find(root, key)
    assert found is None or all(path in root.settings for path in found.paths)
    assert found is None or found.how in (EXACT, SUFFIX, INNER, BARE)
    above = keys.open_parent(root, key)
    assert above is None or root.is_open(above)
    near = keys.suggestion([root], key)
    assert near == "" or near in root.settings
    assert keys.narrow(("actor.optim.lr", "lr"), key, (key,), (key,))


@given(st.data())
@settings(deadline=None)
def test_every_end_of_a_path_finds_it(root: Root, data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(sorted(root.settings)))
    parts = path.split(".")
    end = ".".join(parts[data.draw(st.integers(0, len(parts) - 1)) :])
    found = keys.find(root, end)
    if end in root.settings:
        assert found == keys.Match(root, (end,), EXACT)
    elif not parts[-1].isdigit():
        assert found is not None
        assert path in found.paths
