"""The cost of ``ckpt-defaults`` on a page beside the same table written by hand, and of reading a config.

    python tools/bench_page.py [--most 1000]

A page with 1, 100 and 1,000 directives (all on one page) is built with the dummy builder, and the same page with the
table that the directive renders as a hand-written list-table; a page without either is subtracted. Configs of 100,
1,000 and 100,000 keys are read by ``settings.load``. CPU seconds in one run. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "sphinx_ext"))
CONFIG = ROOT / "verl" / "trainer" / "config" / "engine" / "megatron.yaml"
CONF = f"extensions = ['ckpt_defaults']\nckpt_defaults_config = [{str(CONFIG)!r}]\n"
HEAD = "Page\n====\n\n"
CELLS = 6
ROWS = 3


def hand_written(folder: Path) -> str:
    """A list-table and a warning that hold the words of the rendered ones, in as many cells."""
    build(folder, ".. ckpt-defaults::\n", "text")
    words = re.sub(r"[*`|_\\:-]+", " ", (folder / "out" / "index.txt").read_text(encoding="utf-8")).split()
    size = -(-len(words) // (CELLS * (ROWS + 1) + 3))
    cells = [" ".join(words[at : at + size]) for at in range(0, len(words), size)]
    table, rest = cells[: CELLS * (ROWS + 1)], cells[CELLS * (ROWS + 1) :]
    lines = [f"   {' ' if number % CELLS else '*'} - {cell}" for number, cell in enumerate(table)]
    warning = ".. warning::\n\n   " + " ".join(rest) + "\n\n"
    return ".. list-table:: Formats\n   :header-rows: 1\n\n" + "\n".join(lines) + "\n\n" + warning


def build(folder: Path, body: str, builder: str = "dummy") -> float:
    """CPU seconds of a fresh build of one page, in a process of its own."""
    (folder / "conf.py").write_text(CONF, encoding="utf-8")
    (folder / "index.rst").write_text(HEAD + body, encoding="utf-8")
    pid = os.fork()
    if pid == 0:
        from sphinx.cmd.build import build_main

        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os._exit(build_main(["-q", "-E", "-b", builder, str(folder), str(folder / "out")]))
    _, _, usage = os.wait4(pid, 0)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the cost of the directive and of a config.")
    parser.add_argument("--most", type=int, default=1000, help="the largest number of directives on a page")
    args = parser.parse_args()
    import sphinx.cmd.build  # noqa: F401  (imported before the fork, so that it is not measured)

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        table = hand_written(folder)
        empty = build(folder, "Nothing.\n")
        print(f"{'directives':>10} {'ours, s':>9} {'by hand, s':>11} {'ratio':>6} {'ms each':>8}")
        for count in (n for n in (1, 100, 1000) if n <= args.most):
            ours = build(folder, ".. ckpt-defaults::\n\n" * count) - empty
            hand = build(folder, table * count) - empty
            print(f"{count:10} {ours:9.2f} {hand:11.2f} {ours / hand:6.2f} {1000 * ours / count:8.1f}")
        from ckpt_defaults.settings import load

        print(f"{'keys':>10} {'load, s':>9} {'µs a key':>11}")
        for keys in (100, 1000, 100_000):
            file = folder / "config.yaml"
            groups = [
                f"group_{i}:\n" + "".join(f"  # what it is\n  key_{i}_{j}: {j}\n" for j in range(25))
                for i in range(keys // 25)
            ]
            file.write_text("".join(groups), encoding="utf-8")
            begin = time.process_time()
            load(str(file))
            took = time.process_time() - begin
            print(f"{keys:10} {took:9.3f} {1e6 * took / keys:11.1f}")


if __name__ == "__main__":
    main()
