"""Makes the pictures in docs/_static: ``python docs/_ext/pictures.py``, to be run after a change of what they show.

``failing-build.svg`` is what a build of a copy of these pages really prints when one default is flipped, drawn as text.
``checkpoint-page.png`` is the table of that page in a browser; it is left as it is where no Chromium is installed.
"""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PICTURES = ROOT / "docs" / "_static"
FLIPPED = ("verl/trainer/config/engine/megatron.yaml", "dist_ckpt_optim_fully_reshardable")
WIDTH, MOST = 104, 12
"""Columns of the terminal, and how many findings are drawn."""
WIDE = 1000
"""Width of the picture of the page, in pixels; it is as high as what it shows."""
ALONE = """addEventListener('load', () => {
  const shown = document.querySelector('div.ckpt-defaults');
  const parts = [...shown.children];
  parts.slice(parts.findIndex(part => part.matches('.admonition')) + 1).forEach(part => part.remove());
  const page = document.createElement('div');
  page.className = 'rst-content';
  page.style.padding = '16px 24px';
  page.append(shown);
  document.body.replaceChildren(page);
  document.body.style.background = '#fcfcfc';
  document.body.dataset.height = Math.ceil(page.getBoundingClientRect().height);
})"""
"""Leaves the table and the warning of a page, for the picture."""
LINE, CHAR = 20, 8.43
"""Height of a line and width of a character, in pixels."""


def copy(folder: Path) -> None:
    """A copy of what a build of the pages needs."""
    for name in ("docs", "verl", "sphinx_ext", "CHANGELOG.md", "pyproject.toml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("_build", "__pycache__", ".*"))
        else:
            shutil.copy(source, folder / name)


def build(folder: Path) -> tuple[int, list[str]]:
    """The exit status of a build in ``folder``, and what it says of defaults."""
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-N", "-b", "html", "docs", "docs/_build/html"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "sphinx_ext")},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stderr.replace(f"{folder.resolve()}{os.sep}", "").splitlines()
    return done.returncode, [line for line in lines if "[ckpt_defaults.disagrees]" in line]


def flip(folder: Path) -> tuple[str, str]:
    """Turns a default of the copy round; the line before and after."""
    file, key = folder / FLIPPED[0], FLIPPED[1]
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    index = next(i for i, line in enumerate(lines) if line.startswith(f"{key}:"))
    before = lines[index].strip()
    words = ("False", "True") if "False" in before or "false" in before else ("True", "False")
    after = before.replace(words[0], words[1]).replace(words[0].lower(), words[1].lower())
    lines[index] = lines[index].replace(before, after)
    file.write_text("".join(lines), encoding="utf-8")
    return before, after


def drawn(lines: list[tuple[str, str]]) -> str:
    """An SVG of a terminal; each line has a class: ``cmd``, ``out``, ``err``, ``old`` or ``new``."""
    rows = []
    for kind, text in lines:
        parts = textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False) or [""]
        rows += [(kind, part) for part in parts]
    width, height = round(WIDTH * CHAR + 40), len(rows) * LINE + 40
    spans = "\n".join(
        f'<text class="{kind}" x="20" y="{34 + index * LINE}" xml:space="preserve">{html.escape(text)}</text>'
        for index, (kind, text) in enumerate(rows)
    )
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">
<title>A build of these pages that fails after a default was changed</title>
<style>text {{ font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d8dee9 }}
.cmd {{ fill: #ffffff; font-weight: 700 }} .err, .old {{ fill: #ffb3ab }} .new {{ fill: #b5e8a0 }}</style>
<rect width="100%" height="100%" rx="8" fill="#20262e"/>
{spans}
</svg>
"""


def failing_build(folder: Path) -> None:
    before, after = flip(folder)
    status, found = build(folder)
    if not found or not status:
        raise SystemExit("the build did not fail; nothing is drawn")
    lines = [("out", f"# {FLIPPED[0]}, changed:"), ("old", "-" + before), ("new", "+" + after), ("out", "")]
    lines.append(("cmd", "$ sphinx-build -q docs docs/_build/html"))
    lines += [("err", line) for line in found[:MOST]]
    if len(found) > MOST:
        lines.append(("out", f"... {len(found) - MOST} more"))
    lines += [("cmd", "$ echo $?"), ("out", str(status))]
    (PICTURES / "failing-build.svg").write_text(drawn(lines), encoding="utf-8")


def checkpoint_page(folder: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    status, found = build(folder)
    if status:
        raise SystemExit("\n".join(found) or "the build failed")
    if browser is None:
        print("no Chromium: checkpoint-page.png is left as it is")
        return
    page = folder.resolve() / "docs/_build/html/advance/checkpoint.html"
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{ALONE}</script></body>")
    page.write_text(text, encoding="utf-8")
    target = PICTURES / "checkpoint-page.png"
    start = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    written = subprocess.run(
        [*start, f"--window-size={WIDE},800", "--dump-dom", page.as_uri()], check=True, capture_output=True, text=True
    )
    height = re.search(r'data-height="(\d+)"', written.stdout)
    assert height is not None
    size = f"--window-size={WIDE},{height.group(1)}"
    subprocess.run([*start, size, f"--screenshot={target}", page.as_uri()], check=True, capture_output=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy(folder)
        checkpoint_page(folder)
        failing_build(folder)


if __name__ == "__main__":
    main()
