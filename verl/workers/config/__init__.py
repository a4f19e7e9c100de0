"""The classes that the configs of the trainer name by ``_target_``: one field for each setting, with its default."""

from .actor import ActorConfig, McoreActorConfig
from .checkpoint import McoreCheckpointConfig
from .critic import CriticConfig, McoreCriticConfig
from .engine import EngineConfig, EngineRouterReplayConfig, McoreEngineConfig, QATEngineConfig
from .model import HFModelConfig
from .optimizer import McoreOptimizerConfig, OptimizerConfig
from .rollout import RolloutConfig

__all__ = [
    "ActorConfig",
    "CriticConfig",
    "EngineConfig",
    "EngineRouterReplayConfig",
    "HFModelConfig",
    "McoreActorConfig",
    "McoreCheckpointConfig",
    "McoreCriticConfig",
    "McoreEngineConfig",
    "McoreOptimizerConfig",
    "OptimizerConfig",
    "QATEngineConfig",
    "RolloutConfig",
]
