"""A process that watches another one's memory: the peak in each of its phases, about a thousand looks a second.

    python watch.py PID PHASE OUT

PHASE is a symbolic link whose target is the name of the phase (replaced in one step); the phase "end" ends the watch.
OUT gets ``{phase: [RssAnon, RssShmem, looks]}`` as JSON, in KiB. A process of its own: a thread would wait for the very
copies that make the peak.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time


def status_kib(text: str) -> tuple[int, int]:
    """RssAnon and RssShmem of a ``/proc/PID/status``, KiB."""
    anonymous, shared = (int(text.split(f"{key}:", 1)[1].split(None, 1)[0]) for key in ("RssAnon", "RssShmem"))
    return anonymous, shared


def main(pid: int, phase: str, out: str) -> None:
    """Watch until the phase is "end" or the process is gone."""
    with contextlib.suppress(PermissionError):
        os.nice(-10)  # a busy machine would let it miss a short peak
    peaks: dict[str, list[int]] = {}
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        while True:
            try:
                status.seek(0)
                text = status.read()
                name = os.readlink(phase)
            except (FileNotFoundError, ProcessLookupError):
                break
            if name == "end" or "RssAnon:" not in text:
                break
            anonymous, shared = status_kib(text)
            peak = peaks.setdefault(name, [0, 0, 0])
            peak[0] = max(peak[0], anonymous)
            peak[1] = max(peak[1], shared)
            peak[2] += 1
            time.sleep(0.0005)
    with open(out, "w", encoding="ascii") as stream:
        json.dump(peaks, stream)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
