"""The chart of host memory over parameters, drawn by matplotlib (the ``plot`` extra) as SVG or PDF.

The same data give the same bytes: no date, no random ids, no style of the user's. The SVG takes the colour of text and
axes from the page it stands in; lines differ by colour, by dash and by marker. matplotlib is imported when drawing.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from html import escape
from typing import Any, Protocol

from .formula import Buffers, RankShare, SaveFormat, rank_memory

INK = "#123456"
"""Stands for the page's own text colour while drawing; replaced by ``currentColor`` in the SVG, by black in a PDF."""

# Each has a contrast of more than 3 to white and to the dark backgrounds of common themes (tests/test_chart.py).
COLOURS = {
    SaveFormat.DP_RESHARDABLE: "#2f8f5b",
    SaveFormat.FULLY_RESHARDABLE: "#d9541e",
    SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT: "#3b7dd8",
}
_DASHES: dict[SaveFormat, Any] = {
    SaveFormat.DP_RESHARDABLE: "-",
    SaveFormat.FULLY_RESHARDABLE: (0, (6, 2)),
    SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT: (0, (1.5, 1.5)),
}
_MARKERS = {
    SaveFormat.DP_RESHARDABLE: "o",
    SaveFormat.FULLY_RESHARDABLE: "^",
    SaveFormat.FULLY_RESHARDABLE_MEM_EFFICIENT: "s",
}
_TICKS = (0.25e9, 0.5e9, 1e9, 2e9, 4e9, 8e9, 16e9, 32e9, 64e9)


class Drawing(Protocol):
    """What can be drawn: its texts in the language of the page, and the figure itself."""

    @property
    def title(self) -> str:
        """What is shown, in a few words."""

    @property
    def caption(self) -> str:
        """What the marks and lines are."""

    @property
    def description(self) -> str:
        """What is to be seen, in words: for those who do not see it."""

    def figure(self, ink: str) -> Any:
        """A ``matplotlib.figure.Figure`` with text and axes in the colour ``ink``."""


@dataclass(frozen=True, slots=True)
class Point:
    """One model in one layout: parameters on a GPU, and bytes on the worst host at save in one format."""

    parameters: int
    host_bytes: int
    fmt: SaveFormat


@dataclass(frozen=True, slots=True)
class ChartData:
    """All that the chart shows. ``host_memory`` is in bytes; texts are in the language of the page.

    ``labels`` are the names of the lines, in the order of :class:`SaveFormat`, then of the line for loading.
    """

    ranks_per_host: int
    host_memory: int
    points: tuple[Point, ...]
    title: str
    caption: str
    description: str
    axis_parameters: str
    axis_memory: str
    host_label: str
    labels: tuple[str, str, str, str]

    def figure(self, ink: str) -> Any:
        """One line a format over parameters, and a line for the memory of the host."""
        return _figure(self, ink)


def has_matplotlib() -> bool:
    """Whether matplotlib can be imported."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def host_bytes(parameters: int, ranks: int, fmt: SaveFormat, *, load: bool = False) -> int:
    """Bytes on a host of ``ranks`` GPUs that hold ``parameters`` each: a dense model with TP 1, so DP is ``ranks``."""
    share = RankShare(Buffers(parameters, parameters, ranks))
    first = rank_memory(share, fmt)
    other = rank_memory(share, fmt, dense_rank_0=False)
    if load:
        return first.load + (ranks - 1) * other.load
    return first.save + (ranks - 1) * other.save


def limit_parameters(host_memory: int, ranks: int, fmt: SaveFormat, *, load: bool = False) -> int:
    """From how many parameters on a GPU on the line of ``fmt`` lies above ``host_memory`` (bytes)."""
    unit = 2**20
    return host_memory * unit // max(host_bytes(unit, ranks, fmt, load=load), 1)


def draw_svg(data: Drawing, prefix: str) -> str:
    """The chart as an ``<svg>`` element for an HTML page; all ids start with ``prefix``, which the page has once."""
    text = _drawn(data, "svg").decode("utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", text, count=1, flags=re.DOTALL
    )  # holds for the whole page
    text = re.sub(r"font-family: [^;\"]*(?:'[^']*'[^;\"]*)*", "font-family: inherit", text)
    text = text.replace(INK, "currentColor")
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{prefix}", text)
    view = re.search(r'viewBox="([^"]*)"', text)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="ckpt-chart" '
        f'viewBox="{view.group(1) if view else ""}" role="img" aria-labelledby="{prefix}title {prefix}desc" '
        f'style="display:block;width:100%;max-width:34rem;height:auto;stroke-linejoin:round;stroke-linecap:butt">\n'
        f'<title id="{prefix}title">{escape(data.title)}</title>\n'
        f'<desc id="{prefix}desc">{escape(data.description)}</desc>'
    )
    return re.sub(r"<svg[^>]*>", lambda _: head, text, count=1).rstrip() + "\n"


def draw_pdf(data: Drawing) -> bytes:
    """The chart as a PDF file, on white."""
    return _drawn(data, "pdf")


def _drawn(data: Drawing, kind: str) -> bytes:
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # not the user's style: the bytes must not depend on it
        ink = INK if kind == "svg" else "black"
        matplotlib.rcParams.update(
            {
                "svg.fonttype": "none",
                "svg.hashsalt": "ckpt-memory",
                "pdf.fonttype": 42,
                "font.size": 11,
                "text.color": ink,
                "axes.edgecolor": ink,
                "axes.labelcolor": ink,
                "xtick.color": ink,
                "ytick.color": ink,
                "axes.spines.top": False,
                "axes.spines.right": False,
                "axes.unicode_minus": False,
            }
        )
        figure = data.figure(ink)
        out = io.BytesIO()
        nothing = {
            "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
            "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
        }
        figure.savefig(out, format=kind, transparent=kind == "svg", metadata=nothing[kind])
        return out.getvalue()


def _figure(data: ChartData, ink: str) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    figure = Figure(figsize=(5, 5), dpi=72)
    axes = figure.add_axes((0.15, 0.35, 0.78, 0.57))
    low, high = _span(data)
    ends = (low, high)
    for fmt, label in zip(SaveFormat, data.labels, strict=False):
        colour = COLOURS[fmt]
        axes.plot(
            ends,
            [host_bytes(int(end), data.ranks_per_host, fmt) for end in ends],
            color=colour,
            linestyle=_DASHES[fmt],
            linewidth=2,
            label=label,
        )
        mine = [point for point in data.points if point.fmt is fmt]
        axes.plot(
            [point.parameters for point in mine],
            [point.host_bytes for point in mine],
            color=colour,
            linestyle="none",
            marker=_MARKERS[fmt],
            markersize=5,
            markerfacecolor="none",
        )
    gathered = SaveFormat.FULLY_RESHARDABLE
    loads = [host_bytes(int(end), data.ranks_per_host, gathered, load=True) for end in ends]
    axes.plot(ends, loads, color=ink, linestyle=(0, (4, 2, 1, 2)), linewidth=1, label=data.labels[3])
    axes.axhline(data.host_memory, color=ink, linewidth=1.5)
    axes.text(low * 1.06, data.host_memory * 1.12, data.host_label, fontsize=11)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(low, high)
    _limit_memory(axes, data)
    axes.xaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if low <= tick <= high]))
    axes.xaxis.set_major_formatter(FuncFormatter(_billions))
    axes.yaxis.set_major_formatter(FuncFormatter(_size))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(True, color=ink, alpha=0.15, linewidth=0.8)
    axes.set_xlabel(data.axis_parameters)
    axes.set_title(data.axis_memory, loc="left", x=-0.18, fontsize=11)
    figure.legend(
        loc="lower left",
        bbox_to_anchor=(0.02, 0.0),
        frameon=False,
        ncols=1,
        handlelength=3,
        labelspacing=0.35,
        fontsize=11,
    )
    return figure


def _limit_memory(axes: Any, data: ChartData) -> None:
    bottom, top = axes.get_ylim()
    axes.set_ylim(bottom, max(top, data.host_memory * 2))


def _span(data: ChartData) -> tuple[float, float]:
    """The parameters from which to which the chart goes: round, around the points and where the host is full."""
    counts = [point.parameters for point in data.points] or [10**9]
    counts.append(limit_parameters(data.host_memory, data.ranks_per_host, SaveFormat.FULLY_RESHARDABLE))
    low = max((tick for tick in _TICKS if tick <= min(counts)), default=_TICKS[0])
    high = min((tick for tick in _TICKS if tick >= max(counts)), default=_TICKS[-1])
    return (low, high) if low < high else (low / 2, high * 2)


def _billions(value: float, _position: object = None) -> str:
    return f"{value / 1e9:g} B"


def _size(value: float, _position: object = None) -> str:
    for scale, unit in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if value >= scale * 0.999:
            return f"{value / scale:g} {unit}"
    return f"{value:g} B"
