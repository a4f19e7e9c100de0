"""The cost of ``ckpt-defaults`` on a page beside the same table written by hand, and of reading a config.

    python tools/bench_page.py [--most 1000]

A page with 1, 100 and 1,000 directives (all on one page) is built with the dummy builder, and the same page with what
the directive renders written by hand: a list-table, a warning and lists, with the same literals and references; a page
without either is subtracted. Configs of 100,
1,000 and 100,000 keys are read by ``settings.load``. CPU seconds in one run. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import os
import pickle
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from docutils import nodes

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "sphinx_ext"))
CONFIG = ROOT / "verl" / "trainer" / "config" / "engine" / "megatron.yaml"
CONF = f"extensions = ['ckpt_defaults']\nckpt_defaults_config = [{str(CONFIG)!r}]\n"
HEAD = "Page\n====\n\n"


def hand_written(folder: Path) -> str:
    """What the directive renders as somebody would write it, node by node."""
    build(folder, ".. ckpt-defaults::\n")
    with (folder / "out" / ".doctrees" / "index.doctree").open("rb") as stream:
        document = pickle.load(stream)
    rendered = next(node for node in document.findall(nodes.container) if "ckpt-defaults" in node["classes"])
    return "\n".join(lines_of(rendered)) + "\n"


def lines_of(node: nodes.Element) -> Iterator[str]:
    """The lines of reStructuredText for what stands in a block."""
    for child in node.children:
        if isinstance(child, nodes.table):
            yield from [".. list-table:: Formats", "   :header-rows: 1", ""]
            for row in child.findall(nodes.row):
                for number, entry in enumerate(row.children):
                    yield from indented(lines_of(entry), f"   {' ' if number else '*'} - ")
        elif isinstance(child, nodes.list_item):
            yield from indented(lines_of(child), "* " if isinstance(node, nodes.bullet_list) else "#. ")
        elif isinstance(child, (nodes.warning, nodes.rubric)):
            title = inline(child) if isinstance(child, nodes.rubric) else ""
            yield from [f".. {type(child).__name__}:: {title}", ""]
            yield from indented(() if title else lines_of(child), "   ")
        elif isinstance(child, nodes.paragraph):
            yield from [inline(child), ""]
        elif isinstance(child, nodes.Element):
            yield from lines_of(child)


def indented(lines: Iterable[str], first: str) -> Iterator[str]:
    """Lines of which the first begins with ``first`` and the others stand below its text."""
    for number, line in enumerate(lines):
        yield ((" " * len(first) if number else first) + line).rstrip()


def inline(node: nodes.Node) -> str:
    """The text of a paragraph with its markup."""
    if isinstance(node, nodes.Text):
        return re.sub(r"([*`|_\\])", r"\\\1", node.astext())
    if isinstance(node, nodes.literal):
        return f"``{node.astext()}``"
    text = "\\ ".join(filter(None, map(inline, node.children)))
    if isinstance(node, nodes.strong):
        return f"**{text}**"
    return f"`{text} <https://example.org/>`__" if isinstance(node, nodes.reference) else text


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
