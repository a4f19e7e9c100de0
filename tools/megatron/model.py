"""A small model of Megatron-Core with its distributed optimizer, as one process of a case has it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import stubs
import torch
import torch.distributed as dist
from cases import GATHERED, Case

stubs.install()

from megatron.core import dist_checkpointing, parallel_state  # noqa: E402
from megatron.core.dist_checkpointing.strategies.fully_parallel import (  # noqa: E402
    FullyParallelLoadStrategyWrapper,
    FullyParallelSaveStrategyWrapper,
)
from megatron.core.dist_checkpointing.strategies.torch import (  # noqa: E402
    TorchDistLoadShardedStrategy,
    TorchDistSaveShardedStrategy,
)
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig  # noqa: E402
from megatron.core.models.gpt import GPTModel  # noqa: E402
from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec  # noqa: E402
from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer  # noqa: E402
from megatron.core.optimizer.distrib_optimizer import DistributedOptimizer  # noqa: E402
from megatron.core.transformer.module import Float16Module  # noqa: E402
from megatron.core.transformer.transformer_config import TransformerConfig  # noqa: E402

stubs.install_in_megatron()


@dataclass(frozen=True)
class Share:
    """One main parameter of this process: its model parameter, its optimizer, and which elements of it are here."""

    optimizer: Any
    parameter: Any
    main: torch.Tensor
    start: int
    end: int


class Training:
    """The model chunks and the optimizer of this process, and how verl saves and loads them."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.chunks = _chunks(case)
        self.optimizer = get_megatron_optimizer(
            OptimizerConfig(
                optimizer="adam", lr=1e-4, bf16=True, params_dtype=torch.bfloat16, use_distributed_optimizer=True
            ),
            self.chunks,
        )
        self.group = parallel_state.get_data_parallel_group(with_context_parallel=True)
        self.metadata: dict[str, Any] = {
            "distrib_optim_sharding_type": case.sharding,
            "singleton_local_shards": False,
            "chained_optim_avoid_prefix": True,
        }
        if case.sharding == GATHERED:
            self.metadata["distrib_optim_fully_reshardable_mem_efficient"] = case.lean

    @property
    def optimizers(self) -> list[Any]:
        """The distributed optimizers: the dense one, then the expert one where there is one."""
        chained = getattr(self.optimizer, "chained_optimizers", [self.optimizer])
        return [one for one in chained if isinstance(one, DistributedOptimizer)]

    def shares(self) -> Iterator[Share]:
        """Every main parameter of this process."""
        for one in self.optimizers:
            for by_type in one.gbuf_ranges:
                for buckets in by_type.values():
                    for bucket in buckets:
                        for parameter, ranges in bucket["param_map"].items():
                            group, order = one.model_param_group_index_map[parameter]
                            main = one.optimizer.param_groups[group]["params"][order]
                            yield Share(one, parameter, main, ranges["param"].start, ranges["param"].end)

    def set_step(self) -> None:
        """Training has begun: Adam's step, which the state dict holds."""
        for one in self.optimizers:
            for group in one.optimizer.param_groups:
                group["step"] = 3

    def model_state(self) -> dict[str, Any]:
        """The model's sharded state dict, by which the optimizer's is laid out."""
        metadata = {**self.metadata, "dp_cp_group": self.group}
        if len(self.chunks) == 1:
            return {"model": self.chunks[0].module.sharded_state_dict(metadata=metadata)}
        return {
            f"model{index}": chunk.module.sharded_state_dict(metadata=metadata)
            for index, chunk in enumerate(self.chunks)
        }

    def optimizer_state(self, *, is_loading: bool) -> dict[str, Any]:
        """The optimizer's sharded state dict: here the gathered formats gather."""
        state = self.optimizer.sharded_state_dict(
            self.model_state(), is_loading=is_loading, metadata=dict(self.metadata)
        )
        return {"optimizer": state}

    def write(self, state: dict[str, Any], folder: str) -> None:
        """Write ``state`` as verl does, every process its part."""
        strategy = FullyParallelSaveStrategyWrapper(TorchDistSaveShardedStrategy("torch_dist", 1), self.group)
        dist_checkpointing.save(
            state,
            folder,
            sharded_strategy=strategy,
            content_metadata=dict(self.metadata),
            validate_access_integrity=True,
        )

    def read(self, state: dict[str, Any], folder: str) -> dict[str, Any]:
        """Read what ``state`` describes, as verl does."""
        strategy = FullyParallelLoadStrategyWrapper(TorchDistLoadShardedStrategy(), self.group)
        loaded: dict[str, Any] = dist_checkpointing.load(state, folder, sharded_strategy=strategy)
        return loaded


def start(rank: int, case: Case) -> None:
    """Join the process group of a case."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=case.world)
    parallel_state.initialize_model_parallel(
        case.tp,
        case.pp,
        virtual_pipeline_model_parallel_size=case.vpp if case.vpp > 1 else None,
        context_parallel_size=case.cp,
        expert_model_parallel_size=case.ep,
        expert_tensor_parallel_size=1,
    )


def stop() -> None:
    """Leave, with the processes that the writer of checkpoints started."""
    import multiprocessing
    import sys

    dist.barrier()
    for child in multiprocessing.active_children():
        child.terminate()
        child.join()
    sys.stdout.flush()
    os._exit(0)


def _config(case: Case) -> TransformerConfig:
    options: dict[str, Any] = {
        "num_layers": case.layers,
        "hidden_size": case.hidden,
        "num_attention_heads": case.heads,
        "ffn_hidden_size": case.ffn,
        "gated_linear_unit": True,
        "activation_func": torch.nn.functional.silu,
        "add_bias_linear": False,
        "normalization": "RMSNorm",
        "use_cpu_initialization": True,
        "bf16": True,
        "params_dtype": torch.bfloat16,
        "pipeline_dtype": torch.bfloat16,
        "tensor_model_parallel_size": case.tp,
        "pipeline_model_parallel_size": case.pp,
        "virtual_pipeline_model_parallel_size": case.vpp if case.vpp > 1 else None,
        "sequence_parallel": case.tp > 1 and case.experts > 0,
        "bias_activation_fusion": False,
        "bias_dropout_fusion": False,
        "masked_softmax_fusion": False,
        "gradient_accumulation_fusion": False,
    }
    if case.experts:
        options |= {
            "num_moe_experts": case.experts,
            "moe_ffn_hidden_size": case.expert_ffn,
            "moe_shared_expert_intermediate_size": case.shared_ffn or None,
            "moe_router_topk": 2,
            "expert_model_parallel_size": case.ep,
            "expert_tensor_parallel_size": 1,
            "moe_grouped_gemm": False,
            "moe_token_dispatcher_type": "alltoall",
            "moe_router_load_balancing_type": "none",
        }
    return TransformerConfig(**options, num_query_groups=case.kv_groups)


def _chunks(case: Case) -> list[Any]:
    config = _config(case)
    spec = get_gpt_layer_local_spec(
        num_experts=case.experts or None,
        moe_grouped_gemm=False,
        normalization="RMSNorm",
    )
    buffers = DistributedDataParallelConfig(
        use_distributed_optimizer=True,
        grad_reduce_in_fp32=True,
        overlap_grad_reduce=case.bucket > 0,
        bucket_size=case.bucket or None,
        pad_buckets_for_high_nccl_busbw=case.high_bandwidth,
    )
    chunks = []
    for chunk in range(case.vpp):
        stage = {"vp_stage": chunk} if case.vpp > 1 else {}
        ignore = {"ignore_virtual": False, "vp_stage": chunk} if case.vpp > 1 else {}
        torch.manual_seed(1)
        model = GPTModel(
            config=config,
            transformer_layer_spec=spec,
            vocab_size=case.vocabulary,
            max_sequence_length=128,
            pre_process=parallel_state.is_pipeline_first_stage(**ignore),
            post_process=parallel_state.is_pipeline_last_stage(**ignore),
            share_embeddings_and_output_weights=case.tied,
            position_embedding_type="rope",
            **stage,
        )
        chunks.append(DistributedDataParallel(config, buffers, Float16Module(config, model)))
    return chunks
