"""Memory that saving and loading a Megatron-Core distributed-optimizer checkpoint needs: the formula.

Pure functions of sizes. "Bytes" are bytes; ``numel`` counts elements of one rank's buffers. The symbols in the
docstrings: ``U`` elements of all buckets without padding at their ends, ``P`` elements of the largest bucket with
padding, ``D`` ranks that share the buffer, ``S`` state tensors per parameter (Adam: main parameter, ``exp_avg``,
``exp_avg_sq``, so 3).

Sources are named as file and function of Megatron-Core; ``DO`` is ``megatron/core/optimizer/distrib_optimizer.py``.
Lines were read in 0.19.2; ``get_parameter_state_dp_zero`` is the same from 0.15.0 to 0.19.2 but for a renamed list of
keys. What was measured is in ``docs/explanation/measured.csv``; what follows from the code alone says "not measured".
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

FP32_BYTES = 4
"""Bytes of one gathered element: ``DO: get_parameter_state_dp_zero`` allocates fp32 whatever the state has."""


BF16_BYTES = 2
"""Bytes of one weight as the model computes with it."""


class SaveFormat(str, Enum):
    """The three ways in which the optimizer can be saved; the value is its name in :mod:`ckpt_defaults.formats`."""

    DP_RESHARDABLE = "dp-reshardable"
    FULLY_RESHARDABLE = "fully-reshardable"
    FULLY_RESHARDABLE_MEM_EFFICIENT = "fully-reshardable-mem-efficient"

    @property
    def gathers(self) -> bool:
        """Whether the whole state of a group is gathered at save."""
        return self is not SaveFormat.DP_RESHARDABLE

    @property
    def flags(self) -> tuple[bool, bool]:
        """verl's ``dist_ckpt_optim_fully_reshardable`` and ``distrib_optim_fully_reshardable_mem_efficient``."""
        return self.gathers, self is SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT

    @classmethod
    def of_flags(cls, fully_reshardable: bool, mem_efficient: bool) -> SaveFormat:
        """The format that verl's two flags choose; the second counts only with the first."""
        if not fully_reshardable:
            return cls.DP_RESHARDABLE
        return cls.FULLY_RESHARDABLE_MEM_EFFICIENT if mem_efficient else cls.FULLY_RESHARDABLE


@dataclass(frozen=True, slots=True)
class StateBytes:
    """Bytes per parameter of the optimizer's state as it is kept: main parameter and the moments.

    The precision-aware optimizer keeps moments in 2 or 1 bytes and may keep only the 2 bytes by which the main
    parameter differs from the bf16 one (Megatron-Core ``OptimizerConfig``: ``main_params_dtype``, ``exp_avg_dtype``,
    ``exp_avg_sq_dtype``).
    """

    main: int = 4
    moments: tuple[int, ...] = (4, 4)

    @property
    def tensors(self) -> int:
        """``S``: state tensors per parameter, the main parameter among them."""
        return 1 + len(self.moments)

    @property
    def kept(self) -> int:
        """Bytes per parameter in the optimizer itself."""
        return self.main + sum(self.moments)

    @property
    def staged(self) -> int:
        """Bytes per parameter that ``dp_reshardable`` writes.

        Moments of less than 4 bytes are unscaled to fp32 first (``DO: _get_main_param_and_optimizer_states``, which
        calls Transformer Engine's ``FusedAdam.get_unscaled_state``); the main parameter goes as it is. Not measured.
        """
        return self.main + FP32_BYTES * len(self.moments)

    @property
    def unscaled(self) -> int:
        """Bytes per parameter of those fp32 copies, made where the moments are. Not measured."""
        return FP32_BYTES * sum(1 for size in self.moments if size < FP32_BYTES)


ADAM = StateBytes()


def padded_numel(numel: int, group: int, *, high_bandwidth: bool = False) -> int:
    """``numel`` with the padding at a bucket's end: a multiple of lcm(D, 128), or of lcm(D, 128, 65536).

    Source: ``distributed/param_and_grad_buffer.py: _ParamAndGradBuffer`` (``_pad_end_of_bucket_if_needed``), 0.16.1
    and 0.19.2; the second with ``pad_buckets_for_high_nccl_busbw``.
    """
    unit = math.lcm(group, 128, 2**16) if high_bandwidth else math.lcm(group, 128)
    return -(-numel // unit) * unit


class Bucket(NamedTuple):
    """A gradient bucket: ``padded`` elements; ``opens`` is ``U`` of its buffer where it is the first of it, else 0."""

    padded: int
    opens: int


@dataclass(frozen=True, slots=True)
class Buffers:
    """What one rank holds for one of its two optimizers (dense or expert parameters).

    ``numel`` is ``U``, ``largest_bucket`` is ``P``, ``group`` is ``D``; ``largest_tensor`` is the numel of the
    largest single parameter (0: not known, its term is left out). ``buckets`` are all buckets in the order in which
    they are gathered, where they are known; else there is one, or, where ``P`` is less than ``U``, the formula bounds
    what any order of buckets needs. ``replicated`` are elements that another pipeline stage has as well and writes: the
    last stage's copy of a tied embedding.
    """

    numel: int
    largest_bucket: int
    group: int
    largest_tensor: int = 0
    buckets: tuple[Bucket, ...] = ()
    replicated: int = 0

    @property
    def gathered(self) -> tuple[Bucket, ...]:
        """The buckets as they are gathered: those that are known, one, or two of the largest size after another."""
        if self.buckets:
            return self.buckets
        one = Bucket(self.largest_bucket, self.numel)
        return (one,) if self.largest_bucket >= self.numel else (one, Bucket(self.largest_bucket, 0))

    @property
    def share_numel(self) -> int:
        """Elements of ``U`` whose optimizer state is this rank's, rounded up."""
        return -(-self.numel // self.group)

    @property
    def bucket_share_numel(self) -> int:
        """Elements of the largest bucket whose state is this rank's."""
        return -(-self.largest_bucket // self.group)


@dataclass(frozen=True, slots=True)
class RankShare:
    """What one rank holds: dense parameters, and expert parameters where its stage has experts."""

    dense: Buffers
    expert: Buffers | None = None

    @property
    def optimizers(self) -> tuple[Buffers, ...]:
        """The distributed optimizers of the rank in the order in which they are saved.

        Source: ``optimizer/optimizer.py: ChainedOptimizer.sharded_state_dict``; ``optimizer/__init__.py:
        get_megatron_optimizer`` puts the dense one first.
        """
        return (self.dense,) if self.expert is None else (self.dense, self.expert)

    @property
    def numel(self) -> int:
        """Parameters on this rank."""
        return sum(buffers.numel for buffers in self.optimizers)


# -- terms, save -----------------------------------------------------------------------------------------------------


def world_tensor_bytes(buffers: Buffers, states: StateBytes = ADAM) -> int:
    """Host, retained: ``4*S*U``. One fp32 tensor per state over all buckets; the state dict consists of views of them.

    Source: ``DO: get_parameter_state_dp_zero`` (``world_tensors``). Freed when the caller drops the state dict: after
    the files are written, in verl when ``save_checkpoint`` returns.
    """
    return FP32_BYTES * states.tensors * buffers.numel


def local_shard_bytes(bucket_numel: int, group: int, states: StateBytes = ADAM) -> int:
    """Host, transient, every rank: ``4*S*P/D``. The rank's own part of the bucket at hand.

    Source: ``DO: get_parameter_state_dp_zero`` (``local_shards``).
    """
    return FP32_BYTES * states.tensors * -(-bucket_numel // group)


def gathered_copy_bytes(bucket_numel: int) -> int:
    """Host, transient, receiving ranks: ``12*P``. Three fp32 copies of the bucket live at once.

    What was received (NCCL: its copy on the host), the concatenation, and the concatenation of the state before.
    Source: ``DO: get_parameter_state_dp_zero`` (``recv_tensors``, ``torch.cat``).
    """
    return 3 * FP32_BYTES * bucket_numel


def last_copy_bytes(bucket_numel: int) -> int:
    """Host, receiving ranks: ``8*P``. What is left of a bucket when the next one begins.

    Its last state as received and as concatenated: the names still hold them. Source: as before.
    """
    return 2 * FP32_BYTES * bucket_numel


def shard_copy_bytes(buffers: Buffers, *, on_host: bool) -> int:
    """Host, transient, ranks that only send: one parameter's shard on its way into the local shards, or nothing.

    At most ``4*min(largest tensor, P/D)``. Source: ``DO: get_parameter_state_dp_zero`` (``.detach().cpu()``). A
    receiving rank has it too, but before its peak.
    """
    return 0 if on_host else FP32_BYTES * min(buffers.largest_tensor, buffers.bucket_share_numel)


def clone_bytes(buffers: Buffers, fmt: SaveFormat, receives: bool, states: StateBytes = ADAM) -> int:
    """Host, transient, while writing: clones of the views that this rank was told to write.

    Over NCCL every rank has all and the writing is spread over ``D`` (greedily by size: give or take a tensor);
    memory-efficient, rank 0 writes all. A replica is written where it is the first. Source:
    ``dist_checkpointing/strategies/filesystem_async.py: FileSystemWriterAsync.prepare_write_data``;
    ``strategies/fully_parallel.py: FullyParallelSaveStrategyWrapper``.
    """
    written = buffers.numel - buffers.replicated
    if fmt is SaveFormat.FULLY_RESHARDABLE:
        written = -(-written // buffers.group)
    return FP32_BYTES * states.tensors * written if receives else 0


def staged_bytes(buffers: Buffers, states: StateBytes = ADAM, *, on_host: bool) -> int:
    """Host, until the write is done, ``dp_reshardable``: the rank's own state copied off the device, or nothing.

    All of it is copied before the first byte is written. Source: ``strategies/filesystem_async.py:
    FileSystemWriterAsync.preload_tensors``. State that lies on the host already is written from where it lies.
    """
    return 0 if on_host else states.staged * buffers.share_numel


def device_gather_bytes(buffers: Buffers, *, flat_copy: bool = True) -> int:
    """Device, transient, over NCCL: ``4*P`` received, ``4*P/D`` sent, and ``4*P`` of the collective itself.

    Source: ``DO: get_parameter_state_dp_zero`` (``recv_tensors``, ``send_tensor``); ``flat_copy`` is torch's
    ``ProcessGroupNCCL::allgather`` for a list of outputs (not measured: there was no GPU).
    """
    return FP32_BYTES * (buffers.largest_bucket * (2 if flat_copy else 1) + buffers.bucket_share_numel)


# -- terms, load -----------------------------------------------------------------------------------------------------


def load_peak_bytes(buffers: Buffers, fmt: SaveFormat, states: StateBytes = ADAM) -> int:
    """Host, peak while loading, every rank: an upper bound.

    Gathered formats allocate ``4*S*U`` on every rank, whatever the flags (``DO: sharded_param_state_fully_reshardable``
    with ``is_loading``), and the fully-parallel loader makes a second set of what it exchanges while the first is
    referenced (``dist_checkpointing/exchange_utils.py``): twice that, and one tensor. A buffer that nobody shares
    (``D`` = 1) is not exchanged; only the gate and up halves of its MLPs are joined into new tensors
    (``transformer/mlp.py: apply_swiglu_sharded_factory``), two thirds at most. ``dp_reshardable`` loads in place, at
    most two pieces at a time.
    """
    piece = FP32_BYTES * min(buffers.largest_tensor, buffers.numel)
    if not fmt.gathers:
        return 2 * min(piece, FP32_BYTES * buffers.share_numel)
    built = world_tensor_bytes(buffers, states)
    return 2 * built + piece if buffers.group > 1 else built + -(-2 * built // 3)


# -- a rank ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RankMemory:
    """Bytes that one process needs on top of what it has in training.

    ``gather``: host peak while the state dict is built. ``write``: host peak while files are written. ``retained``:
    host, held from the gather until the caller drops the state dict. ``device``: device peak while building.
    ``load_built`` and ``load``: host, allocated before reading, and the peak. ``held``: host, not on top but there
    all the time, because parameters or optimizer state are offloaded.
    """

    gather: int
    write: int
    retained: int
    device: int
    load_built: int
    load: int
    held: int = 0

    @property
    def save(self) -> int:
        """Host peak of the save as a whole, on top of training."""
        return max(self.gather, self.write)


def bucket_peak_bytes(buffers: Buffers, receives: bool, states: StateBytes = ADAM, *, on_host: bool = False) -> int:
    """Host peak while one optimizer gathers its buckets one after the other.

    A bucket has its own peak; and while it begins, the local part and the last copies of the bucket before are still
    there. Source: ``DO: get_parameter_state_dp_zero``.
    """
    kept = peak = before = 0
    for bucket in buffers.gathered:
        kept += FP32_BYTES * states.tensors * bucket.opens if receives else 0
        local = local_shard_bytes(bucket.padded, buffers.group, states)
        begin = local + local_shard_bytes(before, buffers.group, states)
        if receives:
            begin += last_copy_bytes(before)
            gather = local + gathered_copy_bytes(bucket.padded)
        else:
            gather = local + shard_copy_bytes(buffers, on_host=on_host)
        peak = max(peak, kept + begin, kept + gather)
        before = bucket.padded
    return peak


def gather_peak_bytes(
    share: RankShare, receives: tuple[bool, ...], states: StateBytes = ADAM, *, on_host: bool = False
) -> int:
    """Host peak while the gathered state dict is built, the optimizers one after the other.

    ``receives`` says for each of ``share.optimizers`` whether this rank gets the gathered state. What the first
    optimizer gathered stays while the second gathers. Source: ``ChainedOptimizer.sharded_state_dict``.
    """
    kept = peak = 0
    for buffers, receiving in zip(share.optimizers, receives, strict=True):
        peak = max(peak, kept + bucket_peak_bytes(buffers, receiving, states, on_host=on_host))
        kept += world_tensor_bytes(buffers, states) if receiving else 0
    return peak


def rank_memory(
    share: RankShare,
    fmt: SaveFormat,
    *,
    dense_rank_0: bool = True,
    expert_rank_0: bool = True,
    states: StateBytes = ADAM,
    optimizer_on_host: bool = False,
    parameters_on_host: bool = False,
) -> RankMemory:
    """What one rank needs to save and to load in ``fmt``.

    ``dense_rank_0`` and ``expert_rank_0``: whether the rank is rank 0 of the data-parallel group of its dense and of
    its expert parameters. ``optimizer_on_host``: the optimizer's state is offloaded (verl's ``optimizer_offload``).
    ``parameters_on_host``: the bf16 weights have a copy on the host (verl's ``param_offload``).
    """
    optimizers = share.optimizers
    rank_0 = (dense_rank_0, expert_rank_0)[: len(optimizers)]
    held = sum(
        (states.kept * buffers.share_numel if optimizer_on_host else 0)
        + (BF16_BYTES * buffers.numel if parameters_on_host else 0)
        for buffers in optimizers
    )
    load = sum(load_peak_bytes(buffers, fmt, states) for buffers in optimizers)
    if not fmt.gathers:
        copies = sum(states.unscaled * buffers.share_numel for buffers in optimizers)
        staged = sum(staged_bytes(buffers, states, on_host=optimizer_on_host) for buffers in optimizers)
        unscaled = copies if optimizer_on_host else 0
        device = 0 if optimizer_on_host else copies
        return RankMemory(unscaled, staged + unscaled, unscaled, device, 0, load, held)
    receives = rank_0 if fmt is SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT else (True,) * len(optimizers)
    built = [world_tensor_bytes(buffers, states) for buffers in optimizers]
    retained = sum(size for size, receiving in zip(built, receives, strict=True) if receiving)
    clones = sum(clone_bytes(b, fmt, receiving, states) for b, receiving in zip(optimizers, receives, strict=True))
    device = 0
    if fmt is SaveFormat.FULLY_RESHARDABLE:
        device = max(device_gather_bytes(buffers) for buffers in optimizers)
    return RankMemory(
        gather=gather_peak_bytes(share, receives, states, on_host=optimizer_on_host),
        write=retained + clones,
        retained=retained,
        device=device,
        load_built=sum(built),
        load=load,
        held=held,
    )
