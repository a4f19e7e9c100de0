"""All benchmarks of the project, one after the other: ``nox -s bench``; names of some of them run only those."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent


def main() -> int:
    """Runs ``bench_*.py`` beside this file; returns the first exit status that is not 0."""
    wanted = sys.argv[1:]
    status = 0
    for script in sorted(TOOLS.glob("bench_*.py")):
        if wanted and script.stem.removeprefix("bench_") not in wanted:
            continue
        print(f"== {script.stem.removeprefix('bench_')}", flush=True)
        status = subprocess.run([sys.executable, str(script)], check=False).returncode or status
    return status


if __name__ == "__main__":
    sys.exit(main())
