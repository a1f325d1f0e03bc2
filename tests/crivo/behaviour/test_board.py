"""`crivo board` and `report`: one page about all experiments, and one about each."""

import json
import re

import pandas as pd

from tests.crivo.behaviour.shop import Shop

PAGE = "board/board.html"


def test_the_page_has_every_experiment_and_loads_nothing(shop: Shop) -> None:
    assert shop.crivo("board", BROWSER="echo opened %s").out.strip() == PAGE
    opened = shop.crivo("board", "--open", BROWSER="echo opened %s").out
    assert opened.strip().endswith(f"opened {(shop.folder / PAGE).as_uri()}")
    page = shop.read(PAGE)
    for name in ("trees", "stiff", "flat", "linear-C=0.3", "linear-C=0.7"):
        assert f'"{name}"' in page
    assert "Prices and ages interact" in page
    loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?([^\"\s>]+)", page)
    assert [address for address in loaded if re.match(r"(?:https?:)?//", address)] == []


def test_the_report_of_an_experiment_is_written_with_its_name_and_opened(shop: Shop) -> None:
    assert shop.crivo("report").out == "metrics/evaluation/report.html\n"
    said = shop.crivo("report", "trees", "--open", BROWSER="echo opened %s").out.splitlines()
    assert "Experiment trees</strong>" in shop.read(said[0])
    assert said[1].startswith("opened file://")
    assert said[1].endswith(said[0])
    (shop.folder / ".dvc/cache").rename(shop.folder / ".dvc/elsewhere")
    lost = shop.crivo("report", "trees", status=1).text
    assert "of trees is not in this clone's DVC cache; `dvc exp pull origin trees`" in lost


def test_curves_are_those_that_the_experiments_recorded(shop: Shop) -> None:
    shop.crivo("board")
    (text,) = re.findall(r'id="values">(.*?)</script>', shop.read(PAGE))
    values = json.loads(text)
    names = [one["name"] for one in values["experiments"]]
    roc = next(one["of"] for one in values["curves"] if one["name"] == "roc")
    assert set(map(int, roc)) == set(values["in_full"]) == set(range(len(names)))
    xs, ys = roc[str(names.index("main"))]
    own = pd.read_csv(shop.folder / "metrics/evaluation/plots/roc.csv")
    assert len(xs) == len(ys) == min(len(own), 100)
    assert (xs[-1], ys[-1]) == tuple(own.iloc[-1][["false_positive_rate", "true_positive_rate"]])
