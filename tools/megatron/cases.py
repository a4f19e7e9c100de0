"""What is run: sizes of a model, how it is spread over processes, and how its optimizer is saved."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

SHARDED, GATHERED = "dp_reshardable", "fully_reshardable"


@dataclass(frozen=True)
class Case:
    """One run. Sizes are elements, parallelism is in processes; ``bucket`` 0 is one bucket a buffer."""

    name: str
    world: int = 2
    tp: int = 1
    pp: int = 1
    vpp: int = 1
    cp: int = 1
    ep: int = 1
    layers: int = 4
    hidden: int = 512
    heads: int = 8
    kv_groups: int = 8
    ffn: int = 1536
    vocabulary: int = 8192
    tied: bool = False
    experts: int = 0
    expert_ffn: int = 512
    shared_ffn: int = 0
    bucket: int = 0
    high_bandwidth: bool = False
    sharding: str = SHARDED
    lean: bool = False
    offload: bool = False

    def to_json(self) -> str:
        """For the command line of a process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Case:
        """The case of a command line."""
        return cls(**json.loads(text))

    def changed(self, **sizes: object) -> Case:
        """This case with other sizes."""
        return replace(self, **sizes)  # type: ignore[arg-type]


_SMALL = Case("dense")
_LARGE = Case("dense, larger", hidden=1024, layers=3, ffn=2560, vocabulary=9216)
_EXPERTS = Case("experts", experts=16, hidden=512, layers=3, vocabulary=4096)


def _formats(case: Case) -> list[Case]:
    """A case in each of the three formats."""
    return [
        case.changed(sharding=SHARDED),
        case.changed(sharding=GATHERED),
        case.changed(sharding=GATHERED, lean=True),
    ]


MEASURED: tuple[Case, ...] = (
    *_formats(_SMALL.changed(world=1))[:2],
    *_formats(_SMALL),
    *_formats(_SMALL.changed(world=4)),
    *_formats(_LARGE),
    *_formats(_SMALL.changed(name="dense, state on the host", offload=True))[:2],
    *_formats(_SMALL.changed(name="dense, buckets", bucket=2_000_000))[1:2],
    *_formats(_SMALL.changed(world=4, tp=2))[1:],
    *_formats(_SMALL.changed(name="dense, tied embeddings", world=4, pp=2, tied=True))[1:2],
    *_formats(_SMALL.changed(world=4, pp=2, vpp=2))[1:],
    *_formats(_EXPERTS.changed(world=4, ep=2)),
    *_formats(_EXPERTS.changed(world=4, ep=4))[1:],
    *_formats(_EXPERTS.changed(name="experts, and shared ones", world=2, ep=2, shared_ffn=512, kv_groups=2))[1:2],
)
"""The runs that are measured."""


@dataclass(frozen=True)
class Resume:
    """A save and a load in another layout; ``works`` is what is expected of each format, ``None`` that it is not run.

    A load that "works" has every element at its place, bit by bit; one that does not raises an error. ``corrupts``
    names the formats of which released versions load wrong values without an error.
    """

    change: str
    save: Case
    load: Case
    sharded: bool | None
    gathered: bool | None
    corrupts: tuple[str, ...] = ()


_TINY = Case("", layers=2, hidden=256, ffn=768, vocabulary=2048)
_TINY_EXPERTS = _TINY.changed(experts=8, expert_ffn=256)


def _dense(
    change: str, sharded: bool | None, gathered: bool | None, save: dict[str, int], load: dict[str, int]
) -> Resume:
    return Resume(change, _TINY.changed(**save), _TINY.changed(**load), sharded, gathered)


def _experts(
    change: str, sharded: bool | None, gathered: bool | None, save: dict[str, int], load: dict[str, int]
) -> Resume:
    return Resume(change, _TINY_EXPERTS.changed(**save), _TINY_EXPERTS.changed(**load), sharded, gathered)


RESUMED: tuple[Resume, ...] = (
    _dense("nothing", True, True, {}, {}),
    _dense("DP 2 to 4", True, True, {}, {"world": 4}),
    _dense("DP 4 to 1", True, True, {"world": 4}, {"world": 1}),
    _dense("DP 4 to 3", True, True, {"world": 4}, {"world": 3}),
    _dense("CP 1 to 2", True, True, {"world": 4}, {"world": 4, "cp": 2}),
    _dense("CP 2 to 1", True, True, {"world": 4, "cp": 2}, {"world": 2}),
    _experts("expert DP 1 to 2", True, True, {"ep": 2}, {"ep": 2, "world": 4}),
    _dense("TP 1 to 2", False, True, {}, {"tp": 2}),
    _dense("TP 2 to 1", False, True, {"tp": 2}, {}),
    _dense("PP 1 to 2", False, True, {}, {"pp": 2}),
    _experts("EP 2 to 4", False, True, {"world": 4, "ep": 2}, {"world": 4, "ep": 4}),
    _experts("EP 4 to 2", None, True, {"world": 4, "ep": 4}, {"world": 4, "ep": 2}),
    _experts("EP 1 to 2", False, False, {}, {"ep": 2}),
    _experts("EP 4 to 1", None, False, {"world": 4, "ep": 4}, {"world": 2}),
    _dense("DDP buckets", False, None, {}, {"bucket": 500_000}),
    Resume(
        "nothing; padded buckets",
        _TINY.changed(bucket=500_000, high_bandwidth=True),
        _TINY.changed(bucket=500_000, high_bandwidth=True),
        True,
        True,
        corrupts=(GATHERED,),
    ),
    Resume(
        "nothing; tied embeddings, PP 2, DP 3",
        _TINY.changed(world=6, pp=2, tied=True),
        _TINY.changed(world=6, pp=2, tied=True),
        True,
        True,
        corrupts=(GATHERED,),
    ),
)
"""The resumes that are tried."""
