"""The engines that hold and train a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(kw_only=True)
class EngineRouterReplayConfig:
    """Reuse of the expert choices of a mixture-of-experts model.

    Args:
        mode: ``disabled``, ``R2`` or ``R3``. Default ``disabled``.
        record_file: Where choices are written.
        replay_file: Where choices are read from.
    """

    mode: Literal["disabled", "R2", "R3"] = "disabled"
    record_file: str | None = None
    replay_file: str | None = None


@dataclass(kw_only=True)
class QATEngineConfig:
    """Training with rounding in the loop.

    Args:
        enable: Whether weights are rounded in the forward pass. Default False.
        mode: What is rounded, ``w4a16`` or ``w4a4``. Default ``w4a16``.
        group_size: Values that share one scale. Default 16.
        ignore_patterns: Names of modules that stay as they are.
        activation_observer: How ranges of activations are followed.
        quantization_config_path: A description of the quantization for the rollout.
    """

    enable: bool = False
    mode: Literal["w4a16", "w4a4"] = "w4a16"
    group_size: int = 16
    ignore_patterns: list[str] = field(default_factory=lambda: ["lm_head", "*mlp.gate"])
    activation_observer: str | None = None
    quantization_config_path: str | None = None


@dataclass(kw_only=True)
class EngineConfig:
    """What every engine has."""

    param_offload: bool = False
    grad_offload: bool = False
    optimizer_offload: bool = False
    forward_only: bool = False
    dtype: str = "bfloat16"
    use_remove_padding: bool = True
    seed: int = 42
    router_replay: EngineRouterReplayConfig = field(default_factory=EngineRouterReplayConfig)


@dataclass(kw_only=True)
class McoreEngineConfig(EngineConfig):
    """The Megatron-Core engine.

    Args:
        tensor_model_parallel_size: GPUs that share each weight matrix. Default 1.
        pipeline_model_parallel_size: Stages that the layers are divided into. Default 1.
        context_parallel_size: GPUs that share one sequence. Default 1.
        expert_model_parallel_size: Groups of GPUs that share the experts. Default 1.
        use_distributed_optimizer: Shard the optimizer state over the data-parallel ranks. Default True.
        dist_ckpt_optim_fully_reshardable: Gather the optimizer state, so that a resume may change every
            parallel size. Default False.
        distrib_optim_fully_reshardable_mem_efficient: Gather it over Gloo on one rank. Default False.
    """

    tensor_model_parallel_size: int = 1
    expert_model_parallel_size: int = 1
    expert_tensor_parallel_size: int | None = None
    pipeline_model_parallel_size: int = 1
    virtual_pipeline_model_parallel_size: int | None = None
    context_parallel_size: int = 1
    sequence_parallel: bool = True
    use_distributed_optimizer: bool = True
    use_dist_checkpointing: bool = False
    dist_checkpointing_path: str | None = None
    dynamic_context_parallel: bool = False
    max_seqlen_per_dp_cp_rank: int | None = None
    dist_checkpointing_prefix: str = ""
    dist_ckpt_optim_fully_reshardable: bool = False
    distrib_optim_fully_reshardable_mem_efficient: bool = False
    entropy_from_logits_with_chunking: bool = False
    entropy_from_logits_chunk_size: int = 2048
    override_ddp_config: dict[str, Any] = field(default_factory=dict)
    override_transformer_config: dict[str, Any] = field(
        default_factory=lambda: {
            "recompute_granularity": None,
            "recompute_modules": ["core_attn"],
            "recompute_method": None,
            "recompute_num_layers": None,
            "attention_backend": "flash",
        }
    )
    override_mcore_model_config: dict[str, Any] = field(default_factory=dict)
    use_mbridge: bool = True
    vanilla_mbridge: bool = False
    pad_bshd_to_minibatch_max: bool = True
    pad_to_length: bool = False
    pad_to_length_bucket: int = 512
    use_megatron_fsdp: bool = False
    qat: QATEngineConfig = field(default_factory=QATEngineConfig)
