"""One process of a measured case: save and load the optimizer, and print what memory it took, as one line of JSON.

python measure.py RANK FOLDER CASE      (run.py starts it, once a rank)
"""

from __future__ import annotations

import ctypes
import gc
import importlib.metadata
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import model
import stubs
import torch
import torch.distributed as dist
import watch
from cases import Case

_WATCH = Path(watch.__file__)
_LIBC = ctypes.CDLL("libc.so.6")


class Phases:
    """Names what the process is doing for the process that watches it. Memory is (host, device), bytes."""

    def __init__(self, folder: Path, rank: int) -> None:
        self.link = folder / f"phase-{rank}"
        self.out = folder / f"peaks-{rank}.json"
        self.enter("start")
        words = [sys.executable, str(_WATCH), str(os.getpid()), str(self.link), str(self.out)]
        self.watcher = subprocess.Popen(words)
        time.sleep(0.5)

    def enter(self, name: str) -> tuple[int, int]:
        """A phase begins, here and on the other ranks. Returns the memory now."""
        if dist.is_initialized():
            dist.barrier()
        new = self.link.with_suffix(".new")
        new.symlink_to(name)
        new.replace(self.link)
        host, device = watch.status_kib(Path("/proc/self/status").read_text(encoding="ascii"))
        return host * 1024, device * 1024

    def peaks(self) -> dict[str, tuple[int, int]]:
        """End the watch. Returns the peak of each phase."""
        self.enter("end")
        self.watcher.wait()
        found = json.loads(self.out.read_text(encoding="ascii"))
        return {name: (host * 1024, device * 1024) for name, (host, device, _looks) in found.items()}


def main(rank: int, folder: Path, case: Case) -> None:
    """Save, load, compare, report."""
    model.start(rank, case)
    training = model.Training(case)
    training.set_step()
    fill(training, rank)
    training.model_state()  # once, so that what Python imports and remembers for it does not count
    tidy()
    phases = Phases(folder, rank)
    report: dict[str, Any] = {
        "rank": rank,
        "megatron_core": importlib.metadata.version("megatron-core"),
        "torch": torch.__version__,
        "buffers": list(buffers(training)),
    }
    checkpoint = folder / "checkpoint"
    with stubs.measuring():
        before_save = phases.enter("gather")
        state = training.optimizer_state(is_loading=False)
        retained = phases.enter("write")
        if rank == 0:
            checkpoint.mkdir()
        dist.barrier()
        training.write(state, str(checkpoint))
        phases.enter("between")
        del state
        tidy()
    wanted = [values.clone() for values in values_of(training)]
    with torch.no_grad():
        for values in values_of(training):
            values.zero_()
    tidy()
    with stubs.measuring():
        before_load = phases.enter("build")
        state = training.optimizer_state(is_loading=True)
        built = phases.enter("read")
        loaded = training.read(state, str(checkpoint))
        phases.enter("apply")
        training.optimizer.load_state_dict(loaded["optimizer"])
        del state, loaded
        phases.enter("compare")
    peaks = phases.peaks()
    report |= {
        "gather": peaks["gather"][0] - before_save[0],
        "retained": retained[0] - before_save[0],
        "write": peaks["write"][0] - before_save[0],
        "device": peaks["gather"][1] - before_save[1],
        "load_built": built[0] - before_load[0],
        "load": max(peaks[name][0] for name in ("build", "read", "apply")) - before_load[0],
        "elements": sum(values.numel() for values in wanted),
        "wrong": sum(int((a != b).sum()) for a, b in zip(values_of(training), wanted, strict=True)),
    }
    print(json.dumps(report), flush=True)
    model.stop()


def fill(training: model.Training, rank: int) -> None:
    """Give every main parameter and moment of this process random values, equal ones for what is replicated."""
    for order, share in enumerate(training.shares()):
        shared = getattr(share.parameter, "shared_embedding", False)  # on the first and on the last stage
        replicated = shared or not getattr(share.parameter, "tensor_model_parallel", False)
        number = 0 if shared else order + 1
        generator = torch.Generator().manual_seed(1000 * number + (share.start if replicated else rank))
        keep: Callable[[torch.Tensor], torch.Tensor] = torch.Tensor.detach if training.case.offload else stubs.on_device
        with torch.no_grad():
            share.main.copy_(torch.randn(share.main.shape, generator=generator))
        share.main.data = keep(share.main.data)
        share.optimizer.optimizer.state[share.main] = {
            name: keep(torch.randn(share.main.shape, generator=generator)) for name in ("exp_avg", "exp_avg_sq")
        }


def values_of(training: model.Training) -> Iterator[torch.Tensor]:
    """The main parameters and moments of this process."""
    for share in training.shares():
        state = share.optimizer.optimizer.state[share.main]
        yield from (share.main.detach(), state["exp_avg"], state["exp_avg_sq"])


def buffers(training: model.Training) -> Iterator[dict[str, Any]]:
    """The gradient buffers: which optimizer's, elements without padding, elements of the buckets, and the group."""
    for index, one in enumerate(training.optimizers):
        for buffer in one.buffers:
            yield {
                "expert": index > 0,
                "numel": buffer.numel_unpadded,
                "buckets": [bucket.grad_data.numel() for bucket in buffer.buckets],
                "largest_tensor": max(parameter.numel() for parameter in buffer.params),
                "group": buffer.data_parallel_group.size(),
                "group_rank": buffer.data_parallel_group.rank(),
            }


def tidy() -> None:
    """Give freed memory back, so that the next phase starts from what is in use."""
    gc.collect()
    _LIBC.malloc_trim(0)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    del sys.modules["__main__"].__file__  # the checkpoint writer spawns a process, which must not run this again
    main(int(arguments[0]), Path(arguments[1]), Case.from_json(arguments[2]))
