"""What was measured beside what the formula says, as rows of a table, and whether it is near enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cases import GATHERED, Case
from ckpt_defaults.memory.formula import Bucket, Buffers, RankShare, SaveFormat, device_gather_bytes, rank_memory
from ckpt_defaults.memory.layout import Bucketing, Parallelism, stage_shares
from ckpt_defaults.memory.models import ModelShape

MB = 1e6
COLUMNS = (
    "Megatron-Core",
    "model",
    "processes",
    "format",
    "ranks",
    "million parameters",
    "gather",
    "gather predicted",
    "retained",
    "retained predicted",
    "write",
    "write predicted",
    "device",
    "device predicted",
    "load",
    "load bound",
    "elements",
    "wrong",
)
SIZES_MB = (50, 250)
SUMMARY_COLUMNS = (
    "Megatron-Core",
    "quantity",
    "ranks",
    "furthest off, MB",
    *(f"furthest off, of {size} MB and more" for size in SIZES_MB),
)
QUANTITIES = ("gather", "retained", "write", "device")
"""What is predicted, not only bounded."""

# Part of the prediction that a measurement may be off, and MB below which that counts as noise: the allocator, the
# objects that describe many small tensors (experts: some 3 MB), the queue of the writer, and, in the write, the tensor
# that the spreading of the work may give to one rank or another.
ALLOWED = {"gather": (0.01, 4.0), "retained": (0.01, 4.0), "write": (0.02, 8.0), "device": (0.01, 0.1)}


def off(name: str, measured: float, predicted: float, retained: float) -> float:
    """Measured minus predicted, MB.

    Where a rank only sends (``retained``, as predicted, is 0) the gather is a bound: which tensors lie in its part
    decides how large the one is that it copies at a time. Below the bound counts as on it.
    """
    if name == "gather" and not retained:
        return max(measured - predicted, 0.0)
    return measured - predicted


def save_format(case: Case) -> SaveFormat:
    """The format of a case."""
    return SaveFormat.of_flags(case.sharding == GATHERED, case.lean)


def shape_of(case: Case) -> ModelShape:
    """The shape of a case's model."""
    return ModelShape(
        case.name,
        case.layers,
        case.hidden,
        case.heads,
        case.kv_groups,
        case.hidden // case.heads,
        case.ffn,
        case.vocabulary,
        tied_embeddings=case.tied,
        experts=case.experts,
        expert_ffn=case.expert_ffn if case.experts else 0,
        shared_ffn=case.shared_ffn,
    )


def layout_of(case: Case) -> Parallelism:
    """The layout of a case."""
    return Parallelism(case.world, case.tp, case.pp, case.cp, case.ep, etp=1, vpp=case.vpp)


def shares_of(case: Case) -> tuple[RankShare, ...]:
    """What a rank of each stage holds, by the shape of the model."""
    return stage_shares(shape_of(case), layout_of(case), Bucketing(case.bucket or None, case.high_bandwidth))


def alike(case: Case, place: tuple[int, bool, bool]) -> tuple[int, bool, bool]:
    """What ranks have in common that need the same: only the mem-efficient format tells rank 0 apart."""
    return place if case.lean else (place[0], True, True)


def prediction(case: Case, share: RankShare, place: tuple[int, bool, bool]) -> dict[str, float]:
    """MB of each quantity for a rank at ``place``: its stage, and whether it is rank 0 of its two groups."""
    fmt = save_format(case)
    _stage, dense_rank_0, expert_rank_0 = place
    memory = rank_memory(
        share,
        fmt,
        dense_rank_0=dense_rank_0,
        expert_rank_0=expert_rank_0,
        optimizer_on_host=case.offload,
    )
    device = 0
    if fmt is SaveFormat.FULLY_RESHARDABLE:  # no flat copy: that is NCCL's
        device = max(device_gather_bytes(one, flat_copy=False) for one in share.optimizers)
    return {
        "gather": memory.gather / MB,
        "retained": memory.retained / MB,
        "write": memory.write / MB,
        "device": device / MB,
        "load": memory.load / MB,
    }


def measured_share(buffers: list[dict[str, Any]]) -> RankShare:
    """What a process really held, as the formula wants it."""
    sums = []
    for expert in (False, True):
        mine = [buffer for buffer in buffers if buffer["expert"] is expert]
        if mine:
            sums.append(
                Buffers(
                    sum(buffer["numel"] for buffer in mine),
                    max(bucket for buffer in mine for bucket in buffer["buckets"]),
                    mine[0]["group"],
                    max(buffer["largest_tensor"] for buffer in mine),
                    tuple(
                        Bucket(size, buffer["numel"] if index == 0 else 0)
                        for buffer in mine
                        for index, size in enumerate(buffer["buckets"])
                    ),
                )
            )
    return RankShare(*sums)


def summaries(rows: Sequence[dict[str, str]]) -> Iterator[list[str]]:
    """For each version and quantity how many ranks there were, and the largest deviation: in MB, and in parts."""
    for version in dict.fromkeys(row["Megatron-Core"] for row in rows):
        mine = [row for row in rows if row["Megatron-Core"] == version]
        ranks = str(sum(len(row["ranks"].split()) for row in mine))
        for name in QUANTITIES:
            pairs = [(_off_by(name, row), float(row[f"{name} predicted"])) for row in mine]
            furthest = max((difference for difference, _ in pairs), key=abs, default=0.0)
            cells = [version, name, ranks, f"{furthest:+.1f}"]
            for size in SIZES_MB:
                parts = [difference / predicted for difference, predicted in pairs if predicted >= size]
                cells.append(f"{max(parts, key=abs):+.2%}".replace("%", " %") if parts else "none so large")
            yield cells


def _off_by(name: str, row: dict[str, str]) -> float:
    return off(name, float(row[name]), float(row[f"{name} predicted"]), float(row["retained predicted"]))


def rows(case: Case, reports: Sequence[dict[str, Any]]) -> tuple[list[list[str]], list[str]]:
    """The rows of a case, one for ranks that the formula does not tell apart, and what is too far off.

    Of ranks that are alike, each quantity is that of the rank which is furthest from the prediction.
    """
    layout, shares = layout_of(case), shares_of(case)
    groups: dict[tuple[int, bool, bool], list[tuple[dict[str, Any], dict[str, float]]]] = {}
    faults: list[str] = []
    for report in reports:
        place = layout.place(report["rank"])
        real, share = measured_share(report["buffers"]), shares[place[0]]
        if abs(real.numel - share.numel) > 64 * 1000:
            faults.append(f"rank {report['rank']}: {real.numel} parameters, {share.numel} predicted")
        if case.bucket:
            share = real  # where a bucket ends depends on the order of tensors; only a bound follows from the shape
        predicted = prediction(case, share, place)
        faults += _faults(report, predicted)
        groups.setdefault(alike(case, place), []).append((report, predicted))
    return [_row(case, members) for members in groups.values()], faults


def _row(case: Case, members: list[tuple[dict[str, Any], dict[str, float]]]) -> list[str]:
    first, predicted = members[0]
    cells = [first["megatron_core"], case.name, processes(case), save_format(case).value]
    cells += [" ".join(str(report["rank"]) for report, _ in members)]
    cells += [f"{measured_share(first['buffers']).numel / 1e6:.2f}"]
    for name in (*QUANTITIES, "load"):
        measured = [report[name] / MB for report, _ in members]
        shown = max(measured) if name == "load" else max(measured, key=lambda one: abs(one - predicted[name]))
        cells += [f"{shown:.1f}", f"{predicted[name]:.1f}"]
    for name in ("elements", "wrong"):
        cells.append(str(sum(report[name] for report, _ in members)))
    return cells


def _faults(report: dict[str, Any], predicted: dict[str, float]) -> list[str]:
    faults = []
    for name in QUANTITIES:
        difference = off(name, report[name] / MB, predicted[name], predicted["retained"])
        part, noise = ALLOWED[name]
        if abs(difference) > max(part * predicted[name], noise):
            faults.append(
                f"rank {report['rank']}: {name} {report[name] / MB:.1f} MB, {predicted[name]:.1f} MB predicted"
            )
    if report["load"] / MB > predicted["load"] * 1.01 + 6:
        faults.append(f"rank {report['rank']}: load {report['load'] / MB:.1f} MB, bound {predicted['load']:.1f} MB")
    if report["wrong"]:
        faults.append(
            f"rank {report['rank']}: {report['wrong']} of {report['elements']} elements differ after the load"
        )
    return faults


def processes(case: Case) -> str:
    """The layout in words: ``4: TP 2``."""
    parts = [
        f"{name} {size}"
        for name, size in (("TP", case.tp), ("PP", case.pp), ("VPP", case.vpp), ("CP", case.cp), ("EP", case.ep))
        if size > 1
    ]
    return f"{case.world}: {', '.join(parts)}" if parts else str(case.world)
