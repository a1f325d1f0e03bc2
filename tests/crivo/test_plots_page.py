"""`dvc plots`: its page opens without a network, and nine experiments can be told apart."""

import configparser
import json
import re
from math import lcm
from pathlib import Path
from typing import Any

import pytest
from dvc_render import render_html
from dvc_render.vega import VegaRenderer

from crivo.core.params import read_yaml

ROOT = Path(__file__).parents[2]
DVC = ROOT / ".dvc"
PLOTS = {name: plot for one in read_yaml(ROOT / "dvc.yaml")["plots"] for name, plot in one.items()}
# How many experiments are to be told apart in one plot.
EXPERIMENTS = 9
# The widest picture that fits a laptop's page.
WIDTH = 1200
COLOURS = {"tableau10": 10, "tableau20": 20}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What `dvc plots` writes for one plot with the configured template."""
    config = configparser.ConfigParser()
    config.read(DVC / "config")
    points = [{"x": 0, "y": 0.25, "rev": "main"}, {"x": 1, "y": 0.75, "rev": "main"}]
    plot = VegaRenderer(points, "curve", x="x", y="y", template="simple", title="A curve")
    path = tmp_path_factory.mktemp("plots") / "index.html"
    render_html([plot], path, html_template=DVC / config["plots"]["html_template"])
    return path.read_text(encoding="utf-8")


def test_page_loads_nothing(page):
    assert "A curve" in page
    assert "vegaEmbed('#" in page
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)\s*=|@import|url\(|\{\w+\}", markup) == []


def drawn(plot: dict[str, Any]) -> dict[str, Any]:
    """Return what DVC writes for a plot of so many experiments."""
    ((_, x),) = plot["x"].items()
    ((_, y),) = plot["y"].items()
    points = [{x: 0.5, y: 0.5, "rows": 1, "rev": f"e{i}"} for i in range(EXPERIMENTS)]
    folder = str(DVC / "plots")
    made = VegaRenderer(
        points, "plot", x=x, y=y, template=plot["template"], template_dir=folder, title="A"
    )
    filled: dict[str, Any] = made.get_filled_template()
    return filled


@pytest.mark.parametrize("name", PLOTS)
def test_each_experiment_looks_otherwise_or_stands_alone(name: str) -> None:
    spec = drawn(PLOTS[name])
    assert not re.search("smooth|loess", json.dumps(spec))  # which makes curves alike
    if "facet" in spec:
        assert spec["facet"]["field"] == "rev"
        assert spec["columns"] * spec["spec"]["width"] < WIDTH
        return
    encoding = spec["encoding"]
    assert encoding["color"]["field"] == "rev"
    looks = COLOURS[encoding["color"]["scale"]["scheme"]]
    if "strokeDash" in encoding:
        looks = lcm(looks, len(encoding["strokeDash"]["scale"]["range"]))
    assert looks >= EXPERIMENTS
