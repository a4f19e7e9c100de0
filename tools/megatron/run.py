"""Runs Megatron-Core's own save and load on this machine's CPU, and writes what it took beside what the formula says.

    python tools/megatron/run.py                       everything (about half an hour on two cores)
    python tools/megatron/run.py --only experts        the cases whose name or layout has the word
    python tools/megatron/run.py --part resumed        the resume matrix alone

Writes ``measured.csv``, ``measured-summary.csv`` and ``resumed.csv`` into docs/explanation (``--out``), which the
explanation page shows; rows of cases and versions of Megatron-Core that were not run stay. Exit 0: all is as predicted;
1: something is not, told on stderr; 2: it did not run.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import compare
import launch
from cases import GATHERED, MEASURED, RESUMED, SHARDED, Case, Resume

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 900
RESUME_COLUMNS = ("Megatron-Core", "change", SHARDED, GATHERED)


def main() -> int:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(description="Measure Megatron-Core's checkpoint memory on the CPU.")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "explanation", help="folder of the CSV files")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this word in their name or layout")
    parser.add_argument("--part", choices=("all", "measured", "resumed"), default="all")
    options = parser.parse_args()
    faults: list[str] = []
    try:
        if options.part in ("all", "measured"):
            faults += measure(options.out / "measured.csv", options.only)
        if options.part in ("all", "resumed"):
            faults += resume(options.out / "resumed.csv", options.only)
    except launch.RunError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    for fault in faults:
        print(f"run.py: {fault}", file=sys.stderr)
    print(f"{len(faults)} beyond what is allowed")
    return 1 if faults else 0


def measure(out: Path, only: str) -> list[str]:
    """Measure the cases and write their rows. Returns what is not near enough."""
    rows: list[list[str]] = []
    faults: list[str] = []
    for case in MEASURED:
        label = f"{case.name}, {compare.save_format(case).value}, {compare.processes(case)}"
        if only not in label:
            continue
        begin = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="measure-") as folder:
                words = [folder, case.to_json()]
                reports = launch.ranks("measure.py", case.world, words, Path(folder), TIMEOUT_SECONDS)
        except launch.RunError as error:
            faults.append(f"{label}: {error}")
            continue
        found, wrong = compare.rows(case, reports)
        rows += found
        faults += [f"{label}: {fault}" for fault in wrong]
        print(f"{time.monotonic() - begin:5.0f} s  {label}{''.join(f'  !! {fault}' for fault in wrong)}", flush=True)
    if rows:
        names = [case.name for case in MEASURED]
        table = write(out, compare.COLUMNS, rows, 4, lambda row: names.index(row[1]) if row[1] in names else -1)
        shown = [dict(zip(compare.COLUMNS, row, strict=True)) for row in table]
        write(out.with_name("measured-summary.csv"), compare.SUMMARY_COLUMNS, list(compare.summaries(shown)), 2)
    return faults


def resume(out: Path, only: str) -> list[str]:
    """Try the resumes and write the matrix. Returns what is not as expected."""
    import importlib.metadata

    version = importlib.metadata.version("megatron-core")
    rows: list[list[str]] = []
    faults: list[str] = []
    for one in RESUMED:
        if only not in one.change:
            continue
        cells = [version, one.change]
        for sharding, expected in ((SHARDED, one.sharded), (GATHERED, one.gathered)):
            if expected is None:
                cells.append("not run")
                continue
            try:
                words, works, corrupt = tried(one, sharding)
            except launch.RunError as error:
                faults.append(f"{one.change}, {sharding}: {error}")
                words, works, corrupt = "did not run", not expected, False
            cells.append(words)
            if sharding in one.corrupts:
                if not corrupt:
                    faults.append(f"{one.change}, {sharding}: {words}, wrong values expected of this version")
            elif works is not expected:
                faults.append(f"{one.change}, {sharding}: {words}, expected that it {'works' if expected else 'fails'}")
        rows.append(cells)
        print("  ".join(cells), flush=True)
    if rows:
        changes = [one.change for one in RESUMED]
        write(out, RESUME_COLUMNS, rows, 2, lambda row: changes.index(row[1]) if row[1] in changes else -1)
    return faults


def tried(one: Resume, sharding: str) -> tuple[str, bool, bool]:
    """Save and load: what came of it in words, whether it works, and whether it loaded wrong values."""
    with tempfile.TemporaryDirectory(prefix="resume-") as folder:
        checkpoint = Path(folder) / "checkpoint"
        checkpoint.mkdir()
        saved = _phase("save", one.save.changed(sharding=sharding), checkpoint, Path(folder))
        errors = {report["error"] for report in saved if report["outcome"] == "error"}
        if errors:
            return f"save fails: {', '.join(sorted(errors))}", False, False
        loaded = _phase("load", one.load.changed(sharding=sharding), checkpoint, Path(folder))
    errors = {report["error"] for report in loaded if report["outcome"] == "error"}
    if errors:
        return f"fails: {', '.join(sorted(errors))}", False, False
    wrong, elements = (sum(report[name] for report in loaded) for name in ("wrong", "elements"))
    if wrong:
        return f"wrong values, no error: {wrong / elements:.0%}", False, True
    return "works", True, False


def _phase(phase: str, case: Case, checkpoint: Path, folder: Path) -> list[dict[str, Any]]:
    return launch.ranks("resume.py", case.world, [str(checkpoint), phase, case.to_json()], folder, TIMEOUT_SECONDS)


def write(
    out: Path,
    columns: Iterable[str],
    rows: list[list[str]],
    key: int,
    order: Callable[[list[str]], int] = lambda row: 0,
) -> list[list[str]]:
    """Write ``rows``, in place of those that have the same first ``key`` cells; others stay. Returns all rows.

    The newest version of Megatron-Core comes first, then the rows by ``order``, then as they were.
    """
    kept: list[list[str]] = []
    if out.exists():
        replaced = {tuple(row[:key]) for row in rows}
        with out.open(encoding="utf-8", newline="") as stream:
            kept = [row for row in list(csv.reader(stream))[1:] if row and tuple(row[:key]) not in replaced]
    everything = sorted(kept + rows, key=lambda row: ([-int(part) for part in row[0].split(".")], order(row)))
    new = out.with_suffix(".new")
    out.parent.mkdir(parents=True, exist_ok=True)
    with new.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(list(columns))
        writer.writerows(everything)
    new.replace(out)
    return everything


if __name__ == "__main__":
    sys.exit(main())
