"""The cost of judging the copies in code: verl's published package, and made-up packages of more and more classes.

    python tools/bench_code.py [--unpacked DIR] [--most 1600]

``--unpacked`` is a folder with verl 0.9.1 in it; without one it is downloaded with pip. CPU seconds of this process,
the best of three. Reading and composing the configs is measured apart: every check of pages needs that as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "sphinx_ext"))

from ckpt_defaults.judging.code_statements import code_verdicts  # noqa: E402
from ckpt_defaults.roots import find_project  # noqa: E402

WHEEL = "verl==0.9.1"
CONFIG = "verl/trainer/config"
FIELDS = 20


def seconds(action: Callable[[], object], times: int = 3) -> float:
    """The CPU seconds of an action, the best of some runs."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        action()
        best = min(best, time.process_time() - start)
    return best


def unpack(folder: Path) -> Path:
    """Downloads verl's wheel and unpacks its code and configs; exits with one line where that fails."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder), WHEEL]
    if subprocess.run(command, check=False).returncode:
        sys.exit(f"{WHEEL} cannot be downloaded; name a folder with --unpacked")
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(folder, [n for n in archive.namelist() if n.endswith((".py", ".yaml"))])
    return folder


def measure_verl(folder: Path) -> None:
    """Prints the cost of the package's configs and classes, and what was found."""
    start = time.process_time()
    project = find_project([str(folder / CONFIG)])
    print(f"{WHEEL}: configs read and composed in {time.process_time() - start:.2f} s")
    code_verdicts(project, [str(folder)])  # the phrases of the languages are compiled once a process
    cost = seconds(lambda: code_verdicts(project, [str(folder)]))
    result = code_verdicts(project, [str(folder)])
    counts = Counter((v.statement.kind, v.verdict) for v in result.verdicts)
    print(f"{WHEEL}: {len(result.verdicts)} statements judged in {cost:.2f} s, {len(result.files)} files read")
    for (kind, verdict), count in sorted(counts.items()):
        print(f"  {kind:10} {verdict:10} {count:5}")


def measure_made_up(folder: Path, count: int) -> None:
    """Prints the cost of ``count`` classes, ten a module, each with a base in another module and its own section."""
    package = folder / f"made_up_{count}"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    base = "".join(f"    b{n}: int = {n}\n" for n in range(FIELDS // 2))
    header = "from dataclasses import dataclass\n"
    (package / "base.py").write_text(f"{header}\n@dataclass\nclass Base:\n{base}", encoding="utf-8")
    own = "".join(f"    f{n}: int = {n}\n" for n in range(FIELDS // 2))
    values = "".join(f"  b{n}: {n}\n  f{n}: {n + (n == 3)}\n" for n in range(FIELDS // 2))
    sections = []
    for module in range(-(-count // 10)):
        names = [f"C{n}" for n in range(module * 10, min(count, module * 10 + 10))]
        classes = "".join(f"\n@dataclass\nclass {name}(Base):\n{own}" for name in names)
        (package / f"m{module}.py").write_text(f"{header}from .base import Base\n{classes}", encoding="utf-8")
        sections += [f"s_{name}:\n  _target_: {package.name}.m{module}.{name}\n{values}" for name in names]
    config = folder / f"made_up_{count}.yaml"
    config.write_text("".join(sections), encoding="utf-8")
    project = find_project([str(config)])
    cost = seconds(lambda: code_verdicts(project, [str(folder)]))
    print(f"{count:5} classes: {cost:6.3f} s, {cost / count * 1000:5.2f} ms a class")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--unpacked", type=Path, help="a folder that holds verl 0.9.1, unpacked")
    parser.add_argument("--most", type=int, default=1600, help="the largest made-up package (%(default)s classes)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        measure_verl(given.unpacked or unpack(Path(place)))
        count = 100
        while count <= given.most:
            measure_made_up(Path(place), count)
            count *= 2


if __name__ == "__main__":
    main()
