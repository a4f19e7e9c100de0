"""Checkpoints of the Megatron engine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from verl.trainer.config import CheckpointConfig


@dataclass(kw_only=True)
class McoreCheckpointConfig(CheckpointConfig):
    """Adds what the bridge library is told when it writes Hugging Face weights."""

    mbridge_config: dict[str, Any] = field(default_factory=dict)
