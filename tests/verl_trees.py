"""The real config trees that tests compose: ours, a checkout of verl's beside the repository, and verl's wheel."""

from __future__ import annotations

import functools
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from conftest import ROOT, SHARED

PLACE = "verl/trainer/config"
OURS = ROOT / PLACE
WHEEL = "verl==0.9.1"

_kept: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def corpus_config() -> Path:
    """The config folder of the corpus's verl; skips where there is none."""
    folder = SHARED / "corpus/verl" / PLACE
    if not folder.is_dir():
        pytest.skip("no corpus beside the repository")
    return folder


def wheel_config() -> Path:
    """The config folder of verl's published wheel; skips where no package index gives it."""
    folder, reason = _download()
    if folder is None:
        pytest.skip(f"{WHEEL} cannot be downloaded: {reason}")
    return folder


def wheel_code() -> Path:
    """The folder that holds verl's published package, code and configs; skips as :func:`wheel_config`."""
    return wheel_config().parents[2]


TREES = {"ours": lambda: OURS, "corpus": corpus_config, "wheel": wheel_config}


@functools.lru_cache(maxsize=1)
def _download() -> tuple[Path | None, str]:
    _kept.append(tempfile.TemporaryDirectory())
    folder = Path(_kept[-1].name)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--retries", "1", "--timeout", "20"]
    got = subprocess.run([*command, "-d", str(folder), WHEEL], capture_output=True, text=True, check=False)
    wheels = list(folder.glob("*.whl"))
    if not wheels:
        return None, (got.stderr.strip() or "pip says nothing").splitlines()[-1]
    with zipfile.ZipFile(wheels[0]) as archive:
        wanted = [n for n in archive.namelist() if n.startswith("verl/") and n.endswith((".py", ".yaml"))]
        archive.extractall(folder, wanted)
    return folder / PLACE, ""
