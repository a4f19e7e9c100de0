"""Runs the checker over the corpus beside the repository, scores it, and holds the figures against their floor.

    python tools/corpus.py [--shared DIR] [--reports DIR] [--raise-floor]

For every project of DIR/corpus (default ../shared/corpus) the command ``ckpt-defaults check --all --format json`` is
run in the project's folder, on a copy; DIR/score.py scores the reports; the same is done over the drifted copy that
DIR/mutate.py makes. The figures are printed, written to docs/explanation/accuracy.csv, and compared with
tools/corpus_floor.json: a figure below its floor fails. ``--raise-floor`` writes better figures into that file; it
never lowers one.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FLOOR = ROOT / "tools" / "corpus_floor.json"
TABLE = ROOT / "docs" / "explanation" / "accuracy.csv"
RATIOS = ("drift", "stale", "seen", "caught")
FIRST = "verl"
"""The project whose pages are labelled throughout; the others are averaged."""

_ROWS = {"drift": "false", "stale": "unknown-key", "seen": "true", "caught": "false"}
_HITS = {"drift": "false hit", "stale": "unknown-key hit", "seen": "true seen", "caught": "false hit"}


def load(path: Path) -> ModuleType:
    """A script of the shared folder as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_checker(corpus: Path, reports: Path) -> None:
    """Writes REPORTS/<project>.json for each project of a corpus."""
    reports.mkdir(parents=True, exist_ok=True)
    path = os.pathsep.join([str(ROOT / "sphinx_ext"), os.environ.get("PYTHONPATH", "")])
    for project, places in json.loads((corpus / "projects.json").read_text(encoding="utf-8")).items():
        config = [word for place in places["configs"] for word in ("--config", place)]
        command = [sys.executable, "-m", "ckpt_defaults.cli", "check", *places["docs"], *config]
        done = subprocess.run(
            [*command, "--all", "--format", "json", "--no-cache"],
            cwd=corpus / project,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        if done.returncode not in (0, 1):
            raise SystemExit(f"{project}: {done.stderr.strip()}")
        (reports / f"{project}.json").write_text(done.stdout, encoding="utf-8")


def scored(score: ModuleType, corpus: Path, reports: Path) -> dict[str, Mapping[str, int]]:
    """The counts that score.py makes, by project."""
    rows = [json.loads(line) for line in (corpus / "key.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {}
    for project in json.loads((corpus / "projects.json").read_text(encoding="utf-8")):
        claims = json.loads((reports / f"{project}.json").read_text(encoding="utf-8"))["claims"]
        mine = [row for row in rows if row["project"] == project]
        found[project] = score.score_project(mine, claims, throughout=project == FIRST)[0]
    return found


def figures(plain: Mapping[str, Mapping[str, int]], drifted: Mapping[str, Mapping[str, int]]) -> dict[str, Any]:
    """The figures by project: ratios (``None`` where no row asks), and the number of false alarms."""
    table: dict[str, Any] = {}
    for project, counts in plain.items():
        row: dict[str, Any] = {}
        for name in RATIOS:
            n = drifted[project] if name == "caught" else counts
            of = n[_ROWS[name]]
            row[name] = round(n[_HITS[name]] / of, 4) if of else None
        row["alarms"] = counts["alarms"]
        row["statements"] = sum(counts[kind] for kind in ("true", "false", "unknown-key"))
        table[project] = row
    return table


def summed(table: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The figures of the first project, and the mean over the others."""
    others = [row for project, row in table.items() if project != FIRST]
    mean: dict[str, Any] = {}
    for name in RATIOS:
        known = [row[name] for row in others if row[name] is not None]
        mean[name] = round(sum(known) / len(known), 4)
    mean["alarms"] = max(row["alarms"] for row in others)
    return {FIRST: {name: table[FIRST][name] for name in (*RATIOS, "alarms")}, "others": mean}


def below(now: Mapping[str, Any], floor: Mapping[str, Any]) -> list[str]:
    """What fell under its floor (for alarms: rose above its ceiling)."""
    faults = []
    for group, limits in floor.items():
        for name, limit in limits.items():
            value = now[group][name]
            if value > limit if name == "alarms" else value < limit:
                faults.append(f"{group}: {name} is {value}, the floor is {limit}")
    return faults


def raised(now: Mapping[str, Any], floor: Mapping[str, Any]) -> dict[str, Any]:
    """The floor with each figure that got better."""
    best: dict[str, Any] = {}
    for group, values in now.items():
        old = floor.get(group, {})
        best[group] = {
            name: (min if name == "alarms" else max)(value, old.get(name, value)) for name, value in values.items()
        }
    return best


def shown(value: Any) -> str:
    """A figure for a table."""
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def write_table(table: Mapping[str, Any], totals: Mapping[str, Any]) -> None:
    """The figures as a CSV file for the documentation."""
    columns = (*RATIOS, "alarms")
    with TABLE.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["project", "statements", *columns])
        for project, row in table.items():
            writer.writerow([project.replace("__", "/"), row["statements"], *(shown(row[name]) for name in columns)])
        mean = totals["others"]
        writer.writerow(["mean without " + FIRST, "", *(shown(mean[n]) for n in RATIOS), f"at most {mean['alarms']}"])


def main() -> int:
    parser = argparse.ArgumentParser(description="Scores the checker on real documentation.")
    parser.add_argument(
        "--shared", type=Path, default=Path(os.environ.get("CKPT_DEFAULTS_SHARED", ROOT.parent / "shared"))
    )
    parser.add_argument("--reports", type=Path, help="keep the reports here")
    parser.add_argument("--raise-floor", action="store_true")
    args = parser.parse_args()
    if not (args.shared / "corpus" / "key.jsonl").is_file():
        print(f"skipped: no corpus in {args.shared.name}/ beside the repository")
        return 0
    score = load(args.shared / "score.py")
    with tempfile.TemporaryDirectory() as temporary:
        reports = args.reports or Path(temporary, "reports")
        drifted = Path(temporary, "drifted")
        subprocess.run([sys.executable, str(args.shared / "mutate.py"), str(drifted)], check=True)
        run_checker(args.shared / "corpus", reports / "plain")
        run_checker(drifted, reports / "drifted")
        table = figures(
            scored(score, args.shared / "corpus", reports / "plain"), scored(score, drifted, reports / "drifted")
        )
    totals = summed(table)
    for project, row in {**table, "mean of the others": totals["others"]}.items():
        print(f"{project:34}", "  ".join(f"{name} {shown(row[name]):>6}" for name in (*RATIOS, "alarms")))
    write_table(table, totals)
    floor = json.loads(FLOOR.read_text(encoding="utf-8")) if FLOOR.exists() else {}
    if args.raise_floor:
        FLOOR.write_text(json.dumps(raised(totals, floor), indent=1) + "\n", encoding="utf-8")
    faults = below(totals, floor)
    print("\n".join(faults) or "every figure is at its floor or better")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
