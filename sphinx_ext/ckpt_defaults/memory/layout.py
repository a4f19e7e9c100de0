"""Which parameters a rank holds: a model's shape spread over tensor, pipeline, expert and data parallelism.

Ranks are ordered as Megatron-Core orders them by default, ``tp-cp-ep-dp-pp`` from the innermost to the outermost
(``parallel_state.py: initialize_model_parallel``, ``order``; 0.16.1 and 0.19.2).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

from .formula import Bucket, Buffers, RankShare, padded_numel
from .models import EstimateError, ModelShape, check_count

MAX_WORLD = 65_536
"""Largest number of GPUs for which hosts are added up."""


@dataclass(frozen=True, slots=True)
class Parallelism:
    """How many ranks there are and how they share the work. All sizes are numbers of ranks.

    ``etp`` (expert tensor parallelism) is ``tp`` where it is ``None``, as in Megatron-Core (``parallel_state.py:
    initialize_model_parallel``). ``vpp`` is the number of model chunks of a stage (1: no interleaving). ``dp`` may be
    given to have it checked; it follows from the others. ``first_stage_layers`` and ``last_stage_layers`` are
    Megatron-Core's ``num_layers_in_first_pipeline_stage`` and ``num_layers_in_last_pipeline_stage``.
    """

    world: int = 8
    tp: int = 1
    pp: int = 1
    cp: int = 1
    ep: int = 1
    etp: int | None = None
    vpp: int = 1
    dp: int | None = None
    ranks_per_host: int = 8
    first_stage_layers: int | None = None
    last_stage_layers: int | None = None

    def __post_init__(self) -> None:
        """Refuse sizes that do not multiply up to the world. Raises :class:`EstimateError`."""
        check_count(self.world, "the number of GPUs", maximum=MAX_WORLD)
        check_count(self.ranks_per_host, "the number of GPUs per host", maximum=MAX_WORLD)
        for name, value in (("TP", self.tp), ("PP", self.pp), ("CP", self.cp), ("EP", self.ep), ("VPP", self.vpp)):
            check_count(value, name, maximum=MAX_WORLD)
        for name, optional in (("ETP", self.etp), ("DP", self.dp)):
            if optional is not None:
                check_count(optional, name, maximum=MAX_WORLD)
        for name, optional in (
            ("the number of layers in the first stage", self.first_stage_layers),
            ("the number of layers in the last stage", self.last_stage_layers),
        ):
            if optional is not None:
                check_count(optional, name, minimum=0)
        model = self.tp * self.pp * self.cp
        if self.world % model:
            raise EstimateError(
                f"{self.world} GPUs are no multiple of TP x PP x CP = {self.tp} x {self.pp} x {self.cp} = {model}; "
                "world = TP x PP x CP x DP must hold"
            )
        if self.dp is not None and self.dp != self.world // model:
            raise EstimateError(
                f"{self.world} GPUs with TP x PP x CP = {model} give DP {self.world // model}, not {self.dp}; "
                "world = TP x PP x CP x DP must hold"
            )

    @property
    def stage_size(self) -> int:
        """How many ranks a pipeline stage has."""
        return self.world // self.pp

    @property
    def expert_tensor(self) -> int:
        """Expert tensor parallelism, ``tp`` unless given."""
        return self.tp if self.etp is None else self.etp

    @property
    def dense_group(self) -> int:
        """Ranks that share one dense parameter: DP x CP, the group of the dense optimizer."""
        return self.stage_size // self.tp

    @property
    def expert_group(self) -> int:
        """Ranks that share one expert parameter: world / (PP x EP x ETP). Only after :func:`check_layout`."""
        return self.stage_size // (self.ep * self.expert_tensor)

    @property
    def hosts(self) -> int:
        """How many hosts the ranks fill."""
        return -(-self.world // self.ranks_per_host)

    def place(self, rank: int) -> tuple[int, bool, bool]:
        """The pipeline stage of a rank, and whether it is rank 0 of its dense and of its expert DP group.

        Within a stage the dense groups count TP first and the expert groups ETP x EP first (Megatron-Core
        ``parallel_state.py: RankGenerator``; 0.16.1 and 0.19.2), so the first of each are the rank 0s.
        """
        stage, inner = divmod(rank, self.stage_size)
        return stage, inner < self.tp, inner < self.ep * self.expert_tensor


def check_layout(shape: ModelShape, layout: Parallelism) -> None:
    """Refuse a layout that the model does not divide over. Raises :class:`EstimateError` with one line."""
    if shape.experts:
        group = layout.ep * layout.expert_tensor
        if layout.stage_size % group:
            default = " (ETP is TP unless you set it)" if layout.etp is None and layout.tp > 1 else ""
            raise EstimateError(
                f"EP x ETP = {layout.ep} x {layout.expert_tensor}{default} does not divide the "
                f"{layout.stage_size} GPUs of a pipeline stage; choose an EP or ETP that does"
            )
        _divides(shape.experts, layout.ep, "experts", "EP")
        _divides(shape.expert_ffn, layout.expert_tensor, "expert MLP columns", "ETP")
    elif layout.ep > 1:
        raise EstimateError(f"{shape.name} has no experts, so EP {layout.ep} divides nothing; leave EP at 1")
    _divides(shape.heads, layout.tp, "attention heads", "TP")
    _divides(shape.ffn, layout.tp, "MLP columns", "TP")
    _divides(shape.shared_ffn, layout.tp, "shared-expert columns", "TP")
    if not shape.latent and shape.kv_groups % layout.tp and layout.tp % shape.kv_groups:
        raise EstimateError(f"{shape.kv_groups} KV groups are no multiple and no divisor of TP {layout.tp}")
    if layout.pp > shape.layers:
        raise EstimateError(f"{shape.layers} layers do not fill PP {layout.pp} stages; choose a smaller PP")
    stage_layers(shape, layout)


def _divides(whole: int, parts: int, what: str, name: str) -> None:
    if whole % parts:
        raise EstimateError(f"{whole} {what} do not divide by {name} {parts}; choose a {name} that divides them")


def stage_layers(shape: ModelShape, layout: Parallelism) -> tuple[int, ...]:
    """How many layers each pipeline stage has, as Megatron-Core splits them.

    (``transformer/transformer_block.py: get_num_layers_to_build``, 0.16.1.) Where the layers do not divide and
    neither end is given, the ends are set as Megatron-Core would want them given: all inner stages alike, the two
    ends as even as they can be. Raises :class:`EstimateError` for ends that leave a rest.
    """
    layers, stages = shape.layers, layout.pp
    first, last = layout.first_stage_layers, layout.last_stage_layers
    if stages == 1:
        return (layers,)
    if first is None and last is None:
        if layers % stages == 0:
            return (layers // stages,) * stages
        if stages == 2:
            return (-(-layers // 2), layers // 2)
        inner = -(-layers // stages)
        while inner > 1 and layers - inner * (stages - 2) < 2:
            inner -= 1
        rest = layers - inner * (stages - 2)
        return (-(-rest // 2), *((inner,) * (stages - 2)), rest // 2)
    middle = stages - (first is not None) - (last is not None)
    rest = layers - (first or 0) - (last or 0)
    if rest < 0 or (rest and not middle) or (middle and rest % middle):
        raise EstimateError(
            f"{layers} layers with {'the even share' if first is None else first} in the first and "
            f"{'the even share' if last is None else last} in the last stage leave {rest} for {middle} stages; "
            "the rest must divide evenly"
        )
    inner = rest // middle if middle else 0
    ends_first = inner if first is None else first
    ends_last = inner if last is None else last
    return (ends_first, *((inner,) * (stages - 2)), ends_last)


@dataclass(frozen=True, slots=True)
class _Count:
    """Elements that one rank holds of a layer, and the largest single tensor among them."""

    dense: int
    expert: int
    largest: int
    largest_expert: int


@functools.lru_cache(maxsize=4096)
def _layer(shape: ModelShape, experts: bool, tp: int, ep: int, etp: int) -> _Count:
    """One layer on one rank. Norms, the router and MLA's down-projections are replicated over TP, the rest is split.

    Sources (Megatron-Core 0.16.1): ``transformer/attention.py: SelfAttention`` (QKV column-parallel, output
    row-parallel), ``transformer/multi_latent_attention.py: MLASelfAttention`` (down-projections ``duplicated`` with
    Transformer Engine), ``transformer/mlp.py: MLP``, ``transformer/moe/router.py``, ``transformer/moe/experts.py``.
    """
    hidden = shape.hidden
    tensors: list[int] = []
    if shape.latent is not None:
        mla = shape.latent
        query, value = mla.nope_dim + mla.rope_dim, mla.value_dim
        replicated = hidden * (mla.kv_rank + mla.rope_dim) + mla.kv_rank
        tensors += [mla.kv_rank * shape.heads * (mla.nope_dim + value) // tp, shape.heads * value * hidden // tp]
        if mla.query_rank is None:
            tensors.append(hidden * shape.heads * query // tp)
        else:
            replicated += hidden * mla.query_rank + mla.query_rank
            tensors.append(mla.query_rank * shape.heads * query // tp)
    else:
        qkv_width = (shape.heads + 2 * shape.kv_groups) * shape.head_dim
        tensors += [hidden * qkv_width // tp, shape.heads * shape.head_dim * hidden // tp]
        tensors += [qkv_width // tp] if shape.qkv_bias else []
        replicated = 2 * shape.head_dim if shape.qk_norm else 0
        replicated += hidden if shape.output_bias else 0
    replicated += 2 * hidden
    expert = largest_expert = 0
    if experts:
        replicated += shape.experts * hidden + (hidden if shape.shared_gate else 0)
        tensors += [2 * hidden * shape.shared_ffn // tp, hidden * shape.shared_ffn // tp]
        expert = shape.experts // ep * 3 * hidden * shape.expert_ffn // etp
        largest_expert = 2 * hidden * shape.expert_ffn // etp
    else:
        tensors += [2 * hidden * shape.ffn // tp, hidden * shape.ffn // tp]
    return _Count(sum(tensors) + replicated, expert, max(tensors), largest_expert)


def parameter_count(shape: ModelShape) -> int:
    """How many parameters the model has, tied embeddings once; multi-token-prediction layers are not counted."""
    embeddings = shape.vocabulary * shape.hidden * (1 if shape.tied_embeddings else 2)
    total = embeddings + shape.hidden
    for index in range(shape.layers):
        count = _layer(shape, shape.has_experts(index), 1, 1, 1)
        total += count.dense + count.expert
    return total


def embedding_count(shape: ModelShape) -> int:
    """How many of the parameters are input embedding and output layer."""
    return shape.vocabulary * shape.hidden * (1 if shape.tied_embeddings else 2)


@dataclass(frozen=True, slots=True)
class Bucketing:
    """How Megatron-Core cuts the gradient buffers (``distributed/param_and_grad_buffer.py``, 0.16.1).

    ``bucket_numel`` is the size from which a bucket is closed, ``None`` one bucket a buffer (no overlap of the
    gradient reduction, verl's default). ``high_bandwidth`` is ``pad_buckets_for_high_nccl_busbw``.
    ``vocabulary_divisor`` is what a rank's share of the vocabulary is padded to a multiple of.
    """

    bucket_numel: int | None = None
    high_bandwidth: bool = False
    vocabulary_divisor: int = 1


ONE_BUCKET = Bucketing()


def stage_shares(shape: ModelShape, layout: Parallelism, bucketing: Bucketing = ONE_BUCKET) -> tuple[RankShare, ...]:
    """What a rank of each pipeline stage holds, first stage first. Raises :class:`EstimateError`.

    Every model chunk has its own buffers (``distributed/distributed_data_parallel.py``), an embedding shared
    between the first and the last stage its own bucket (``models/common/language_module/language_module.py:
    setup_embeddings_and_output_layer``; ``param_and_grad_buffer.py``). All Megatron-Core 0.16.1.
    """
    check_layout(shape, layout)
    per_stage = stage_layers(shape, layout)
    for count in per_stage:
        if count % layout.vpp:
            raise EstimateError(
                f"{count} layers of a stage do not divide by VPP {layout.vpp}; choose a VPP that divides them"
            )
    shares = []
    for stage in range(layout.pp):
        dense: list[list[_Piece]] = []
        expert: list[list[_Piece]] = []
        for chunk in range(layout.vpp):
            counts = [
                _layer(shape, shape.has_experts(index), layout.tp, layout.ep, layout.expert_tensor)
                for index in _chunk_layers(per_stage, layout.vpp, stage, chunk)
            ]
            dense.append(_buckets(shape, layout, bucketing, counts, stage, chunk))
            if any(count.expert for count in counts):
                expert.append([_joined([_Piece(count.expert, count.largest_expert) for count in counts])])
        copied = shape.tied_embeddings and layout.pp > 1 and stage == layout.pp - 1
        replicated = _embedding(shape, layout, bucketing) if copied else 0
        shares.append(
            RankShare(
                replace(_buffers(dense, layout.dense_group, bucketing), replicated=replicated),
                _buffers(expert, layout.expert_group, bucketing) if expert else None,
            )
        )
    return tuple(shares)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Elements that share a buffer, and the largest single tensor among them."""

    numel: int
    largest: int


def _joined(pieces: list[_Piece]) -> _Piece:
    return _Piece(sum(piece.numel for piece in pieces), max(piece.largest for piece in pieces))


def _chunk_layers(per_stage: tuple[int, ...], chunks: int, stage: int, chunk: int) -> range:
    """The indices of the layers of one model chunk: chunk 0 of every stage, then chunk 1 of every stage, and so on.

    Source: ``transformer/transformer_layer.py: get_transformer_layer_offset``, 0.16.1.
    """
    sizes = [count // chunks for count in per_stage]
    start = chunk * sum(sizes) + sum(sizes[:stage])
    return range(start, start + sizes[stage])


def _ends(shape: ModelShape, layout: Parallelism, bucketing: Bucketing, stage: int, chunk: int) -> list[_Piece]:
    """Embedding, output layer and final norm on this rank. The last stage has its own copy of a tied embedding."""
    embedding = _embedding(shape, layout, bucketing)
    first = stage == 0 and chunk == 0
    last = stage == layout.pp - 1 and chunk == layout.vpp - 1
    pieces = []
    if first:
        pieces.append(_Piece(embedding, embedding))
    if last:
        if not (shape.tied_embeddings and first):
            pieces.append(_Piece(embedding, embedding))
        pieces.append(_Piece(shape.hidden, shape.hidden))
    return pieces


def _embedding(shape: ModelShape, layout: Parallelism, bucketing: Bucketing) -> int:
    """Elements of a rank's part of the embedding, the vocabulary padded to divide over TP."""
    unit = check_count(bucketing.vocabulary_divisor, "the vocabulary divisor") * layout.tp
    return -(-shape.vocabulary // unit) * unit // layout.tp * shape.hidden


def _buckets(
    shape: ModelShape, layout: Parallelism, bucketing: Bucketing, counts: list[_Count], stage: int, chunk: int
) -> list[_Piece]:
    """The buckets of a chunk's dense buffer. Parameters lie in it from the last to the first."""
    body = [_Piece(count.dense, count.largest) for count in counts]
    ends = _ends(shape, layout, bucketing, stage, chunk)
    if not shape.tied_embeddings or layout.pp == 1:
        return [_joined(body + ends)] if body or ends else []
    embedding = [piece for piece in ends if piece.numel > shape.hidden]
    rest = [_joined(body + ends[len(embedding) :])] if body or len(ends) > len(embedding) else []
    return rest + embedding if stage == 0 else embedding + rest


def _buffers(chunks: list[list[_Piece]], group: int, bucketing: Bucketing) -> Buffers:
    """The buffers of one optimizer, one a chunk, each a list of its buckets.

    With ``bucket_numel`` the buckets are not known, but a bound for the largest is: whole tensors close it.
    """
    pieces = [piece for chunk in chunks for piece in chunk]
    numel = sum(piece.numel for piece in pieces)
    largest = max((piece.largest for piece in pieces), default=0)
    if bucketing.bucket_numel is not None:
        size = check_count(bucketing.bucket_numel, "the bucket size", maximum=10**12)
        bound = max((min(piece.numel, size + piece.largest) for piece in pieces), default=0)
        return Buffers(numel, _padded(bound, group, bucketing), group, largest)
    buckets = tuple(
        Bucket(_padded(piece.numel, group, bucketing), sum(each.numel for each in chunk) if index == 0 else 0)
        for chunk in chunks
        for index, piece in enumerate(chunk)
    )
    return Buffers(numel, max((bucket.padded for bucket in buckets), default=0), group, largest, buckets)


def _padded(numel: int, group: int, bucketing: Bucketing) -> int:
    return padded_numel(numel, group, high_bandwidth=bucketing.high_bandwidth)
