"""The rollout."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class RolloutConfig:
    """How responses are generated.

    Args:
        n: Responses for each prompt. Default 1.
    """

    n: int = 1
