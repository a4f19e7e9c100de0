"""The tables of the explanation page: measured values are near the predicted ones, and those are today's formula's."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from ckpt_defaults.memory import report as memory_report
from ckpt_defaults.memory.formula import Buffers, RankShare, SaveFormat, rank_memory
from conftest import ROOT

TABLES = ROOT / "docs" / "explanation"
TOOLS = ROOT / "tools" / "megatron"


def table(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The comparison of the runner (it needs no torch)."""
    monkeypatch.syspath_prepend(str(TOOLS))
    import compare

    yield compare
    for name in ("compare", "cases"):
        sys.modules.pop(name, None)


def test_every_case_is_measured_and_shown_with_todays_prediction(compare: ModuleType) -> None:
    cases = sys.modules["cases"]
    rows = table("measured.csv")
    versions = {row["Megatron-Core"] for row in rows}
    assert versions
    for case in cases.MEASURED:
        if case.bucket:  # where a bucket ends is known from the run alone
            continue
        layout, shares = compare.layout_of(case), compare.shares_of(case)
        places = dict.fromkeys(compare.alike(case, layout.place(rank)) for rank in range(case.world))
        for version in versions:
            mine = [
                row
                for row in rows
                if (row["Megatron-Core"], row["model"], row["processes"], row["format"])
                == (version, case.name, compare.processes(case), compare.save_format(case).value)
            ]
            assert len(mine) == len(places), (case, mine)
            for row in mine:
                place = layout.place(int(row["ranks"].split()[0]))
                predicted = compare.prediction(case, shares[place[0]], place)
                for name in compare.QUANTITIES:
                    assert float(row[f"{name} predicted"]) == pytest.approx(predicted[name], abs=0.051)
                assert float(row["load bound"]) == pytest.approx(predicted["load"], abs=0.051)


def test_measured_values_are_near_and_come_back_bit_by_bit(compare: ModuleType) -> None:
    for row in table("measured.csv"):
        for name in compare.QUANTITIES:
            part, noise = compare.ALLOWED[name]
            predicted = float(row[f"{name} predicted"])
            difference = compare.off(name, float(row[name]), predicted, float(row["retained predicted"]))
            assert abs(difference) <= max(part * predicted, noise) + 0.1, (name, row)
        assert float(row["load"]) <= float(row["load bound"]) * 1.01 + 6, row
        assert int(row["elements"]) > 0
        assert row["wrong"] == "0"


def test_the_summary_is_that_of_the_table(compare: ModuleType) -> None:
    expected = [
        dict(zip(compare.SUMMARY_COLUMNS, row, strict=True)) for row in compare.summaries(table("measured.csv"))
    ]
    assert table("measured-summary.csv") == expected


def test_the_resume_matrix_is_whole_and_as_expected(compare: ModuleType) -> None:
    cases = sys.modules["cases"]
    rows = table("resumed.csv")
    for version in {row["Megatron-Core"] for row in rows}:
        mine = {row["change"]: row for row in rows if row["Megatron-Core"] == version}
        assert list(mine) == [one.change for one in cases.RESUMED]
        for one in cases.RESUMED:
            for sharding, works in ((cases.SHARDED, one.sharded), (cases.GATHERED, one.gathered)):
                told = mine[one.change][sharding]
                if works is None:
                    assert told == "not run"
                elif sharding in one.corrupts:
                    assert told.startswith("wrong values, no error")
                else:
                    assert (told == "works") is works, (one.change, told)


# The published reports whose prediction follows from a layout: options, and GB or GiB that the table names.
REPORTED = [
    ("miles", "--model glm-4.7-flash --tp 2 --pp 2 --cp 2 --ep 4 --etp 1", 2**30, 123),
    ("vime", "--model qwen3-30b-a3b --tp 4 --ep 8 --etp 1", 10**9, 135),
]


@pytest.mark.parametrize(("report", "options", "unit", "figure"), REPORTED)
def test_the_predictions_beside_reports_are_todays(
    report: str, options: str, unit: int, figure: int, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    memory_report.add_arguments(parser)
    memory_report.run(parser.parse_args([*options.split(), "--format", "json"]))
    gathered = json.loads(capsys.readouterr().out)["formats"][1]
    assert round(gathered["rank_0"]["save_peak"] / unit) == figure
    row = next(row for row in table("reports.csv") if report in row["report"])
    assert f"{figure} " in row["predicted"]


def test_a_report_with_the_parameters_of_a_gpu() -> None:
    memory = rank_memory(RankShare(Buffers(5_280_000_000, 5_280_000_000, 4)), SaveFormat.FULLY_RESHARDABLE)
    assert round(memory.save / 1e9) == 143
    assert any("143 GB" in row["predicted"] for row in table("reports.csv"))
