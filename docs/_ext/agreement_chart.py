"""The directive ``agreement-chart``: how far measurement and reports lie from the formula, drawn from their tables.

    .. agreement-chart:: measured.csv reports.csv

Files are relative to the page. A point is a row of the first table and one quantity; a bar is a row of the second, from
the smallest to the largest difference that its column ``difference`` names.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ckpt_defaults.memory.directive import MemoryChart
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata, OptionSpec

QUANTITIES = {"gather": ("o", "#d9541e"), "write": ("s", "#3b7dd8")}
"""Those of which there is more than noise to compare, with mark and colour."""
SMALLEST_MB = 50
_PERCENT = re.compile(r"([-+]?\d+(?:\.\d+)?) %")
_GIGABYTES = re.compile(r"(\d+(?:,\d{3})*) (GB|GiB)")


@dataclass(frozen=True)
class Agreement:
    """Points ``(quantity, predicted MB, difference in %)`` and reports ``(predicted MB, low %, high %)``."""

    points: tuple[tuple[str, float, float], ...]
    reports: tuple[tuple[float, float, float], ...]

    title = "Measured and reported memory beside the formula"

    @property
    def caption(self) -> str:
        """What is drawn how."""
        return (
            f"Marks: gather and write of {SMALLEST_MB} MB and more, measured on a CPU. Bars: the published reports "
            "below, each as long as what is known of it."
        )

    @property
    def description(self) -> str:
        """The ends of what is drawn."""
        far = max((abs(difference) for _, _, difference in self.points), default=0.0)
        low = min((low for _, low, _ in self.reports), default=0.0)
        high = max((high for _, _, high in self.reports), default=0.0)
        return (
            f"{len(self.points)} measured values lie within {far:.1f} % of the formula, nearer the larger they are; "
            f"{len(self.reports)} reports lie from {low:+.0f} % to {high:+.0f} % of it."
        )

    def figure(self, ink: str) -> Any:
        """Difference in percent over predicted memory on a logarithmic scale."""
        from matplotlib.figure import Figure
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

        figure = Figure(figsize=(5, 4), dpi=72)
        axes = figure.add_axes((0.13, 0.28, 0.82, 0.62))
        axes.axhline(0, color=ink, linewidth=1)
        for name, (mark, colour) in QUANTITIES.items():
            mine = [(x, y) for quantity, x, y in self.points if quantity == name]
            axes.plot(
                *zip(*mine, strict=True),
                linestyle="none",
                marker=mark,
                markersize=5,
                color=colour,
                markerfacecolor="none",
                label=f"{name}, measured",
            )
        middles = [(low + high) / 2 for _, low, high in self.reports]
        axes.errorbar(
            [x for x, _, _ in self.reports],
            middles,
            yerr=[middle - low for middle, (_, low, _) in zip(middles, self.reports, strict=True)],
            linestyle="none",
            capsize=4,
            linewidth=2,
            color=ink,
            label="reported",
        )
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator([10**power for power in range(2, 7)]))
        axes.xaxis.set_major_formatter(FuncFormatter(_size))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:+g} %" if value else "0 %"))
        axes.set_xlim(50, 1.5e6)
        axes.grid(True, color=ink, alpha=0.15, linewidth=0.8)
        axes.set_xlabel("predicted, on one process or host")
        axes.set_title("more or less than predicted", loc="left", x=-0.12, fontsize=11)
        figure.legend(
            loc="lower left", bbox_to_anchor=(0.02, 0.0), frameon=False, ncols=3, columnspacing=1, fontsize=11
        )
        return figure


def _size(megabytes: float, _position: object) -> str:
    for scale, unit in ((1_000_000, "TB"), (1000, "GB")):
        if megabytes >= scale:
            return f"{megabytes / scale:g} {unit}"
    return f"{megabytes:g} MB"


def read(measured: Path, reports: Path) -> Agreement:
    """The two tables as numbers.

    Left out: a gather on a rank that retains nothing, for which the prediction is a bound, and a report without a
    percentage in ``difference``.
    """
    points = []
    for row in _rows(measured):
        for name in QUANTITIES:
            predicted = float(row[f"{name} predicted"])
            bound = name == "gather" and not float(row["retained predicted"])
            if predicted >= SMALLEST_MB and not bound:
                points.append((name, predicted, (float(row[name]) / predicted - 1) * 100))
    bars = []
    for row in _rows(reports):
        percents = [float(number) for number in _PERCENT.findall(row["difference"])]
        figures = _GIGABYTES.findall(row["predicted"])
        if percents and figures:
            number, unit = figures[-1]
            predicted = float(number.replace(",", "")) * (1073.741824 if unit == "GiB" else 1000)
            bars.append((predicted, min(percents), max(percents)))
    return Agreement(tuple(points), tuple(bars))


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


class AgreementChart(SphinxDirective):
    """See the module."""

    required_arguments = 2
    option_spec: ClassVar[OptionSpec] = {"name": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """The chart's node; the page depends on both tables."""
        files = [Path(self.env.relfn2path(name)[1]) for name in self.arguments]
        for file in files:
            self.env.note_dependency(str(file))
        node = MemoryChart(data=read(*files), prefix=f"agreement-{self.env.new_serialno('agreement')}-")
        self.set_source_info(node)
        self.add_name(node)
        return [node]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Adds the directive."""
    app.add_directive("agreement-chart", AgreementChart)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
