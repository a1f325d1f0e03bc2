"""Figures are whole SVG pictures, show names in any script, and are drawn without a library."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from crivo.evaluation.report import chart, to_html
from crivo.evaluation.report.chart import GREY, ORANGE, Axis, Chart, boxes, dots, line, series
from crivo.evaluation.report.forest import importance_forest
from crivo.evaluation.report.page import _environment
from tests.crivo.evaluation.report.made_up import FACTS, evaluation, report, told

GOLDEN = Path(__file__).with_name("charts.svg")
CURVE = pd.DataFrame({"threshold": [0.9, 0.5, 0.1], "value_per_1000": [10.0, 30.0, -50.0]})
CURVE = CURVE.assign(acted_per_1000=[1.0, 10.0, 1000.0], precision=[1.0, 0.5, 0.1])


def drawn(task: str = "binary", **known: Any) -> tuple[str, list[str]]:
    """Return the page of a report, and what the marks of its figures are."""
    page = to_html(told(evaluation(), FACTS | {"task": task}, **known))
    keys = re.search('<ul class="keys">(.*?)</ul>', page)
    return page, re.findall('li class="(.*?)"', keys[1] if keys else "")


def test_the_mark_on_the_value_curve_is_the_threshold_in_use_and_not_the_best() -> None:
    page, keys = drawn(plots={"value_curve": CURVE}, threshold=0.7)
    assert "At the threshold in use, 0.7, the value is 10.00." in page
    assert "The highest value on these rows is 30.00, at a threshold of 0.5" in page
    assert keys == ["line", "dot", "dot2"]
    assert re.findall(r"stroke='(#\w+)'", page).count(ORANGE) == 1


def test_each_point_of_a_curve_has_its_values_for_the_pointer() -> None:
    page, _ = drawn(plots={"value_curve": CURVE})
    assert 'data-names="threshold\tvalue\tflagged per 1,000\tprecision"' in page
    assert 'data-values="0.9|10|1|1;0.5|30|10|0.5;0.1|−50|1,000|0.1"' in page
    found = re.search(r"class='series' d='(.*?)'", page)
    assert found[1].count("L") == 2


def svg(drawing: Chart) -> str:
    """Return a chart as the page has it."""
    return str(_environment().get_template("chart.j2").module.svg(drawing))  # type: ignore[attr-defined]


def shapes(drawing: Chart) -> list[str]:
    """Return the outlines of a chart's marks, without those of its frame."""
    root = ElementTree.fromstring(svg(drawing))
    return [path.attrib["d"] for path in root.iter("{http://www.w3.org/2000/svg}path")][:-1]


def test_a_chart_with_marks_of_every_kind_is_drawn_as_ever() -> None:
    """As `charts.svg` has it: points stand where their values are, upwards in the picture less."""
    table = pd.DataFrame({"x": [0.0, 5, 10], "y": [0.0, 0.5, 1]})
    marks, _ = series(table.assign(y_low=[0.0, 0.25, 0.75], y_high=1.0), "x", "y")
    marks += [boxes([0], [0], [2], [0.5], GREY), dots([5], [0.5], ORANGE, radius=3)]
    marks.append(line([0, 10], [0, 1], kind="dotted"))
    charts = (
        Chart(Axis("a share", limits=(0, 10)), Axis("a value"), marks, ("x", "y"), table),
        Chart(Axis("x"), Axis("a value", limits=(0, 1)), marks, size=(200, 300), square=True),
    )
    assert "\n".join(map(svg, charts)) == GOLDEN.read_text(encoding="utf-8")


def test_what_is_not_finite_is_left_out() -> None:
    marks = [dots([1.0, float("nan"), 3.0], [1.0, 2.0, float("inf")])]
    drawing = Chart(Axis("x"), Axis("y"), marks)
    assert shapes(drawing)[0].count("M") == 1
    assert not re.search("nan|inf", svg(drawing))


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-9, 1e12])
def test_one_value_has_a_range(value: float) -> None:
    assert not re.search("nan|inf", svg(Chart(Axis("x"), Axis("y"), [line([value], [value])])))


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-4000, 2000, ["−4,000", "−3,000", "−2,000", "−1,000", "0", "1,000", "2,000"]),
        (0.61, 0.64, ["0.610", "0.615", "0.620", "0.625", "0.630", "0.635", "0.640"]),
        (0, 6e9, ["0", "1e+09", "2e+09", "3e+09", "4e+09", "5e+09", "6e+09"]),
        (0.4201, 0.4203, ["0.42010", "0.42015", "0.42020", "0.42025", "0.42030"]),
        (0, 4e-7, ["0", "1e-07", "2e-07", "3e-07", "4e-07"]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, texts: list[str]) -> None:
    found = [text for _, text in chart.round_ticks(low, high, 6)]
    assert found == [text.replace("e-", "e−") for text in texts]


@pytest.mark.parametrize("most", [1, 999, 1_250_000, 5e6, 4e8, 3e12, 2e-6])
def test_the_texts_below_a_chart_do_not_touch(most: float) -> None:
    drawing = Chart(Axis("x"), Axis("y"), [line([0, most], [0, 2e7])])
    places = [(drawing.at(value, 0)[0], len(text)) for value, text in drawing.x_ticks]
    assert len(places) >= 2
    for (left, one), (right, other) in pairwise(places):
        assert right - left > chart.LETTER * (one + other + 1) / 2


def test_the_plot_of_importances_contains_all_intervals() -> None:
    table = pd.DataFrame({"feature": [*"abcdefghijkl"], "loss_increase": 0.001})
    table = table.assign(loss_increase_low=0.0, loss_increase_high=0.002)
    table.loc[0, ["loss_increase", "loss_increase_high"]] = 0.02, 0.05
    found = importance_forest(report(plots={"importance": table}))
    assert found.scale(0.05) < 100
