"""The command ``ckpt-defaults memory``: its options, and the estimate as text or JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from ..settings import ConfigError
from .advice import advice, gigabytes, host_size
from .estimate import USABLE_SHARE, Estimate, FormatEstimate, usable_bytes
from .flags import Flags, flags_from_files
from .formula import ADAM, RankMemory, SaveFormat
from .layout import Bucketing, parameter_count
from .models import EstimateError, catalogue, find_model, read_config
from .request import SIZES, Request, layout_of, parse_bytes, parse_count, parse_state_bytes

_HELP = {
    "gpus": "GPUs in all (default 8)",
    "gpus-per-host": "GPUs, that is ranks, on a host (default 8)",
    "tp": "tensor parallelism",
    "pp": "pipeline parallelism",
    "vpp": "model chunks of a pipeline stage",
    "cp": "context parallelism",
    "ep": "expert parallelism",
    "etp": "expert tensor parallelism (default: TP, as in Megatron-Core)",
    "dp": "data parallelism, to have it checked",
    "first-stage-layers": "layers of the first stage, where they differ",
    "last-stage-layers": "layers of the last stage, where they differ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``ckpt-defaults memory`` to ``parser``. Values are checked by :func:`run`."""
    model = parser.add_argument_group("the model")
    model.add_argument("--model", metavar="NAME", help="a model of the catalogue (--models lists it)")
    model.add_argument("--config", metavar="FILE", dest="model_config", help="a Hugging Face config.json instead")
    model.add_argument("--models", action="store_true", help="list the catalogue")
    layout = parser.add_argument_group("the layout")
    for name in SIZES:
        layout.add_argument(f"--{name}", metavar="N", help=_HELP[name])
    layout.add_argument(
        "--config-dir",
        action="append",
        metavar="DIR",
        help="take sizes, offloading and the two checkpoint flags from this config's YAML (repeatable)",
    )
    memory = parser.add_argument_group("the memory")
    memory.add_argument("--host-memory", metavar="SIZE", help="memory of a host, such as 1929GB, 2TB, 1800GiB")
    memory.add_argument("--optimizer-offload", action="store_true", default=None, help="its state lies on the host")
    memory.add_argument("--param-offload", action="store_true", default=None, help="weights have a copy on the host")
    memory.add_argument("--state-bytes", metavar="N,N,N", help="bytes of main parameter and moments (default 4,4,4)")
    memory.add_argument("--bucket-size", metavar="N", help="elements of a gradient bucket (default: one bucket)")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print (default text)")


def run(args: argparse.Namespace) -> int:
    """Print the estimate that ``args`` (of :func:`add_arguments`) ask for.

    Returns 0; 1 where ``--host-memory`` and ``--config-dir`` are given and the config's own format does not fit at
    save; 2, with one line on stderr, for input from which nothing can be estimated.
    """
    try:
        if args.models:
            print(list_models())
            return 0
        request, flags, host_bytes = _request(args)
        answer = request.answer()
        lines = advice(request, answer, host_bytes, flags.fmt if flags else None)
    except (EstimateError, ConfigError) as error:
        print(f"ckpt-defaults memory: {error}", file=sys.stderr)
        return 2
    if args.format == "json":
        print(json.dumps(as_json(answer, host_bytes, flags, lines), indent=2))
    else:
        print(as_text(answer, host_bytes, flags, lines))
    fits = host_bytes is None or flags is None or answer.formats[flags.fmt].fits_save(host_bytes)
    return 0 if fits else 1


def _request(args: argparse.Namespace) -> tuple[Request, Flags | None, int | None]:
    if (args.model is None) == (args.model_config is None):
        raise EstimateError("give one of --model NAME (--models lists them) and --config path/to/config.json")
    shape = find_model(args.model) if args.model is not None else read_config(args.model_config)
    flags = flags_from_files(args.config_dir) if args.config_dir else None
    words = {name: getattr(args, name.replace("-", "_")) for name in SIZES}
    layout = layout_of({name: text for name, text in words.items() if text is not None}, flags)
    bucket = parse_count(args.bucket_size, "--bucket-size") if args.bucket_size is not None else None
    request = Request(
        shape,
        layout,
        states=parse_state_bytes(args.state_bytes) if args.state_bytes is not None else ADAM,
        bucketing=Bucketing(
            bucket if bucket is not None else (flags.bucket_numel if flags else None),
            high_bandwidth=flags.high_bandwidth if flags else False,
        ),
        optimizer_offload=args.optimizer_offload or (flags.optimizer_offload if flags else False),
        param_offload=args.param_offload or (flags.param_offload if flags else False),
    )
    return request, flags, parse_bytes(args.host_memory, "--host-memory") if args.host_memory is not None else None


# -- text ------------------------------------------------------------------------------------------------------------


def list_models() -> str:
    """The catalogue as lines of short name, parameters and source."""
    rows = [(name, f"{parameter_count(shape) / 1e9:.2f} B", shape.source) for name, shape in catalogue().items()]
    return align(rows)


def align(rows: Sequence[Sequence[str]], right: Sequence[int] = (1,)) -> str:
    """Rows as columns two spaces apart; the columns ``right`` are flush right. No blanks at the ends of lines."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def layout_words(answer: Estimate) -> str:
    """The layout in words: ``TP 1, PP 1, CP 1, EP 8, ETP 1 (DP 8, expert DP 1)``."""
    layout = answer.layout
    words = f"TP {layout.tp}, PP {layout.pp}, CP {layout.cp}"
    if layout.vpp > 1:
        words += f", VPP {layout.vpp}"
    data = f"DP {layout.dense_group // layout.cp}"
    if answer.shape.experts:
        words += f", EP {layout.ep}, ETP {layout.expert_tensor}"
        data += f", expert DP {layout.expert_group}"
    return f"{words} ({data})"


def as_text(answer: Estimate, host_bytes: int | None, flags: Flags | None, lines: Sequence[str]) -> str:
    """The estimate for a terminal; ``flags`` marks the config's own format, ``lines`` is the advice."""
    layout, share = answer.layout, answer.fullest
    expert = f" and {share.expert.numel / 1e9:.2f} B expert" if share.expert else ""
    plural = "" if layout.hosts == 1 else "s"
    head = [
        f"{answer.shape.name}, {answer.parameters / 1e9:.2f} B parameters, on {layout.world} GPUs "
        f"({layout.hosts} host{plural} with up to {min(layout.ranks_per_host, layout.world)}): {layout_words(answer)}",
        f"A rank holds up to {share.dense.numel / 1e9:.2f} B dense{expert} parameters.",
    ]
    if flags is not None:
        head.append(f"Your config's format is {flags.fmt.value} ({flags.place}).")
    head += [f"Note: {note}." for note in _notes(answer)]
    head.append("Host memory on top of what training itself takes, 1 GB = 10^9 bytes:")
    rows = [["format", "save: a rank", "other ranks", "kept", "save: worst host", "load: worst host"]]
    if host_bytes is not None:
        rows[0].append(f"fits in {host_size(host_bytes)}")
    for fmt, one in answer.formats.items():
        mark = " *" if flags is not None and flags.fmt is fmt else ""
        row = [fmt.value + mark, *_cells(one)]
        if host_bytes is not None:
            row.append(_verdict(one, host_bytes))
        rows.append(row)
    foot = ["* your config's format"] if flags is not None else []
    held = max(host.held for host in answer.formats[SaveFormat.DP_RESHARDABLE].hosts)
    if held:
        foot.append(f"Besides, offloading holds up to {gigabytes(held)} on a host all the time; the verdict counts it.")
    if host_bytes is not None:
        foot.append(
            f"Fits: at most {gigabytes(usable_bytes(host_bytes))}, {USABLE_SHARE:.0%} of the host (Ray ends processes "
            "above). Rollout engines, pinned buffers and other roles come on top."
        )
    if lines:
        foot += ["What to change:", *(f"  - {line}" for line in lines)]
    return "\n".join([*head, "", align(rows, right=(1, 2, 3, 4, 5)), *([""] if foot else []), *foot])


def _notes(answer: Estimate) -> list[str]:
    notes = list(answer.shape.notes)
    layout = answer.layout
    uneven = answer.shape.layers % layout.pp and layout.first_stage_layers is None and layout.last_stage_layers is None
    if uneven:
        notes.append(
            f"{answer.shape.layers} layers do not divide over PP {layout.pp}; the ends are taken smaller "
            "(--first-stage-layers, --last-stage-layers say how)"
        )
    if answer.shape.experts and layout.expert_group == 1 and layout.dense_group > 1:
        notes.append("expert DP is 1, so the memory-efficient flag saves on the dense part only")
    return notes


def _cells(one: FormatEstimate) -> list[str]:
    return [
        gigabytes(one.rank_0.save),
        gigabytes(one.others.save) if one.others else "same",
        gigabytes(one.rank_0.retained),
        gigabytes(one.saving.save),
        gigabytes(one.loading.load),
    ]


def _verdict(one: FormatEstimate, host_bytes: int) -> str:
    save, load = one.fits_save(host_bytes), one.fits_load(host_bytes)
    if save and load:
        return "yes"
    return "save only" if save else ("load only" if load else "no")


# -- JSON ------------------------------------------------------------------------------------------------------------


def as_json(answer: Estimate, host_bytes: int | None, flags: Flags | None, lines: Sequence[str]) -> dict[str, Any]:
    """The estimate as plain data. All sizes are bytes, in whole numbers; hosts count from 0."""
    layout, share = answer.layout, answer.fullest
    return {
        "version": 1,
        "model": {"name": answer.shape.name, "parameters": answer.parameters, "source": answer.shape.source},
        "layout": {
            "gpus": layout.world,
            "gpus_per_host": layout.ranks_per_host,
            "hosts": layout.hosts,
            "tp": layout.tp,
            "pp": layout.pp,
            "vpp": layout.vpp,
            "cp": layout.cp,
            "dp": layout.dense_group // layout.cp,
            "ep": layout.ep,
            "etp": layout.expert_tensor,
            "expert_dp": layout.expert_group if answer.shape.experts else None,
        },
        "rank_parameters": {"dense": share.dense.numel, "expert": share.expert.numel if share.expert else 0},
        "host_memory": host_bytes,
        "default": {"format": flags.fmt.value, "config": flags.place} if flags is not None else None,
        "formats": [_format_json(one, host_bytes, flags) for one in answer.formats.values()],
        "notes": _notes(answer),
        "advice": list(lines),
    }


def _format_json(one: FormatEstimate, host_bytes: int | None, flags: Flags | None) -> dict[str, Any]:
    reshardable, mem_efficient = one.fmt.flags
    return {
        "format": one.fmt.value,
        "dist_ckpt_optim_fully_reshardable": reshardable,
        "distrib_optim_fully_reshardable_mem_efficient": mem_efficient,
        "default": flags is not None and flags.fmt is one.fmt,
        "rank_0": _rank_json(one.rank_0),
        "other_ranks": _rank_json(one.others) if one.others else None,
        "worst_host": {
            "save": {"host": one.saving.host, "bytes": one.saving.save, "held": one.saving.held},
            "load": {"host": one.loading.host, "bytes": one.loading.load, "held": one.loading.held},
        },
        "fits": None if host_bytes is None else {"save": one.fits_save(host_bytes), "load": one.fits_load(host_bytes)},
    }


def _rank_json(rank: RankMemory) -> dict[str, int]:
    return {
        "save_peak": rank.save,
        "gather_peak": rank.gather,
        "write_peak": rank.write,
        "retained": rank.retained,
        "device_peak": rank.device,
        "load_built": rank.load_built,
        "load_peak": rank.load,
        "held": rank.held,
    }
