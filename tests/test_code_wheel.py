"""The published package verl 0.9.1 as it is: which copies of its defaults differ, and that those in step are quiet."""

from __future__ import annotations

import sys
from collections import Counter

import pytest
from ckpt_defaults.judging.code_statements import CodeResult, code_verdicts
from ckpt_defaults.roots import Project, find_project
from verl_trees import wheel_code, wheel_config

pytest.importorskip("hydra", reason="composing needs the extra 'hydra'")


@pytest.fixture(scope="module")
def project() -> Project:
    return find_project([str(wheel_config())])


@pytest.fixture(scope="module")
def result(project: Project) -> CodeResult:
    return code_verdicts(project, [str(wheel_code())])


def found(result: CodeResult, kind: str, verdict: str = "disagrees") -> set[tuple[str, str, str]]:
    return {
        (v.path, v.statement.documented, v.actual)
        for v in result.verdicts
        if v.statement.kind == kind and v.verdict == verdict
    }


ACTOR = "actor_rollout_ref.actor"
FIELDS = [
    ("actor_rollout_ref.rollout.max_num_seqs", "1024", "256"),
    ("actor_rollout_ref.rollout.calculate_log_probs", "False", "true"),
    (f"{ACTOR}.megatron.qat.activation_observer", '"static_minmax"', "null"),
    (f"{ACTOR}.veomni.mixed_precision", "False", "true"),
    (f"{ACTOR}.veomni.forward_prefetch", "False", "true"),
    (f"{ACTOR}.veomni.enable_full_shard", "False", "true"),
    (f"{ACTOR}.veomni.use_torch_compile", "True", "false"),
    (f"{ACTOR}.fsdp_config.use_no_sync_for_gradient_accumulation", "True", "false"),
    (f"{ACTOR}.use_remove_padding", "False", "true"),
    (f"{ACTOR}.optim.lr_decay_style", '"linear"', "constant"),
    (f"{ACTOR}.optim.override_optimizer_config", "None", "{}"),
    ("critic.ppo_mini_batch_size", "1", "256"),
    ("critic.shuffle", "True", "false"),
    ("actor_rollout_ref.rollout.val_kwargs.do_sample", "True", "false"),
    ("distillation.distillation_loss.topk", "128", "32"),
]


@pytest.mark.parametrize(("path", "documented", "actual"), FIELDS, ids=[f[0].rpartition(".")[2] for f in FIELDS])
def test_a_field_that_differs_is_told(result: CodeResult, path: str, documented: str, actual: str) -> None:
    assert (path, documented, actual) in found(result, "dataclass")


QUIET = [
    "dist_ckpt_optim_fully_reshardable",
    "distrib_optim_fully_reshardable_mem_efficient",
    "use_distributed_optimizer",
    "forward_only",  # True for the reference model, on purpose
    "load_format",  # another one for the reward model, on purpose
    "gpu_memory_utilization",
]


@pytest.mark.parametrize("name", QUIET)
def test_what_is_in_step_or_a_role_of_its_own_is_quiet(result: CodeResult, name: str) -> None:
    about = [v for v in result.verdicts if v.path.endswith(f".{name}") and v.statement.kind == "dataclass"]
    assert about
    assert {v.verdict for v in about} == {"agrees"}


def test_no_new_alarm_comes_unseen(result: CodeResult) -> None:
    counts = Counter((v.statement.kind, v.verdict) for v in result.verdicts)
    told = {kind: counts[kind, "disagrees"] for kind in ("dataclass", "prose", "comment", "fallback", "generated")}
    assert told == {"dataclass": 33, "prose": 5, "comment": 0, "fallback": 14, "generated": 0}
    assert counts["dataclass", "agrees"] > 450
    undecided = {kind: counts[kind, "undecided"] for kind in ("dataclass", "fallback", "generated")}
    assert undecided == {"dataclass": 22, "fallback": 8, "generated": 0}
    assert all(v.reason for v in result.verdicts if v.verdict == "undecided")


def test_fallbacks_and_docstrings_that_differ_are_told(result: CodeResult) -> None:
    fallbacks = found(result, "fallback")
    assert ("actor_rollout_ref.actor.megatron.use_mbridge", "False", "true") in fallbacks
    assert ("actor_rollout_ref.model.use_remove_padding", "false", "true") in fallbacks
    assert ("actor_rollout_ref.actor.data_loader_seed", "null", "42") in fallbacks
    assert (f"{ACTOR}.veomni.enable_full_shard", "False", "true") in found(result, "prose")


def test_each_place_is_exact(result: CodeResult) -> None:
    for verdict in result.verdicts:
        s = verdict.statement
        if s.span and s.kind in ("dataclass", "fallback", "prose", "comment"):
            with open(s.file, encoding="utf-8") as stream:
                rest = "".join(stream.read().splitlines(keepends=True)[s.line - 1 :])
            assert " ".join(rest[s.column - 1 :][: s.span].split()) == s.documented, verdict


def test_nothing_was_imported(result: CodeResult) -> None:
    assert result.files
    assert not [name for name in sys.modules if name == "verl" or name.startswith("verl.")]


def test_every_place_tells_more(project: Project, result: CodeResult) -> None:
    strict = code_verdicts(project, [str(wheel_code())], every_place=True)
    more = found(strict, "dataclass")
    assert more > {one for one in found(result, "dataclass") if one[0] != "lr"}
    assert ("actor_rollout_ref.ref.megatron.forward_only", "False", "true") in more


def test_without_code_the_config_is_judged_all_the_same(project: Project) -> None:
    result = code_verdicts(project, [])
    assert {v.statement.kind for v in result.verdicts} == {"fallback", "generated", "comment"}
