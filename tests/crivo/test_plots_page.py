"""`dvc plots`: its page opens without a network."""

import configparser
import re
from pathlib import Path

import pytest
from dvc_render import render_html
from dvc_render.vega import VegaRenderer

ROOT = Path(__file__).parents[2]
DVC = ROOT / ".dvc"


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
