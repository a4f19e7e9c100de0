"""What stands in for a GPU, and why. Everything else that the runs call is Megatron-Core's and torch's own code.

- *Device memory.* There is no device. What Megatron-Core asks for "on cuda" is put into shared memory, so that the
  kernel counts it apart: ``RssShmem`` of a process plays the device, ``RssAnon`` is host memory. For that the factory
  functions of torch, ``Tensor.cuda``, ``Tensor.cpu`` and ``Tensor.to`` are wrapped while memory is measured, and
  ``Tensor.type`` says ``torch.cuda.…`` because the gradient buffers look parameters up by that name.
- *NCCL.* The process groups are Gloo groups. NCCL's own flat receive buffer is therefore not measured.
- *Transformer Engine.* Its Adam keeps ``step`` in the parameter group, torch's in each parameter's state; the saved
  layout follows a flag of Megatron-Core that says which Adam there is. The runs have torch's Adam and the flag of
  Transformer Engine's, whose state the runs fill themselves.
- *CUDA's random generator*, streams and synchronisation: replaced by nothing; the runs initialise on the CPU.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

_ORIGINAL: dict[str, Callable[..., Any]] = {
    name: getattr(torch, name) for name in ("tensor", "ones", "full", "zeros", "empty", "empty_like")
}
_CPU, _TO, _TYPE = torch.Tensor.cpu, torch.Tensor.to, torch.Tensor.type


class _Device:
    """What ``torch.cuda.current_device`` returns while memory is measured."""


class _State:
    measuring = False


def zeros(shape: Any) -> torch.Tensor:
    """fp32 zeros on the host, whatever is stubbed."""
    tensor: torch.Tensor = _ORIGINAL["zeros"](shape, dtype=torch.float32)
    return tensor


def on_device(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of ``tensor`` in "device" memory."""
    copy: torch.Tensor = _ORIGINAL["empty"](tensor.shape, dtype=tensor.dtype)
    copy.share_memory_()
    copy.copy_(tensor)
    return copy


def is_on_device(tensor: torch.Tensor) -> bool:
    """Whether ``tensor`` lies in "device" memory."""
    return bool(tensor.is_shared())


@contextlib.contextmanager
def measuring() -> Iterator[None]:
    """Within, memory that is asked for on cuda is "device" memory, and copies between the two are real copies."""
    _State.measuring = True
    try:
        yield
    finally:
        _State.measuring = False


def _names_cuda(device: Any) -> bool:
    return isinstance(device, _Device) or (isinstance(device, str | torch.device) and str(device).startswith("cuda"))


def _factory(name: str) -> Callable[..., torch.Tensor]:
    def make(*args: Any, **options: Any) -> torch.Tensor:
        shared = _names_cuda(options.get("device"))
        if shared:
            options["device"] = "cpu"
        tensor: torch.Tensor = _ORIGINAL[name](*args, **options)
        if shared:
            tensor.share_memory_()
            if name == "zeros":
                tensor.zero_()  # the pages of shared memory count once they are written
        return tensor

    return make


def _cpu(self: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
    if is_on_device(self) and _State.measuring:
        return self.clone()
    return _CPU(self, *args, **options)


def _to(self: torch.Tensor, *args: Any, **options: Any) -> torch.Tensor:
    device = args[0] if args else None  # torch's optimizers name it by keyword, and mean no move
    if _State.measuring and isinstance(device, str | torch.device):
        if _names_cuda(device):
            return on_device(self)
        if str(device) == "cpu" and is_on_device(self):
            return self.clone()
    moved: torch.Tensor = _TO(self, *args, **options)
    return moved


def _type(self: torch.Tensor, *args: Any, **options: Any) -> Any:
    found = _TYPE(self, *args, **options)
    named = not args and not options and isinstance(found, str)
    return found.replace("torch.", "torch.cuda.") if named else found


class _Random:
    """Stands for the tracker of CUDA's random generators."""

    def fork(self, *args: Any, **options: Any) -> Any:
        return contextlib.nullcontext()

    def get_states(self) -> dict[str, Any]:
        return {}

    def is_initialized(self) -> bool:
        return True


def install() -> None:
    """Stub torch. Call it before Megatron-Core is imported."""
    for name in _ORIGINAL:
        setattr(torch, name, _factory(name))
    replaced: dict[str, Any] = {"cpu": _cpu, "to": _to, "type": _type, "cuda": lambda self, *a, **o: on_device(self)}
    for name, function in replaced.items():
        setattr(torch.Tensor, name, function)
    cuda: dict[str, Any] = {
        "current_device": lambda: _Device() if _State.measuring else torch.device("cpu"),
        "synchronize": lambda *args, **options: None,
        "empty_cache": lambda: None,
        "is_initialized": lambda: False,
        "memory_allocated": lambda *args: 0,
        "Stream": lambda *args, **options: None,
    }
    for name, function in cuda.items():
        setattr(torch.cuda, name, function)


def install_in_megatron() -> None:
    """Stub what needs Megatron-Core imported: the random tracker and the layout of Adam's state."""
    import megatron.core.optimizer.distrib_optimizer as distributed
    from megatron.core.tensor_parallel import random

    random._CUDA_RNG_STATE_TRACKER = _Random()
    random._CUDA_RNG_STATE_TRACKER_INITIALIZED = True
    distributed.HAVE_APEX_OR_TE = True
    plain = torch.optim.Optimizer.__setstate__
    torch.optim.Adam.__setstate__ = torch.optim.AdamW.__setstate__ = plain
