"""`dvc plots`: its page opens without a network."""

import configparser
import re
from pathlib import Path

from dvc_render import render_html
from dvc_render.vega import VegaRenderer

DVC = Path(__file__).parents[2] / ".dvc"


def test_what_dvc_plots_writes_with_the_configured_template_loads_nothing(tmp_path: Path) -> None:
    config = configparser.ConfigParser()
    config.read(DVC / "config")
    points = [{"x": 0, "y": 0.25, "rev": "main"}, {"x": 1, "y": 0.75, "rev": "main"}]
    plot = VegaRenderer(points, "curve", x="x", y="y", template="simple", title="A curve")
    template = DVC / config["plots"]["html_template"]
    render_html([plot], tmp_path / "index.html", html_template=template)
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "A curve" in page
    assert "vegaEmbed('#" in page
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)\s*=|@import|url\(|\{\w+\}", markup) == []
