"""Figures are whole SVG pictures, show names in any script, and are drawn without a library."""

import re
import subprocess
import sys
import warnings
from xml.etree import ElementTree

import pandas as pd
import pytest

from crivo.evaluation.report.chart import Axis, Chart, round_ticks
from crivo.evaluation.report.figures import draw


@pytest.mark.parametrize("name", ["年齢", "возраст", "العمر", "나이", "idade é"])
def test_a_name_in_any_script_stays_text(name: str) -> None:
    table = pd.DataFrame({"feature": [name, "b"], "loss_increase": [0.3, 0.1]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (figure,) = draw({"importance": table})
    assert name in figure.svg


def shapes(chart: Chart) -> list[str]:
    """Return the outlines of a chart's marks, without those of its frame."""
    root = ElementTree.fromstring(chart.svg())
    return [path.attrib["d"] for path in root.iter("{http://www.w3.org/2000/svg}path")][:-1]


def test_drawing_imports_no_plotting_library() -> None:
    code = (
        "import pandas as pd, sys; from crivo.evaluation.report.figures import draw;"
        "draw({'learning': pd.DataFrame({'iteration': [0, 1], 'loss': [1.0, 0.5]})});"
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["<b>", "a & b", "it's", '"x"', "$\\frac$"])
def test_a_name_with_signs_of_markup_leaves_a_whole_picture(name: str) -> None:
    table = pd.DataFrame({"feature": [name, "b"], "loss_increase": [0.3, 0.1]})
    (figure,) = draw({"importance": table})
    assert name in [text.text for text in ElementTree.fromstring(figure.svg).iter()]


def test_points_stand_where_their_values_are() -> None:
    chart = Chart(Axis(limits=(0, 10)), Axis(limits=(0, 1)))
    chart.line([0, 5, 10], [0, 0.5, 1])
    ((x0, y0), (x1, y1), (x2, y2)) = (
        map(float, point.split()) for point in shapes(chart)[0].lstrip("M").split("L")
    )
    assert x0 < x1 < x2
    assert y0 > y1 > y2  # upwards in the picture is less
    assert (x1, y1) == pytest.approx(((x0 + x2) / 2, (y0 + y2) / 2), abs=0.1)


def test_what_is_not_finite_is_left_out() -> None:
    chart = Chart(Axis(), Axis())
    chart.dots([1.0, float("nan"), 3.0], [1.0, 2.0, float("inf")])
    assert shapes(chart)[0].count("M") == 1
    assert not re.search("nan|inf", chart.svg())


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-9, 1e12])
def test_one_value_has_a_range(value: float) -> None:
    chart = Chart(Axis(), Axis())
    chart.line([value], [value])
    assert not re.search("nan|inf", chart.svg())


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0, 1, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-4000, 2000, ["−4,000", "−3,000", "−2,000", "−1,000", "0", "1,000", "2,000"]),
        (0.61, 0.64, ["0.610", "0.615", "0.620", "0.625", "0.630", "0.635", "0.640"]),
        (0, 3e9, ["0", "5e+08", "1e+09", "1.5e+09", "2e+09", "2.5e+09", "3e+09"]),
        (0, 4e-7, ["0", "1e-07", "2e-07", "3e-07", "4e-07"]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, texts: list[str]) -> None:
    assert [text for _, text in round_ticks(low, high, 6)] == [
        text.replace("e-", "e−") for text in texts
    ]
