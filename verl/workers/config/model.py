"""The model that is trained."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(kw_only=True)
class HFModelConfig:
    """A model as Hugging Face stores it."""

    path: str = "~/models/deepseek-llm-7b-chat"
    use_fused_kernels: bool = False
