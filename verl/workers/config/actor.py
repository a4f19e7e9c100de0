"""The actor, and the reference model, which is built from the same class."""

from __future__ import annotations

from dataclasses import dataclass, field

from verl.trainer.config import CheckpointConfig

from .checkpoint import McoreCheckpointConfig
from .engine import McoreEngineConfig
from .optimizer import McoreOptimizerConfig, OptimizerConfig


@dataclass(kw_only=True)
class ActorConfig:
    """What every actor has. The engine is chosen by ``strategy``, which has no default."""

    strategy: str
    rollout_n: int = 1
    ppo_mini_batch_size: int = 256
    ppo_micro_batch_size_per_gpu: int | None = None
    use_dynamic_bsz: bool = False
    ppo_max_token_len_per_gpu: int = 16384
    clip_ratio: float = 0.2
    clip_ratio_low: float = 0.2
    clip_ratio_high: float = 0.2
    clip_ratio_c: float = 3.0
    loss_agg_mode: str = "token-mean"
    entropy_coeff: float = 0
    use_kl_loss: bool = False
    use_torch_compile: bool = True
    kl_loss_coef: float = 0.001
    kl_loss_type: str = "low_var_kl"
    ppo_epochs: int = 1
    shuffle: bool = False
    data_loader_seed: int = 42
    checkpoint: CheckpointConfig = field(default_factory=CheckpointConfig)
    optim: OptimizerConfig = field(default_factory=lambda: OptimizerConfig(lr=1e-6))
    use_fused_kernels: bool = False


@dataclass(kw_only=True)
class McoreActorConfig(ActorConfig):
    """An actor on the Megatron-Core engine."""

    strategy: str = "megatron"
    checkpoint: McoreCheckpointConfig = field(default_factory=McoreCheckpointConfig)
    optim: McoreOptimizerConfig = field(default_factory=lambda: McoreOptimizerConfig(lr=1e-6))
    entropy_from_logits_with_chunking: bool = False
    entropy_from_logits_chunk_size: int = 2048
    megatron: McoreEngineConfig = field(default_factory=McoreEngineConfig)
