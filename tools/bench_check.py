"""The cost of the check: the command beside Sphinx on the same pages, and what the extension adds to a build.

    python tools/bench_check.py [--pages 2000] [--shared DIR]

The pages are the corpus's (../shared/corpus/verl) copied until there are enough, each made different by a line of its
own; without the corpus, pages of one synthetic table. CPU seconds (user and system, children included) and the largest
resident memory, in one run, as ratios. Nothing is asserted: figures are for people.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INDEX = "Index\n=====\n\n.. toctree::\n   :glob:\n\n   pages/*\n"
PLAIN = 'extensions = ["myst_parser"]\nsuppress_warnings = ["myst", "ref", "toc"]\n'
CHECKED = (
    PLAIN + 'extensions.append("ckpt_defaults")\nckpt_defaults_config = ["{config}"]\nckpt_defaults_fail_on = "never"\n'
)


def cpu(command: list[str], folder: Path) -> tuple[float, float]:
    """CPU seconds and largest resident memory (MB) of a command; its output is thrown away."""
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), os.environ.get("PYTHONPATH", "")])
    with open(os.devnull, "w", encoding="utf-8") as sink:
        process = subprocess.Popen(
            command, cwd=folder, stdout=sink, stderr=sink, env={**os.environ, "PYTHONPATH": path}
        )
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


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
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        config = lay_out(folder, args.shared, args.pages)
        sphinx = [sys.executable, "-m", "sphinx", "-q", "-E", "-d", "trees"]
        check = [sys.executable, "-m", "ckpt_defaults.cli", "check", "docs", "--config", config]
        conf = folder / "docs" / "conf.py"

        conf.write_text(PLAIN, encoding="utf-8")
        dummy, _ = cpu([*sphinx, "-b", "dummy", "docs", "out"], folder)
        first, memory = cpu(check, folder)
        page = next((folder / "docs" / "pages").iterdir())
        page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
        second, _ = cpu(check, folder)
        print(f"{args.pages} pages, CPU seconds")
        print(f"  sphinx-build -b dummy            {dummy:8.1f}")
        print(f"  ckpt-defaults check, first       {first:8.1f}   {dummy / first:.1f} times as fast, {memory:.0f} MB")
        print(f"  ckpt-defaults check, one changed {second:8.1f}   {second / first:.3f} of the first")
        half = folder / "half"
        half.mkdir()
        for path in sorted((folder / "docs" / "pages").iterdir())[::2]:
            shutil.copy(path, half)
        _, less = cpu([*check[:4], "half", *check[5:], "--no-cache"], folder)
        print(f"  memory of half the pages         {less:8.0f} MB")
        plain, _ = cpu([*sphinx, "-b", "html", "docs", "out"], folder)
        conf.write_text(CHECKED.format(config=config), encoding="utf-8")
        checked, _ = cpu([*sphinx, "-b", "html", "docs", "out"], folder)
        print(f"  sphinx-build -b html             {plain:8.1f}")
        print(f"  the same with the extension      {checked:8.1f}   {100 * (checked / plain - 1):+.1f} %")


if __name__ == "__main__":
    main()
