"""The cost of the check: the command beside Sphinx on the same pages, and what the extension adds to a build.

    python tools/bench_check.py [--pages 2000] [--shared DIR]

The pages are the corpus's (../shared/corpus/verl) copied until there are enough, each made different by a line of its
own; without the corpus, pages of one synthetic table. CPU seconds (user and system, children included), seconds on the
clock and the largest resident memory of a process, in one run, as ratios. Nothing is asserted: figures are for people.

Beside it stands the floor: docutils and MyST parsing the same pages, and nothing else.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
INDEX = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   pages/*\n"
PLAIN = 'extensions = ["myst_parser"]\nsuppress_warnings = ["myst", "ref", "toc"]\n'
CHECKED = (
    PLAIN + 'extensions.append("ckpt_defaults")\nckpt_defaults_config = ["{config}"]\nckpt_defaults_fail_on = "never"\n'
)


class Cost(NamedTuple):
    """What a command took: CPU seconds, seconds on the clock, and the largest resident memory of a process (MB)."""

    cpu: float
    clock: float
    memory: float


def cost(command: list[str], folder: Path) -> Cost:
    """The cost of a command; its output is thrown away."""
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), os.environ.get("PYTHONPATH", "")])
    begin = time.monotonic()
    with open(os.devnull, "w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            command, cwd=folder, stdout=sink, stderr=sink, env={**os.environ, "PYTHONPATH": path}
        )
        _, _, usage = os.wait4(process.pid, 0)
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024)


def parse_only(folder: Path) -> None:
    """Parses the pages of a folder as docutils and MyST do by themselves: no transform, no check."""
    from docutils.frontend import get_default_settings
    from docutils.parsers.rst import Parser as Rst
    from docutils.utils import new_document
    from myst_parser.parsers.docutils_ import Parser as Myst

    parsers = {ending: make() for ending, make in ((".rst", Rst), (".md", Myst))}
    for path in sorted(folder.iterdir()):
        parser = parsers[path.suffix]
        settings = get_default_settings(parser)
        settings.report_level = settings.halt_level = 5
        parser.parse(path.read_text(encoding="utf-8"), new_document(str(path), settings))


def lay_out(folder: Path, shared: Path, count: int) -> str:
    """Writes ``count`` pages below ``folder``/docs/pages and the config; returns the config's path."""
    corpus = shared / "corpus" / "verl"
    pages = folder / "docs" / "pages"
    pages.mkdir(parents=True)
    (folder / "docs" / "index.rst").write_text(INDEX, encoding="utf-8")
    if corpus.is_dir():
        config = folder / "config"
        shutil.copytree(corpus / "verl" / "trainer" / "config", config)
        originals = sorted(p for p in (corpus / "docs").rglob("*") if p.suffix in (".rst", ".md"))
    else:
        config = folder / "config.yaml"
        config.write_text("".join(f"key_{i}: {i}\n" for i in range(200)), encoding="utf-8")
        rows = "".join(f"| `key_{i}` | `{i}` | what it does |\n" for i in range(40))
        (folder / "page.md").write_text(
            f"# Settings\n\n| Key | Default | Is |\n|---|---|---|\n{rows}", encoding="utf-8"
        )
        originals = [folder / "page.md"]
    for number in range(count):
        original = originals[number % len(originals)]
        text = original.read_text(encoding="utf-8")
        (pages / f"p{number:05}{original.suffix}").write_text(f"{text}\n\nPage {number}.\n", encoding="utf-8")
    return str(config)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures the cost of the check.")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--parse-only", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.parse_only:
        parse_only(args.parse_only)
        return
    with tempfile.TemporaryDirectory() as temporary:
        measure(Path(temporary), args.shared, args.pages)


def measure(folder: Path, shared: Path, count: int) -> None:
    """Prints the figures of ``count`` pages, laid out in ``folder``."""
    config = lay_out(folder, shared, count)
    pages = folder / "docs" / "pages"
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-E", "-d", "trees"]
    check = [sys.executable, "-m", "ckpt_defaults.cli", "check", "docs", "--config", config]
    conf = folder / "docs" / "conf.py"

    conf.write_text(PLAIN, encoding="utf-8")
    print(f"{count} pages; CPU seconds, seconds on the clock")
    parsing = cost([sys.executable, __file__, "--parse-only", str(pages)], folder)
    tell("parsing alone", parsing)
    dummy = cost([*sphinx, "-b", "dummy", "docs", "out"], folder)
    tell("sphinx-build -b dummy", dummy, f"parsing is {parsing.cpu / dummy.cpu:.2f} of it")
    alone = cost([*check, "--no-cache", "-j", "1"], folder)
    tell("ckpt-defaults check -j 1", alone, f"{dummy.cpu / alone.cpu:.1f} times as fast, {alone.memory:.0f} MB")
    first = cost(check, folder)
    tell(
        "ckpt-defaults check", first,
        f"{dummy.cpu / first.cpu:.1f} times as fast, on the clock {dummy.clock / first.clock:.1f} times",
    )  # fmt: skip
    page = next(pages.iterdir())
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    second = cost(check, folder)
    tell("ckpt-defaults check, one changed", second, f"{second.cpu / first.cpu:.3f} of the first")
    half = folder / "half"
    half.mkdir()
    for path in sorted(pages.iterdir())[::2]:
        shutil.copy(path, half)
    less = cost([*check[:4], "half", *check[5:], "--no-cache", "-j", "1"], folder)
    tell("ckpt-defaults check -j 1, half of it", less, f"{less.memory:.0f} MB")
    plain = cost([*sphinx, "-b", "html", "docs", "out"], folder)
    tell("sphinx-build -b html", plain)
    conf.write_text(CHECKED.format(config=config), encoding="utf-8")
    checked = cost([*sphinx, "-b", "html", "docs", "out"], folder)
    tell("the same with the extension", checked, f"{100 * (checked.cpu / plain.cpu - 1):+.1f} %")


def tell(name: str, took: Cost, more: str = "") -> None:
    """Prints one line of the table."""
    print(f"  {name:36} {took.cpu:8.1f} {took.clock:8.1f}   {more}", flush=True)


if __name__ == "__main__":
    main()
