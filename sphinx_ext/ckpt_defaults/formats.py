"""Megatron-Core's optimizer checkpoint formats: which flags select one, what it costs, what a resume may change.

Every statement carries its source. Texts are message ids (English, with reST literals in double backquotes); who
renders them translates them. Megatron-Core 0.19.2 is meant where no version is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

GATHER = "dist_ckpt_optim_fully_reshardable"
"""The setting that chooses between dp-reshardable and fully-reshardable."""

LEAN = "distrib_optim_fully_reshardable_mem_efficient"
"""The setting that chooses how fully-reshardable gathers; read only where :data:`GATHER` is true."""

GOVERNING = (GATHER, LEAN)
"""The settings that select a format, in the order in which they are read."""


def N_(msgid: str) -> str:
    """Marks ``msgid`` for the catalogues and returns it as it is."""
    return msgid


@dataclass(frozen=True, slots=True)
class Source:
    """Where a statement comes from, and how it was established.

    ``how``: ``code`` (read in the source), ``run`` (executed with Megatron-Core on CPU and checked), ``derived``
    (follows from the code, not executed), ``report`` (published by others).
    """

    where: str
    how: Literal["code", "run", "derived", "report"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement, a message id, with its sources."""

    text: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Resume:
    """What happens when ``change`` lies between the save and the load.

    ``outcome``: ``works`` (loaded, every element compared bit by bit), ``fails`` (an error), ``untried``.
    """

    change: str
    outcome: Literal["works", "fails", "untried"]
    source: Source


@dataclass(frozen=True, slots=True)
class Defect:
    """A known fault of released versions; ``versions`` says which, as a message id."""

    text: str
    versions: str
    source: Source


@dataclass(frozen=True, slots=True)
class Format:
    """One optimizer checkpoint format.

    ``flags`` are the values that select it (a setting that is not in it has no effect), ``since`` the first release of
    Megatron-Core that has it. Memory is what a save or load needs beyond what the process holds before it.
    """

    name: str
    title: str
    flags: Mapping[str, bool]
    since: str
    resume: tuple[Resume, ...]
    gather: Fact
    host_memory: Fact
    device_memory: Fact
    load: Fact
    speed: Fact
    when: Fact
    warning: tuple[Fact, ...]
    defects: tuple[Defect, ...]


_OPTIMIZER = "Megatron-Core 0.19.2, optimizer/distrib_optimizer.py: "

_DISPATCH = Source(_OPTIMIZER + "DistributedOptimizer.sharded_state_dict", "code")
_GATHER = Source(_OPTIMIZER + "sharded_param_state_fully_reshardable, get_parameter_state_dp_zero", "code")
_WRITER = Source(
    "Megatron-Core 0.19.2, dist_checkpointing/strategies/filesystem_async.py: preload_tensors, prepare_write_data",
    "code",
)
_EXCHANGE = Source("Megatron-Core 0.19.2, dist_checkpointing/exchange_utils.py", "code")
_FLAGS = Source(
    "verl 0.9.0, utils/checkpoint/megatron_checkpoint_manager.py: _build_sharded_state_dict_metadata", "code"
)
_MEASURED = Source(
    "Megatron-Core 0.19.2 on CPU with Gloo, memory counted: 1 to 4 processes, 59 and 111 million parameters", "run"
)
_RESUMED = Source(
    "Megatron-Core 0.16.1 and 0.19.2 on CPU, save and load under another layout, every element compared", "run"
)
_CHAINED = Source("Megatron-Core 0.19.2, optimizer/optimizer.py: ChainedOptimizer.sharded_state_dict", "run")
_NODES = Source("follows from the change of DP: ranks are not bound to hosts in the files", "derived")
_GUIDE = Source("Megatron-LM, docs/api-guide/core/dist_checkpointing.md", "report")
_NCCL = Source("torch, ProcessGroupNCCL::allgather: the flat receive buffer", "derived")
_UNTRIED = Source("not run; the files do not record the bucket layout", "derived")

# What may lie between a save and a resume. The names are message ids.
DATA = N_("DP")
CONTEXT = N_("CP")
EXPERT_DATA = N_("expert DP")
NODES = N_("number of nodes")
TENSOR = N_("TP")
PIPELINE = N_("PP")
EXPERT = N_("EP between values above 1")
EXPERT_ONE = N_("EP between 1 and more")
BUCKETS = N_("DDP bucket layout")

_PADDED_BUCKETS = Defect(
    N_(
        "Optimizer state is corrupted without an error when a gradient buffer has more than one bucket and a bucket is "
        "padded at its end: with ``overlap_grad_reduce``; or with tied embeddings, PP above 1 and a DP size that needs "
        "padding (DP 3 does, powers of two mostly do not)."
    ),
    N_("Megatron-Core 0.15.0 to 0.19.2"),
    Source("Megatron-Core 0.19.2 on CPU, save and load under one layout; mended by Megatron-LM PR #5077", "run"),
)
_REMAINDERS = Defect(
    N_(
        "Does not go together with ``use_precision_aware_optimizer`` where the master weights are kept as int16 "
        "remainders (Transformer Engine's default): the load is refused."
    ),
    N_("Megatron-Core 0.15.0 to 0.19.2"),
    Source(_OPTIMIZER + "load of main parameters; Transformer Engine, fused_adam.py: set_scaled_state", "derived"),
)
_BUCKET_EDGES = Defect(
    N_(
        "A save can be refused for some bucket boundaries (a shared embedding with PP 2), or where the shard of a "
        "data-parallel rank is nothing but padding."
    ),
    N_("open in August 2026"),
    Source("Megatron-LM PRs #5898 and #6191", "report"),
)
_OFFLOADED_STEP = Defect(
    N_(
        "With ``optimizer_cpu_offload`` the checkpoint does not load: "
        "\u201cCannot merge two lists with different lengths\u201d."
    ),
    N_("Megatron-Core before 0.16.0"),
    Source("vime #27, Megatron-LM commit f4502eb1c9", "report"),
)
_UNKNOWN_TYPE = Defect(
    N_("The format does not exist yet, and verl 0.7.1 and later ask for it: ``Unknown sharding_type``."),
    N_("Megatron-Core 0.14"),
    Source("Megatron-Core core_v0.14.0, optimizer/distrib_optimizer.py", "code"),
)

_LOAD_GATHERED = Fact(
    N_("Load: 12 bytes a parameter, 24 at the peak, on every process."),
    (_EXCHANGE, _MEASURED),
)


def _resume(fixed: Literal["works", "fails"], buckets: Resume) -> tuple[Resume, ...]:
    """The row of the matrix of a format for which changes of model parallelism end in ``fixed``."""
    return (
        Resume(DATA, "works", _RESUMED),
        Resume(CONTEXT, "works", _RESUMED),
        Resume(EXPERT_DATA, "works", _RESUMED),
        Resume(NODES, "works", _NODES),
        Resume(TENSOR, fixed, _RESUMED),
        Resume(PIPELINE, fixed, _RESUMED),
        Resume(EXPERT, fixed, _RESUMED),
        Resume(EXPERT_ONE, "fails", _CHAINED),
        buckets,
    )


DP_RESHARDABLE = Format(
    name="dp-reshardable",
    title="dp-reshardable",
    flags={GATHER: False},
    since="0.15.0",
    resume=_resume("fails", Resume(BUCKETS, "fails", _RESUMED)),
    gather=Fact(N_("Nothing is gathered: every process writes its own shard."), (_DISPATCH, _MEASURED)),
    host_memory=Fact(
        N_("Save: 12 bytes a parameter, divided by DP, on each process; none where the state is offloaded already."),
        (_WRITER, _MEASURED),
    ),
    device_memory=Fact(N_("No GPU memory."), (_DISPATCH,)),
    load=Fact(N_("Load: about one tensor at a time."), (_MEASURED,)),
    speed=Fact(N_("Fastest."), (_GUIDE,)),
    when=Fact(N_("Training as usual: the resume keeps TP, PP and EP."), (_GUIDE,)),
    warning=(
        Fact(
            N_(
                "The default gathers nothing. Setting ``%(gather)s: True`` does: with ``%(lean)s: False`` **every** "
                "process, not data-parallel rank 0 alone, then holds a full fp32 copy of the optimizer state of its "
                "TP/PP/EP slice in host memory while it saves. That takes 24 to 36 bytes for each parameter on its "
                "GPU, and the processes of a host add up: a large model runs out of memory."
            ),
            (_GATHER, _MEASURED),
        ),
        Fact(
            N_(
                "Loading such a checkpoint needs nearly as much, on every process and with either value of "
                "``%(lean)s``. Keep ``%(gather)s: False`` unless the next resume changes TP, PP or EP."
            ),
            (_EXCHANGE, _MEASURED),
        ),
    ),
    defects=(_BUCKET_EDGES, _OFFLOADED_STEP, _UNKNOWN_TYPE),
)

FULLY_RESHARDABLE = Format(
    name="fully-reshardable",
    title="fully-reshardable",
    flags={GATHER: True, LEAN: False},
    since="0.15.0",
    resume=_resume("works", Resume(BUCKETS, "untried", _UNTRIED)),
    gather=Fact(
        N_(
            "Every process gathers the whole optimizer state of its TP/PP/EP slice into its host memory "
            "(``all_gather``, NCCL); the writing is spread over DP."
        ),
        (_GATHER, _MEASURED),
    ),
    host_memory=Fact(
        N_("Save: 24 to 36 bytes a parameter at the peak, on every process; 12 of them stay until the save returns."),
        (_GATHER, _MEASURED),
    ),
    device_memory=Fact(N_("GPU: 8 to 12 bytes a parameter of the largest bucket."), (_GATHER, _NCCL)),
    load=_LOAD_GATHERED,
    speed=Fact(N_("Slower."), (_GUIDE,)),
    when=Fact(
        N_("One save before a planned change of TP, PP or EP, where every host has the memory."), (_GUIDE, _MEASURED)
    ),
    warning=(
        Fact(
            N_(
                "The default gathers: ``%(gather)s`` is ``True`` and ``%(lean)s`` is ``False``, so in every save "
                "**every** process, not data-parallel rank 0 alone, holds a full fp32 copy of the optimizer state of "
                "its TP/PP/EP slice in host memory. That takes 24 to 36 bytes for each parameter on its GPU, and the "
                "processes of a host add up: a large model runs out of memory."
            ),
            (_GATHER, _MEASURED),
        ),
        Fact(
            N_(
                "Set ``%(gather)s: False`` unless the next resume changes TP, PP or EP. Where it does, set "
                "``%(lean)s: True`` to keep the copies on data-parallel rank 0. Loading such a checkpoint needs nearly "
                "as much host memory, on every process and with either value."
            ),
            (_EXCHANGE, _MEASURED),
        ),
    ),
    defects=(_PADDED_BUCKETS, _REMAINDERS, _UNKNOWN_TYPE),
)

FULLY_RESHARDABLE_LEAN = Format(
    name="fully-reshardable-mem-efficient",
    title="fully-reshardable, mem-efficient",
    flags={GATHER: True, LEAN: True},
    since="0.15.0",
    resume=_resume("works", Resume(BUCKETS, "untried", _UNTRIED)),
    gather=Fact(
        N_(
            "Data-parallel rank 0 alone gathers the whole optimizer state of its TP/PP/EP slice into its host memory "
            "(``gather``, Gloo), and alone writes it."
        ),
        (_GATHER, _MEASURED),
    ),
    host_memory=Fact(
        N_(
            "Save: as fully-reshardable, on data-parallel rank 0 only; these ranks of a pipeline stage share hosts. "
            "Elsewhere 12 bytes a parameter, divided by DP, for a moment."
        ),
        (_GATHER, _MEASURED),
    ),
    device_memory=Fact(N_("No GPU memory."), (_GATHER, _MEASURED)),
    load=_LOAD_GATHERED,
    speed=Fact(N_("Slowest."), (_GATHER, _GUIDE)),
    when=Fact(
        N_(
            "As fully-reshardable, where host or GPU memory is short and DP (for a model of experts: expert DP) is "
            "above 1."
        ),
        (_MEASURED,),
    ),
    warning=(
        Fact(
            N_(
                "The default gathers: ``%(gather)s`` and ``%(lean)s`` are ``True``, so in every save data-parallel "
                "rank 0 holds a full fp32 copy of the optimizer state of its TP/PP/EP slice in host memory: 24 to 36 "
                "bytes for each parameter on its GPU. The ranks 0 of a pipeline stage share hosts and add up: a large "
                "model runs out of memory. With expert parallelism and no expert data parallelism every process is "
                "such a rank 0 for its experts, and the second setting saves little."
            ),
            (_GATHER, _MEASURED),
        ),
        Fact(
            N_(
                "Set ``%(gather)s: False`` unless the next resume changes TP, PP or EP. Loading such a checkpoint "
                "needs nearly as much host memory, on **every** process."
            ),
            (_EXCHANGE, _MEASURED),
        ),
    ),
    defects=(_PADDED_BUCKETS, _REMAINDERS, _UNKNOWN_TYPE),
)

FORMATS: tuple[Format, ...] = (DP_RESHARDABLE, FULLY_RESHARDABLE, FULLY_RESHARDABLE_LEAN)
"""The formats that the flags can select, cheapest first."""


def selected_format(gather: Any, lean: Any) -> Format:
    """The format that two values select: ``gather`` is the value of :data:`GATHER`, ``lean`` that of :data:`LEAN`.

    Raises ``ValueError`` for values that select none (anything but a boolean), with the name of the setting and what to
    write, without a place.
    """
    for key, value in zip(GOVERNING, (gather, lean), strict=True):
        if not isinstance(value, bool):
            raise ValueError(f"{key} is {_spelled(value)}, which selects no checkpoint format; set it to True or False")
    values = dict(zip(GOVERNING, (gather, lean), strict=True))
    return next(f for f in FORMATS if all(values[key] is wanted for key, wanted in f.flags.items()))


def named_format(name: str) -> Format | None:
    """The format called ``name`` (case, spaces and ``-``/``_`` do not count), or ``None``."""
    wanted = _plain(name)
    return next((f for f in FORMATS if wanted in (_plain(f.name), _plain(f.title))), None)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _spelled(value: Any) -> str:
    """A value as a YAML file spells it, with its type where that is the point."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, (dict, list)):
        return "a mapping" if isinstance(value, dict) else "a list"
    return repr(value)
