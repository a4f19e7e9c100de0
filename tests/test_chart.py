"""The chart: the same bytes for the same data, sound SVG, colours that show on light and dark."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from ckpt_defaults.memory.chart import COLOURS, ChartData, Point, draw_pdf, draw_svg, host_bytes, limit_parameters
from ckpt_defaults.memory.formula import SaveFormat

pytest.importorskip("matplotlib")

DPR, FR, LEAN = SaveFormat
SVG = "{http://www.w3.org/2000/svg}"


def data(*points: Point, title: str = "Host memory <of> a save") -> ChartData:
    return ChartData(
        ranks_per_host=8,
        host_memory=2 * 10**12,
        points=points,
        title=title,
        caption="Lines and marks.",
        description="From 8.3 B on & so on",
        axis_parameters="parameters on a GPU",
        axis_memory="memory",
        host_label="a host's memory: 2 TB",
        labels=("dp", "fully", "lean", "load"),
    )


SOME = data(Point(5 * 10**9, 10**12, FR), Point(5 * 10**9, 10**11, DPR), Point(10**9, 3 * 10**11, LEAN))


def test_the_same_data_give_the_same_bytes() -> None:
    assert draw_svg(SOME, "a-") == draw_svg(SOME, "a-")
    assert draw_pdf(SOME) == draw_pdf(SOME)
    assert b"CreationDate" not in draw_pdf(SOME)


def test_the_style_of_the_user_does_not_count() -> None:
    import matplotlib

    before = draw_svg(SOME, "a-")
    with matplotlib.rc_context({"font.size": 40, "axes.facecolor": "red", "svg.fonttype": "path"}):
        assert draw_svg(SOME, "a-") == before
        assert matplotlib.rcParams["font.size"] == 40


def test_the_svg_is_sound_and_says_what_it_shows() -> None:
    text = draw_svg(SOME, "a-")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert title.text == "Host memory <of> a save"
    assert description.text == "From 8.3 B on & so on"
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert {element.text for element in root.iter(f"{SVG}text")} >= {"dp", "fully", "lean", "load", "4 B", "1 TB"}


def test_nothing_of_it_leaks_into_the_page() -> None:
    text = draw_svg(SOME, "a-")
    assert "<style" not in text
    ids = re.findall(r'\bid="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("a-") for name in ids)
    targets = set(re.findall(r'(?:href="#|url\(#)([^")]*)', text))
    assert targets
    assert targets <= set(ids)
    assert not set(ids) & set(re.findall(r'\bid="([^"]*)"', draw_svg(SOME, "b-")))


def test_text_and_axes_take_the_colour_of_the_page() -> None:
    root = ET.fromstring(draw_svg(SOME, "a-"))
    for element in root.iter(f"{SVG}text"):
        assert "fill: currentColor" in (element.get("style") or "")
    used = set(re.findall(r"#[0-9a-f]{6}", draw_svg(SOME, "a-")))
    assert used == set(COLOURS.values())


def test_it_can_be_read_at_360_pixels() -> None:
    text = draw_svg(SOME, "a-")
    view = re.search(r'viewBox="0 0 (\d+) (\d+)"', text)
    assert view is not None
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", text)]
    assert min(sizes) * 360 / int(view.group(1)) >= 10


def luminance(colour: str) -> float:
    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("background", ["#ffffff", "#131416", "#1a1c1e"])
@pytest.mark.parametrize("colour", COLOURS.values())
def test_lines_have_contrast(colour: str, background: str) -> None:
    light, dark = sorted((luminance(colour), luminance(background)), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def test_a_chart_without_points_and_with_extremes_is_drawn() -> None:
    for points in ((), (Point(1, 1, FR),), (Point(10**12, 10**15, FR),)):
        ET.fromstring(draw_svg(data(*points), "a-"))


@pytest.mark.parametrize("fmt", list(SaveFormat))
@pytest.mark.parametrize("load", [False, True])
def test_the_limit_is_where_the_line_meets_the_host(fmt: SaveFormat, load: bool) -> None:
    host = 2 * 10**12
    limit = limit_parameters(host, 8, fmt, load=load)
    if load and fmt is DPR:
        assert host_bytes(10**9, 8, fmt, load=True) == 0
        return
    assert host_bytes(int(limit * 0.999), 8, fmt, load=load) < host
    assert host_bytes(int(limit * 1.001), 8, fmt, load=load) > host
