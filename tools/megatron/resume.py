"""One process of a resume: save in one layout, or load in another and compare every element; prints one line of JSON.

    python resume.py RANK FOLDER save|load CASE      (run.py starts it, once a rank)

Every element of the main parameters and moments gets a value made from its name in the checkpoint and its place in the
whole tensor, so that one that comes back at another place shows, whatever the layouts are.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import model  # before Megatron-Core: it stubs torch
import stubs
import torch
from cases import Case
from megatron.core import dist_checkpointing
from megatron.core.dist_checkpointing.dict_utils import nested_values
from megatron.core.dist_checkpointing.mapping import ShardedTensor, ShardedTensorFactory

STATES = ("param", "exp_avg", "exp_avg_sq")


def main(rank: int, checkpoint: str, phase: str, case: Case) -> None:
    """Save or load, and report."""
    model.start(rank, case)
    report: dict[str, Any] = {"rank": rank, "phase": phase}
    try:
        report |= save(case, checkpoint) if phase == "save" else load(case, checkpoint)
    except BaseException as error:  # the finding; torch's CheckpointException is no Exception
        report |= {"outcome": "error", "error": type(error).__name__, "message": " ".join(str(error).split())[:200]}
    print(json.dumps(report), flush=True)
    if report["outcome"] == "error":
        os._exit(0)  # the other ranks may not come to a barrier
    model.stop()


def save(case: Case, checkpoint: str) -> dict[str, Any]:
    """Fill the optimizer with values that tell their place, and save it."""
    training = prepared(case)
    wanted = places(training)
    with torch.no_grad():
        for share, name, tensor in each_state(training):
            tensor.copy_(wanted[share.parameter][name][share.start : share.end])
    with stubs.measuring():
        training.write(training.optimizer_state(is_loading=False), checkpoint)
    return {"outcome": "saved"}


def load(case: Case, checkpoint: str) -> dict[str, Any]:
    """Load into an optimizer of zeros, and count the elements that are not what their place says."""
    training = prepared(case)
    with stubs.measuring():
        training.metadata = dist_checkpointing.load_content_metadata(checkpoint)  # the format is the checkpoint's
        loaded = training.read(training.optimizer_state(is_loading=True), checkpoint)
        training.optimizer.load_state_dict(loaded["optimizer"])
    wanted = places(training)
    wrong = elements = 0
    for share, name, tensor in each_state(training):
        wrong += int((tensor != wanted[share.parameter][name][share.start : share.end]).sum())
        elements += tensor.numel()
    return {"outcome": "loaded", "wrong": wrong, "elements": elements}


def prepared(case: Case) -> model.Training:
    """A model whose main parameters and moments are zero."""
    training = model.Training(case)
    training.set_step()
    for share in training.shares():
        with torch.no_grad():
            share.main.zero_()
        size = share.end - share.start
        share.optimizer.optimizer.state[share.main] = {name: stubs.zeros(size) for name in STATES[1:]}
    return training


def each_state(training: model.Training) -> Iterator[tuple[model.Share, str, torch.Tensor]]:
    """The main parameter and the moments of every share, by name."""
    for share in training.shares():
        yield share, STATES[0], share.main
        for name in STATES[1:]:
            yield share, name, share.optimizer.optimizer.state[share.main][name]


def places(training: model.Training) -> dict[Any, dict[str, torch.Tensor]]:
    """For each parameter of this process and each state the values that its elements must have, flat."""
    found: dict[Any, dict[str, torch.Tensor]] = {}
    for entry in nested_values(training.model_state()):
        if not isinstance(entry, ShardedTensor | ShardedTensorFactory):
            continue
        if not isinstance(entry.data, torch.nn.Parameter):
            continue
        values = {}
        for name in STATES:
            data = stubs.zeros(entry.data.shape)
            if isinstance(entry, ShardedTensorFactory):  # the halves of a gated MLP are two tensors in a checkpoint
                parts = list(nested_values(replace(entry, data=data).build()))
            else:
                parts = [replace(entry, data=data, dtype=torch.float32)]
            for part in parts:
                if isinstance(part, ShardedTensor):
                    tell_place(part, name)
            values[name] = data.flatten()
        found[entry.data] = values
    return found


def tell_place(part: ShardedTensor, name: str) -> None:
    """Fill the part's data, a view, by the checkpoint's key and the place in the whole tensor."""
    leading = part.prepend_axis_num
    offset = list(part.global_offset)
    seed = zlib.crc32(f"{part.key}|{name}".encode()) % 1009
    values = torch.full(part.data.shape, float(seed + sum(37 * number for number in offset[:leading])))
    for axis in range(part.data.dim()):
        index = torch.arange(part.data.shape[axis], dtype=torch.float32) + offset[leading + axis]
        shape = [1] * part.data.dim()
        shape[axis] = -1
        values = values + (index * (3, 7, 11)[axis] % 1021).view(shape)
    part.data.copy_(values)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    del sys.modules["__main__"].__file__  # the checkpoint writer spawns a process, which must not run this again
    main(int(arguments[0]), str(Path(arguments[1])), arguments[2], Case.from_json(arguments[3]))
