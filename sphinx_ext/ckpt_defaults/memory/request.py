"""What somebody asks an estimate for, as text (options of the command, of the directive), turned into sizes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .estimate import Estimate, estimate
from .flags import Flags
from .formula import ADAM, StateBytes
from .layout import ONE_BUCKET, Bucketing, Parallelism
from .models import MAX_SIZE, EstimateError, ModelShape

SIZES = ("gpus", "gpus-per-host", "tp", "pp", "vpp", "cp", "ep", "etp", "dp", "first-stage-layers", "last-stage-layers")
"""The names of the sizes of a layout, as options and as words of a directive's line."""

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}

MAX_BYTES = 10**15
"""Largest host memory that is believed, in bytes (1 PB)."""


def parse_count(text: str, name: str) -> int:
    """A whole number. Raises :class:`EstimateError` naming ``name``."""
    if not re.fullmatch(r"[+-]?\d{1,40}", text.strip(), re.ASCII):
        raise EstimateError(f"{name} is {_shown(text)}; give a whole number")
    return int(text)


def parse_bytes(text: str, name: str) -> int:
    """Bytes from ``1929GB``, ``2 TB``, ``1800GiB`` or a plain number of bytes. Raises :class:`EstimateError`."""
    found = re.fullmatch(r"(\d{1,16}(?:\.\d{1,6})?)\s*([KMGT]?i?B?)", text.strip(), re.ASCII | re.IGNORECASE)
    unit = found.group(2).upper() if found else ""
    if found is None or (unit and not unit.endswith("B") and unit + "B" not in _UNITS):
        raise EstimateError(f"{name} is {_shown(text)}; give a size such as 1929GB, 2TB or 1800GiB")
    scale = _UNITS[unit if unit in _UNITS else unit + "B"]
    size = int(float(found.group(1)) * scale)
    if size <= 0:
        raise EstimateError(f"{name} is {_shown(text)}; give a size above zero")
    if size > MAX_BYTES:
        raise EstimateError(f"{name} is {_shown(text)}; more than 1 PB on a host is not believed")
    return size


def parse_state_bytes(text: str) -> StateBytes:
    """``4,4,4``: bytes of the main parameter, then of each moment. Raises :class:`EstimateError`."""
    sizes = [parse_count(part, "a size in --state-bytes") for part in text.split(",")]
    if not 2 <= len(sizes) <= 4 or any(size not in (1, 2, 4) for size in sizes):
        raise EstimateError(
            f"--state-bytes is {_shown(text)}; give the bytes of the main parameter and of each moment, such as 4,2,2"
        )
    return StateBytes(sizes[0], tuple(sizes[1:]))


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 40 else flat[:37] + "...")


def layout_of(words: Mapping[str, str], flags: Flags | None = None) -> Parallelism:
    """The layout that ``words`` (names of :data:`SIZES`) describe; ``flags`` fills what they leave open.

    Without ``gpus`` there are 8, or one model's worth where that is more. Raises :class:`EstimateError`.
    """
    given = {name: parse_count(text, name) for name, text in words.items()}
    if flags is not None:
        for name in ("tp", "pp", "vpp", "cp", "ep", "etp"):
            value = getattr(flags, name)
            if name not in given and value is not None:
                given[name] = value
    layout = Parallelism()
    model = 1
    for name in ("tp", "pp", "cp"):
        size = given.get(name, 1)
        model *= size if 0 < size <= MAX_SIZE else 1
    world = given.get("gpus", max(layout.world, model) if model <= MAX_SIZE else layout.world)
    return Parallelism(
        world=world,
        tp=given.get("tp", 1),
        pp=given.get("pp", 1),
        cp=given.get("cp", 1),
        ep=given.get("ep", 1),
        etp=given.get("etp"),
        vpp=given.get("vpp", 1),
        dp=given.get("dp"),
        ranks_per_host=given.get("gpus-per-host", layout.ranks_per_host),
        first_stage_layers=given.get("first-stage-layers"),
        last_stage_layers=given.get("last-stage-layers"),
    )


@dataclass(frozen=True, slots=True)
class Request:
    """One question: which model, in which layout, with what in which memory."""

    shape: ModelShape
    layout: Parallelism
    states: StateBytes = ADAM
    bucketing: Bucketing = ONE_BUCKET
    optimizer_offload: bool = False
    param_offload: bool = False

    def answer(self) -> Estimate:
        """The estimate. Raises :class:`EstimateError`."""
        return estimate(
            self.shape,
            self.layout,
            states=self.states,
            bucketing=self.bucketing,
            optimizer_on_host=self.optimizer_offload,
            parameters_on_host=self.param_offload,
        )

    def with_layout(self, **sizes: int) -> Request:
        """The same question for a layout in which ``sizes`` (fields of :class:`Parallelism`) differ.

        Raises :class:`EstimateError` for a layout that does not multiply up.
        """
        return replace(self, layout=replace(self.layout, dp=None, **sizes))
