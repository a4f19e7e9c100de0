"""One model in one layout, by which a page says what the formats cost: computed, never typed."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from .advice import gigabytes
from .formula import SaveFormat
from .models import find_model
from .request import Request, layout_of

MODEL = "qwen3-30b-a3b"
LAYOUT: Mapping[str, str] = {"gpus": "8", "ep": "8"}
"""One host of eight GPUs, the experts spread over them."""


@functools.lru_cache(maxsize=1)
def example() -> Mapping[str, str]:
    """The words of the example: ``model``, ``gpus``, ``ep``, and the worst host at save in each format (decimal GB)."""
    answer = Request(find_model(MODEL), layout_of(LAYOUT)).answer()
    cost = {fmt: gigabytes(one.saving.save) for fmt, one in answer.formats.items()}
    return {
        "model": answer.shape.name,
        "gpus": LAYOUT["gpus"],
        "ep": LAYOUT["ep"],
        "own": cost[SaveFormat.DP_RESHARDABLE],
        "gathered": cost[SaveFormat.FULLY_RESHARDABLE],
        "lean": cost[SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT],
    }
