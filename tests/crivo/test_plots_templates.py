"""Can nine experiments be told apart in `dvc plots diff`?"""

import json
from math import lcm
from pathlib import Path
from typing import Any

import pytest
from dvc_render.vega import VegaRenderer

from crivo.core.params import read_yaml

ROOT = Path(__file__).parents[2]
PLOTS = {name: plot for one in read_yaml(ROOT / "dvc.yaml")["plots"] for name, plot in one.items()}
# How many experiments are to be told apart in one plot.
EXPERIMENTS = 9
# The widest picture that fits a laptop's page.
WIDTH = 1200
COLOURS = {"tableau10": 10, "tableau20": 20}


def drawn(plot: dict[str, Any]) -> dict[str, Any]:
    """Return what DVC writes for a plot of so many experiments."""
    ((_, x),) = plot["x"].items()
    ((_, y),) = plot["y"].items()
    points = [{x: 0.5, y: 0.5, "rows": 1, "rev": f"e{i}"} for i in range(EXPERIMENTS)]
    folder = str(ROOT / ".dvc/plots")
    made = VegaRenderer(
        points, "plot", x=x, y=y, template=plot["template"], template_dir=folder, title="A"
    )
    filled: dict[str, Any] = made.get_filled_template()
    return filled


@pytest.mark.parametrize("name", PLOTS)
def test_each_experiment_looks_otherwise_or_stands_alone(name: str) -> None:
    spec = drawn(PLOTS[name])
    if "facet" in spec:
        assert spec["facet"]["field"] == "rev"
        return
    encoding = spec["encoding"]
    assert encoding["color"]["field"] == "rev"
    looks = COLOURS[encoding["color"]["scale"]["scheme"]]
    if "strokeDash" in encoding:
        looks = lcm(looks, len(encoding["strokeDash"]["scale"]["range"]))
    assert looks >= EXPERIMENTS


@pytest.mark.parametrize("name", PLOTS)
def test_none_is_cut_off(name: str) -> None:
    spec = drawn(PLOTS[name])
    if "facet" in spec:
        assert spec["columns"] * spec["spec"]["width"] < WIDTH


@pytest.mark.parametrize("name", PLOTS)
def test_no_curve_can_be_smoothed_into_another(name: str) -> None:
    text = json.dumps(drawn(PLOTS[name]))
    assert "smooth" not in text
    assert "loess" not in text
