"""Does the page of `dvc plots` open without a network?"""

import configparser
import re
from pathlib import Path

import pytest
from dvc_render import render_html
from dvc_render.vega import VegaRenderer

DVC = Path(__file__).parents[2] / ".dvc"


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
    markup = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert re.findall(r"(?:src|href)\s*=|@import|url\(|\{\w+\}", markup) == []


def test_page_holds_the_plot(page):
    assert "A curve" in page
    assert "vegaEmbed('#" in page


def test_libraries_are_of_the_major_versions_that_dvc_asks_for(page):
    asked = re.findall(r"npm/([\w-]+)@(\d+)", VegaRenderer.SCRIPTS)
    assert len(asked) == 3
    assert re.findall(r"<!-- ([\w-]+) (\d+)[\d.]+ -->", page) == asked


def test_licences_are_named_in_the_page(page):
    assert "BSD 3-Clause" in page
    assert "Redistribution and use in source and binary forms" in page


def test_page_is_made_of_its_source(page):
    """`make plots-template` was run after page.html was changed."""
    head, tail = (DVC / "plots" / "page.html").read_text(encoding="utf-8").split("<!--LIBRARIES-->")
    template = (DVC / "plots" / "offline.html").read_text(encoding="utf-8")
    assert template.startswith(head)
    assert template.endswith(tail)
