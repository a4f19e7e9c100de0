"""Layouts (which parameters a rank holds) and the sums over the ranks of a host."""

from __future__ import annotations

import math

import pytest
from ckpt_defaults.memory.estimate import Estimate, estimate, usable_bytes
from ckpt_defaults.memory.formula import SaveFormat
from ckpt_defaults.memory.layout import Bucketing, Parallelism, parameter_count, stage_layers, stage_shares
from ckpt_defaults.memory.models import EstimateError, ModelShape, catalogue, find_model
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""Properties hold on a busy machine too."""

DPR, FR, LEAN = SaveFormat


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"world": 0}, "the number of GPUs is 0; give at least 1"),
        ({"world": -8}, "the number of GPUs is -8"),
        ({"world": 10**30}, "not believed"),
        ({"ranks_per_host": 0}, "GPUs per host is 0"),
        ({"tp": 0}, "TP is 0"),
        ({"pp": -1}, "PP is -1"),
        ({"ep": 10**30}, "EP is .*not believed"),
        ({"etp": 0}, "ETP is 0"),
        ({"tp": 3}, r"8 GPUs are no multiple of TP x PP x CP = 3 x 1 x 1 = 3; world = TP x PP x CP x DP must hold"),
        ({"tp": 2, "pp": 2, "cp": 4}, "no multiple of TP x PP x CP = 2 x 2 x 4 = 16"),
        ({"tp": 2, "dp": 2}, "give DP 4, not 2"),
        ({"tp": "2"}, "TP is '2'; give a whole number"),
    ],
)
def test_a_world_that_does_not_multiply_up_is_refused(sizes: dict[str, int], message: str) -> None:
    with pytest.raises(EstimateError, match=message):
        Parallelism(**sizes)


@pytest.mark.parametrize(
    ("name", "layout", "message"),
    [
        ("qwen3-30b-a3b", Parallelism(8, ep=3), "EP x ETP = 3 x 1 does not divide the 8 GPUs"),
        ("qwen3-30b-a3b", Parallelism(8, tp=4, ep=8), r"EP x ETP = 8 x 4 \(ETP is TP unless you set it\)"),
        ("glm-4.7-flash", Parallelism(48, ep=48), "64 experts do not divide by EP 48"),
        ("qwen3-30b-a3b", Parallelism(5, ep=1, etp=5), "768 expert MLP columns do not divide by ETP 5"),
        ("qwen3-8b", Parallelism(8, ep=2), "Qwen3-8B has no experts, so EP 2 divides nothing"),
        ("qwen2.5-0.5b", Parallelism(8, tp=8), "14 attention heads do not divide by TP 8"),
        ("qwen3-0.6b", Parallelism(32, pp=32), "28 layers do not fill PP 32 stages"),
        ("qwen3-8b", Parallelism(8, pp=4, vpp=2), "9 layers of a stage do not divide by VPP 2"),
        ("deepseek-v3", Parallelism(16, pp=4, first_stage_layers=11), "leave 50 for 3 stages"),
    ],
)
def test_a_model_that_does_not_divide_is_refused(name: str, layout: Parallelism, message: str) -> None:
    with pytest.raises(EstimateError, match=message):
        estimate(find_model(name), layout)


@pytest.mark.parametrize(
    ("layers", "pp", "ends", "expected"),
    [
        (61, 16, (None, None), (3, *(4,) * 14, 2)),
        (61, 4, (None, None), (15, 16, 16, 14)),
        (61, 2, (None, None), (31, 30)),
        (61, 4, (10, None), (10, 17, 17, 17)),
        (61, 4, (None, 7), (18, 18, 18, 7)),
        (61, 4, (15, 16), (15, 15, 15, 16)),
        (48, 4, (None, None), (12,) * 4),
        (7, 6, (None, None), (2, 1, 1, 1, 1, 1)),
    ],
)
def test_layers_are_split_as_the_trainer_wants_them(
    layers: int, pp: int, ends: tuple[int | None, int | None], expected: tuple[int, ...]
) -> None:
    shape = ModelShape("m", layers, 64, 4, 4, 16, 128, 1000)
    layout = Parallelism(pp, pp=pp, first_stage_layers=ends[0], last_stage_layers=ends[1])
    assert stage_layers(shape, layout) == expected


@pytest.mark.parametrize("name", list(catalogue()))
def test_the_stages_and_experts_add_up_to_the_model(name: str) -> None:
    shape = catalogue()[name]
    ep = 4 if shape.experts else 1
    layout = Parallelism(16, pp=4, ep=ep)
    total = 0
    for share in stage_shares(shape, layout):
        total += share.dense.numel + (share.expert.numel * ep if share.expert else 0)
    copies = shape.vocabulary * shape.hidden if shape.tied_embeddings else 0  # the last stage has one of its own
    assert total == parameter_count(shape) + copies


def test_tensor_parallelism_splits_all_but_norms_router_and_latent_projections() -> None:
    shape = find_model("qwen3-30b-a3b")
    whole = stage_shares(shape, Parallelism(8, ep=8))[0].dense.numel
    half = stage_shares(shape, Parallelism(8, tp=2, ep=4, etp=2))[0].dense.numel
    replicated = shape.layers * (128 * 2048 + 2 * 2048 + 2 * 128) + 2048
    assert 2 * half == whole + replicated


def test_only_the_stages_with_dense_layers_lack_experts() -> None:
    shares = stage_shares(find_model("deepseek-v3"), Parallelism(256, tp=8, pp=16, ep=16, etp=1))
    assert shares[0].expert is None  # three dense layers
    assert shares[1].expert is not None
    assert shares[1].expert.numel == 4 * 256 // 16 * 3 * 7168 * 2048


def test_chunks_have_buckets_of_their_own() -> None:
    shape = find_model("qwen3-8b")
    plain = stage_shares(shape, Parallelism(8, pp=2))[0].dense
    chunked = stage_shares(shape, Parallelism(8, pp=2, vpp=3))[0].dense
    assert chunked.numel == plain.numel
    assert chunked.largest_bucket < plain.largest_bucket / 2


def test_an_embedding_shared_by_two_stages_has_a_bucket_of_its_own() -> None:
    shape = find_model("qwen2.5-0.5b")
    embedding = shape.vocabulary * shape.hidden
    first, last = stage_shares(shape, Parallelism(8, pp=2))
    assert first.dense.largest_bucket == max(embedding, first.dense.numel - embedding)
    assert last.dense.numel == first.dense.numel + shape.hidden  # its own copy, and the final norm
    assert (first.dense.replicated, last.dense.replicated) == (0, embedding)  # which the first stage writes


def test_buckets_bound_the_transient_part() -> None:
    shape = find_model("qwen3-8b")
    whole = stage_shares(shape, Parallelism(8))[0].dense
    small = stage_shares(shape, Parallelism(8), Bucketing(40_000_000))[0].dense
    assert small.numel == whole.numel
    assert small.largest_bucket <= 40_000_000 + shape.vocabulary * shape.hidden + 128
    assert small.largest_bucket < whole.largest_bucket


def test_the_vocabulary_is_padded_to_the_ranks() -> None:
    shape = ModelShape("m", 2, 64, 8, 8, 8, 128, 1001)
    assert (
        stage_shares(shape, Parallelism(8, tp=8))[0].dense.largest_tensor
        == stage_shares(ModelShape("m", 2, 64, 8, 8, 8, 128, 1008), Parallelism(8, tp=8))[0].dense.largest_tensor
    )


@st.composite
def estimates(draw: st.DrawFn) -> Estimate:
    """Small models, with and without experts, in layouts that they divide over."""
    experts = draw(st.sampled_from([0, 8]))
    shape = ModelShape(
        "m",
        layers=draw(st.integers(1, 12)),
        hidden=64,
        heads=8,
        kv_groups=draw(st.sampled_from([1, 2, 8])),
        head_dim=8,
        ffn=256,
        vocabulary=draw(st.integers(8, 5000)),
        tied_embeddings=draw(st.booleans()),
        qk_norm=draw(st.booleans()),
        experts=experts,
        expert_ffn=64 if experts else 0,
        shared_ffn=draw(st.sampled_from([0, 64])) if experts else 0,
        first_dense_layers=draw(st.integers(0, 3)),
    )
    tp, pp, cp, dp = (draw(st.sampled_from(sizes)) for sizes in ([1, 2, 4], [1, 2, 3], [1, 2], [1, 2, 3, 4]))
    ep, etp = (draw(st.sampled_from([1, 2, 4])), draw(st.sampled_from([1, 2]))) if experts else (1, 1)
    try:
        layout = Parallelism(
            tp * pp * cp * dp, tp=tp, pp=pp, cp=cp, ep=ep, etp=etp, ranks_per_host=draw(st.integers(1, 12)), dp=dp
        )
        return estimate(shape, layout, optimizer_on_host=draw(st.booleans()))
    except EstimateError:
        assume(False)
        raise


@UNTIMED
@given(estimates())
def test_a_host_is_the_sum_of_its_ranks(answer: Estimate) -> None:
    layout = answer.layout
    for fmt, one in answer.formats.items():
        ranks = [answer.rank(fmt, rank) for rank in range(layout.world)]
        assert sum(host.ranks for host in one.hosts) == layout.world
        for host in one.hosts:
            mine = ranks[host.host * layout.ranks_per_host :][: layout.ranks_per_host]
            assert host.save == sum(rank.save for rank in mine)
            assert host.load == sum(rank.load for rank in mine)
            assert host.retained == sum(rank.retained for rank in mine)
        assert one.saving.save + one.saving.held == max(host.save + host.held for host in one.hosts)
        assert one.rank_0.save == max(rank.save for rank in ranks)


@UNTIMED
@given(estimates())
def test_the_state_of_the_model_is_saved_once_over_all_ranks_that_write(answer: Estimate) -> None:
    # What lean ranks retain is every parameter of the model once, for each copy that model parallelism makes of it.
    layout = answer.layout
    retained = sum(answer.rank(LEAN, rank).retained for rank in range(layout.world))
    expected = 0
    for share in answer.stages:
        expected += 12 * share.dense.numel * layout.tp
        expected += 12 * share.expert.numel * layout.ep * layout.expert_tensor if share.expert else 0
    assert retained == expected


@UNTIMED
@given(estimates(), st.integers(1, 3))
def test_more_layers_never_need_less(answer: Estimate, more: int) -> None:
    shape, layout = answer.shape, answer.layout
    assume(shape.layers % layout.pp == 0)
    larger = ModelShape(
        **{name: getattr(shape, name) for name in shape.__dataclass_fields__ if name != "layers"},
        layers=shape.layers + more * layout.pp,
    )
    bigger = estimate(larger, layout, optimizer_on_host=answer.optimizer_on_host)
    for fmt in SaveFormat:
        assert bigger.formats[fmt].saving.save >= answer.formats[fmt].saving.save


def test_the_named_example() -> None:
    answer = estimate(find_model("qwen3-30b-a3b"), Parallelism(8, ep=8))
    assert answer.formats[FR].saving.save / 1e9 == pytest.approx(1192, rel=0.002)
    assert answer.formats[LEAN].saving.save / 1e9 == pytest.approx(1062, rel=0.002)
    assert answer.formats[DPR].saving.save / 1e9 == pytest.approx(366, rel=0.002)
    assert not answer.formats[FR].fits_save(10**12)
    assert answer.formats[FR].fits_save(1929 * 10**9)
    assert usable_bytes(100) == 95


def test_lean_copies_share_the_first_host_of_a_stage() -> None:
    answer = estimate(find_model("llama-3-70b"), Parallelism(64, tp=8, pp=4))
    hosts = answer.formats[LEAN].hosts
    assert [host.host for host in hosts if host.retained] == [0, 2, 4, 6]
    assert answer.formats[LEAN].others is not None
    assert answer.formats[FR].others is None


def test_a_large_world_is_answered() -> None:
    answer = estimate(find_model("deepseek-v3"), Parallelism(16_384, tp=8, pp=16, ep=64, etp=1))
    assert len(answer.formats[FR].hosts) == 2048
    assert math.isfinite(answer.formats[FR].saving.save)
