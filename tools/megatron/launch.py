"""Starts the processes of a case on this machine and collects what they print."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

# glibc gives memory back as it is freed, and one thread computes, so that what is measured is what is in use.
_ENVIRONMENT = {
    "MALLOC_MMAP_THRESHOLD_": "1048576",
    "MALLOC_TRIM_THRESHOLD_": "1048576",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "CUDA_DEVICE_MAX_CONNECTIONS": "1",
    "MASTER_ADDR": "127.0.0.1",
    "GLOO_SOCKET_IFNAME": "lo",
    "PYTHONWARNINGS": "ignore",
}
_GRACE_SECONDS = 60


class RunError(Exception):
    """Processes that did not do what was asked: one line, and the end of what they printed."""


def ranks(script: str, world: int, words: list[str], folder: Path, timeout: int) -> list[dict[str, Any]]:
    """Run ``script RANK *words`` for each rank. Returns the JSON that each printed, in the order of ranks.

    A process that ends without JSON, or all of them not within ``timeout`` seconds, is a :class:`RunError`. When one
    ends in an error the others get a little time and are then stopped.
    """
    environment = {**os.environ, **_ENVIRONMENT, "MASTER_PORT": str(_free_port())}
    streams = [(folder / f"out-{rank}").open("w+") for rank in range(world)]
    errors = [(folder / f"err-{rank}").open("w+") for rank in range(world)]
    processes = [
        subprocess.Popen(
            [sys.executable, str(HERE / script), str(rank), *words],
            stdout=streams[rank],
            stderr=errors[rank],
            env=environment,
            cwd=folder,
        )
        for rank in range(world)
    ]
    try:
        _wait(processes, timeout)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.wait()
    found: list[dict[str, Any]] = []
    for rank in range(world):
        streams[rank].seek(0)
        lines = [line for line in streams[rank] if line.startswith("{")]
        if lines:
            found.append(json.loads(lines[-1]))
            continue
        errors[rank].seek(0)
        tail = errors[rank].read()[-2000:]
        raise RunError(f"{script}: rank {rank} of {world} printed no result:\n{tail}")
    for stream in (*streams, *errors):
        stream.close()
    return found


def _wait(processes: list[subprocess.Popen[bytes]], timeout: int) -> None:
    end = time.monotonic() + timeout
    first_end: float | None = None
    while any(process.poll() is None for process in processes):
        now = time.monotonic()
        if any(process.poll() is not None for process in processes) and first_end is None:
            first_end = now
        if now > end or (first_end is not None and now > first_end + _GRACE_SECONDS):
            return
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
