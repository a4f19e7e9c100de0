"""The critic."""

from __future__ import annotations

from dataclasses import dataclass, field

from verl.trainer.config import CheckpointConfig

from .checkpoint import McoreCheckpointConfig
from .engine import McoreEngineConfig
from .model import HFModelConfig
from .optimizer import McoreOptimizerConfig, OptimizerConfig


@dataclass(kw_only=True)
class CriticConfig:
    """What every critic has. The engine is chosen by ``strategy``, which has no default."""

    strategy: str
    rollout_n: int = 1
    enable: bool | None = None
    optim: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(lr=1e-5))
    model: HFModelConfig = field(default_factory=HFModelConfig)
    ppo_mini_batch_size: int = 256
    use_dynamic_bsz: bool = False
    ppo_max_token_len_per_gpu: int = 32768
    forward_max_token_len_per_gpu: int = 32768
    ppo_epochs: int = 1
    shuffle: bool = False
    data_loader_seed: int = 42
    cliprange_value: float = 0.5
    loss_agg_mode: str = "token-mean"
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)


@dataclass(kw_only=True)
class McoreCriticConfig(CriticConfig):
    """A critic on the Megatron-Core engine."""

    strategy: str = "megatron"
    nccl_timeout: int = 600
    optim: McoreOptimizerConfig = field(default_factory=lambda: McoreOptimizerConfig(lr=1e-5))
    megatron: McoreEngineConfig = field(default_factory=McoreEngineConfig)
    checkpoint: McoreCheckpointConfig = field(default_factory=McoreCheckpointConfig)
