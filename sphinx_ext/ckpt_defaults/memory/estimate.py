"""The estimate for a model in a layout: every rank's memory, added up over the ranks of each host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .formula import ADAM, RankMemory, RankShare, SaveFormat, StateBytes, rank_memory
from .layout import ONE_BUCKET, Bucketing, Parallelism, parameter_count, stage_shares
from .models import ModelShape

USABLE_SHARE = 0.95
"""Part of a host's memory that a process may fill before Ray ends it (``RAY_memory_usage_threshold``, default 0.95)."""


@dataclass(frozen=True, slots=True)
class HostMemory:
    """Bytes on one host: the sums over its ranks. ``host`` counts from 0; ``ranks`` is how many ranks it has.

    ``save`` and ``load`` take every rank at its peak at once: the collectives run in lock-step, so this is what
    happens, or an upper bound where ranks of two pipeline stages share a host.
    """

    host: int
    ranks: int
    save: int
    load: int
    retained: int
    held: int

    @property
    def worst(self) -> int:
        """What has to be free for save and load, together with what offloading holds all the time."""
        return max(self.save, self.load) + self.held


@dataclass(frozen=True, slots=True)
class FormatEstimate:
    """One format: the ranks that receive a gathered copy (or all), the others if there are any, and the hosts.

    ``rank_0`` is the rank that needs most at save, ``others`` the one that needs most among those that are rank 0 of
    no data-parallel group (``None`` where there is no such rank, or where all ranks of the format are alike).
    """

    fmt: SaveFormat
    rank_0: RankMemory
    others: RankMemory | None
    hosts: tuple[HostMemory, ...]

    @property
    def saving(self) -> HostMemory:
        """The host that needs most while saving."""
        return max(self.hosts, key=lambda host: (host.save + host.held, -host.host))

    @property
    def loading(self) -> HostMemory:
        """The host that needs most while loading."""
        return max(self.hosts, key=lambda host: (host.load + host.held, -host.host))

    def fits_save(self, host_bytes: int) -> bool:
        """Whether the save fits into :data:`USABLE_SHARE` of ``host_bytes`` on every host."""
        return self.saving.save + self.saving.held <= usable_bytes(host_bytes)

    def fits_load(self, host_bytes: int) -> bool:
        """Whether loading fits, likewise."""
        return self.loading.load + self.loading.held <= usable_bytes(host_bytes)


def _key(fmt: SaveFormat, place: tuple[int, bool, bool]) -> tuple[SaveFormat, int, bool, bool]:
    return (fmt, place[0], place[1], place[2])


def usable_bytes(host_bytes: int) -> int:
    """:data:`USABLE_SHARE` of a host's memory, in bytes."""
    return host_bytes * 95 // 100


@dataclass(frozen=True)
class Estimate:
    """The estimate for ``shape`` in ``layout``. ``stages`` is what a rank of each pipeline stage holds."""

    shape: ModelShape
    layout: Parallelism
    parameters: int
    stages: tuple[RankShare, ...]
    formats: Mapping[SaveFormat, FormatEstimate]
    states: StateBytes
    optimizer_on_host: bool
    parameters_on_host: bool
    _ranks: Mapping[tuple[SaveFormat, int, bool, bool], RankMemory] = field(repr=False)

    def rank(self, fmt: SaveFormat, rank: int) -> RankMemory:
        """The memory of one rank, counted from 0, in ``fmt``."""
        return self._ranks[_key(fmt, self.layout.place(rank))]

    @property
    def fullest(self) -> RankShare:
        """What a rank of the pipeline stage with the most parameters per rank holds."""
        return max(self.stages, key=lambda share: share.numel)


def estimate(
    shape: ModelShape,
    layout: Parallelism,
    *,
    states: StateBytes = ADAM,
    bucketing: Bucketing = ONE_BUCKET,
    optimizer_on_host: bool = False,
    parameters_on_host: bool = False,
) -> Estimate:
    """Estimate every format for ``shape`` in ``layout``.

    Raises :class:`ckpt_defaults.models.EstimateError` for a layout that the model does not divide over.
    """
    stages = stage_shares(shape, layout, bucketing)
    known: dict[tuple[SaveFormat, int, bool, bool], RankMemory] = {}
    places = [layout.place(rank) for rank in range(layout.world)]
    for stage, dense_rank_0, expert_rank_0 in dict.fromkeys(places):
        for fmt in SaveFormat:
            known[(fmt, stage, dense_rank_0, expert_rank_0)] = rank_memory(
                stages[stage],
                fmt,
                dense_rank_0=dense_rank_0,
                expert_rank_0=expert_rank_0,
                states=states,
                optimizer_on_host=optimizer_on_host,
                parameters_on_host=parameters_on_host,
            )
    formats = {fmt: _format(fmt, known, places, layout, stages) for fmt in SaveFormat}
    return Estimate(
        shape,
        layout,
        parameter_count(shape),
        stages,
        formats,
        states,
        optimizer_on_host,
        parameters_on_host,
        known,
    )


def _format(
    fmt: SaveFormat,
    known: Mapping[tuple[SaveFormat, int, bool, bool], RankMemory],
    places: list[tuple[int, bool, bool]],
    layout: Parallelism,
    stages: tuple[RankShare, ...],
) -> FormatEstimate:
    hosts = []
    for host in range(layout.hosts):
        ranks = [
            known[_key(fmt, place)]
            for place in places[host * layout.ranks_per_host : (host + 1) * layout.ranks_per_host]
        ]
        hosts.append(
            HostMemory(
                host,
                len(ranks),
                save=sum(rank.save for rank in ranks),
                load=sum(rank.load for rank in ranks),
                retained=sum(rank.retained for rank in ranks),
                held=sum(rank.held for rank in ranks),
            )
        )
    first: list[RankMemory] = []
    rest: list[RankMemory] = []
    for (other, stage, dense_rank_0, expert_rank_0), memory in known.items():
        if other is not fmt:
            continue
        holds = dense_rank_0 or (expert_rank_0 and stages[stage].expert is not None)
        (first if holds else rest).append(memory)
    others = max(rest, key=lambda memory: memory.save) if rest else None
    if fmt is not SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT:
        others = None
    return FormatEstimate(fmt, max(first, key=lambda memory: memory.save), others, tuple(hosts))
