"""Metrics by slice: sizes, differences from the rest, and what is too small."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.evaluation.assess import assess
from crivo.evaluation.jackknife import jackknife_groups
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.slices import column_slices, slice_table
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import t_quantile
from tests.crivo.evaluation.tables import scored

CONTEXT = Context("binary", (False, True), True)


def metrics(*names: str) -> list[Metric]:
    return find_metrics(names or ("log_loss", "roc_auc"), "binary")


def table(rows: int = 1200, clusters: int = 12, seed: int = 0, **slices: object) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 5, rows)
    named = {f"slice_{name}": values for name, values in slices.items()}
    return scored(score, rng.random(rows) < score, cluster=np.arange(rows) % clusters, **named)


def by_name(predictions: pd.DataFrame, *names: str) -> pd.DataFrame:
    evaluated, slices = Evaluated(predictions, CONTEXT), column_slices(predictions)
    return slice_table(evaluated, metrics(*names), slices).set_index("slice")


def shops(*counts: int) -> list[str]:
    return [name for name, count in zip("abcdef", counts, strict=False) for _ in range(count)]


@pytest.mark.parametrize("right", [False, True])
def test_all_rows_have_the_intervals_of_the_metrics(right: bool) -> None:
    """One number has one interval, an accuracy of 1 an exact one, also in slices of one class."""
    names = ("log_loss", "roc_auc", "accuracy", "average_precision")
    predictions = table(clusters=300, shop=shops(600, 600))
    if right:
        predictions["prediction"] = predictions["slice_shop"] = predictions["target"]
    line = by_name(predictions, *names).loc["all rows"]
    expected = assess(predictions, CONTEXT, metrics(*names)).metrics
    for name in names:
        ends = [line[f"{name}{end}"] for end in ("", "_low", "_high")]
        told = expected.loc[name, ["value", "low", "high"]].tolist()
        assert ends == pytest.approx(told, rel=1e-12)


def test_the_difference_is_that_from_the_rest_with_the_jackknife_of_both() -> None:
    predictions = table(shop=shops(700, 500))
    found = by_name(predictions, "log_loss").loc["shop = b"]
    inside = predictions["slice_shop"] == "b"
    groups = jackknife_groups(predictions)
    parts = [
        Evaluated(predictions[some], CONTEXT).jackknife(metrics("log_loss"), groups[some])
        for some in (inside, ~inside)
    ]
    deleted = parts[0].deleted["log_loss"] - parts[1].deleted["log_loss"]
    se = np.sqrt(11 / 12 * ((deleted - deleted.mean()) ** 2).sum())
    value = parts[0].values["log_loss"] - parts[1].values["log_loss"]
    # Two slices that are each other's rest are one comparison.
    width = t_quantile(0.975, 12) * se
    assert found["difference"] == pytest.approx(value)
    assert found["difference_high"] == pytest.approx(value + width, rel=0.02)


def test_a_slice_of_99_rows_is_too_small() -> None:
    assert by_name(table(shop=shops(1100, 100)))["status"].tolist() == ["all", "judged", "judged"]
    found = by_name(table(shop=shops(1101, 99)))
    small = found.loc["shop = b"]
    assert small["rows"] == 99
    assert small["status"] == "too small: at least 100 rows are needed"
    assert small["judged_by"] == ""
    assert np.isnan(small[["log_loss", "difference"]].astype(float)).all()
    assert small["verdict"] == ""


def test_a_slice_in_seven_clusters_is_too_small() -> None:
    predictions = table()
    inside = predictions["cluster"] < 7
    found = by_name(predictions.assign(slice_shop=np.where(inside, "a", "b")))
    assert found.loc["shop = a", "status"] == "too small: at least 8 clusters are needed"
    # The others would be compared with too few.
    assert found.loc["shop = b", "clusters"] == 5


def test_a_slice_where_the_scores_are_off_is_worse() -> None:
    predictions = table(3000, shop=shops(2000, 500, 500))
    off = predictions["slice_shop"] == "b"
    wrong = predictions.assign(score=predictions["score"].where(~off, 1 - predictions["score"]))
    found = by_name(wrong)
    assert found.loc["shop = b", "verdict"] == "worse"
    assert found.loc["shop = b", "difference"] > 0
    # Of each column the worst comes first.
    assert found.index.tolist()[1] == "shop = b"


def test_missing_values_are_a_slice() -> None:
    values = [None] * 200 + ["x"] * 1000
    found = by_name(table(shop=values)).loc["shop is missing"]
    assert found[["rows", "kind", "column"]].tolist() == [200, "column", "shop"]
    numbers = np.where(np.arange(1200) < 300, np.nan, np.arange(1200))
    assert by_name(table(n=numbers)).loc["n is missing", "rows"] == 300


def test_a_difference_that_one_cluster_alone_makes_possible_is_missing() -> None:
    predictions = table(shop=shops(400, 400, 400))
    inside, alone = predictions["slice_shop"] == "b", predictions["cluster"] == 3
    hit = predictions["target"].where(~inside, alone)
    found = by_name(predictions.assign(target=hit), "roc_auc")
    assert found.loc["shop = b", "roc_auc"] > 0
    assert found.loc["shop = b", ["judged_by", "verdict"]].tolist() == ["", ""]
    assert np.isnan(found.loc["shop = b", "difference"])
    assert found.loc["shop = a", "difference_low"] < found.loc["shop = a", "difference_high"]


def test_a_slices_interval_stays_where_the_metric_does() -> None:
    predictions = table(clusters=8, shop=shops(800, 400))
    predictions["cluster"] = "shop " + predictions["cluster"].astype("str")  # without an order
    right = (predictions["cluster"] != "shop 0") | (predictions["slice_shop"] == "a")
    labels = predictions.assign(prediction=predictions["target"] == right)
    found = by_name(labels, "accuracy").loc["shop = b"]
    # Seven clusters all right and one all wrong: 7/8 with the error 1/8, whose log odds are
    # log 7 ± 2.36 / 8 / (7/8 · 1/8), as they are infinite without the wrong cluster.
    assert found["accuracy"] == 7 / 8
    reach = t_quantile(0.975, 8) * 8 / 7
    assert found["accuracy_low"] == pytest.approx(1 / (1 + np.exp(reach) / 7))
    assert found["accuracy_high"] == pytest.approx(1 / (1 + np.exp(-reach) / 7))


def test_a_slice_of_the_last_days_has_the_degrees_of_freedom_of_those_days() -> None:
    """The other 188 days change nothing in it."""
    predictions = table(rows=4000, clusters=200).sort_values("cluster", ignore_index=True)
    late = (predictions["cluster"] >= 188).map({True: "late", False: "early"})
    found = by_name(predictions.assign(slice_when=late), "log_loss").loc["when = late"]
    assert (found["rows"], found["clusters"]) == (240, 12)
    inside = (late == "late").to_numpy()
    groups = jackknife_groups(predictions)
    own = Evaluated(predictions[inside], CONTEXT).jackknife(metrics("log_loss"), groups[inside])
    se = np.sqrt(199 * np.var(own.deleted["log_loss"]))
    reach = found["log_loss_high"] - found["log_loss"]
    assert reach == pytest.approx(t_quantile(0.975, 12) * se)
    gap = (found["difference_high"] - found["difference_low"]) / 2
    assert gap > t_quantile(0.975, 12) * se


# --- which slices a column has ---


def names(values: Iterable[Any]) -> list[str]:
    """Return the names of the slices of a column called n."""
    return [one.name for one in column_slices(pd.DataFrame({"slice_n": values}))]


def test_a_number_is_cut_into_bins_of_equally_many_rows() -> None:
    bins = ["n = 0 to 299", "n = 300 to 599", "n = 600 to 899", "n = 900 to 1199"]
    assert names(range(1200)) == bins
    thirds = names(np.arange(1200) / 3)
    assert thirds[:2] == ["n = 0 to 99.6667", "n = 100 to 199.667"]
    close = 1 + np.arange(1200) / 1e7
    named = [map(float, name.split()[2::2]) for name in names(close)]
    assert [((low <= close) & (close <= high)).sum() for low, high in named] == [300] * 4
    # Sorted, the 900th is 200 and the 901st 201: a quarter of the rows lies above.
    assert names([0] * 700 + list(range(1, 501))) == ["n = 0 to 200", "n = 201 to 500"]


def test_ten_numbers_are_values_and_eleven_are_bins() -> None:
    assert names(np.arange(1100) % 10) == [f"n = {i}" for i in range(10)]
    # Of 1,100 rows, a hundred of each number, the 275th is a 2, the 550th a 5, the 825th an 8.
    bins = {f"n = {ends}" for ends in ("0 to 2", "3 to 5", "6 to 8", "9 to 10")}
    assert set(names(np.arange(1100) % 11)) == bins
    days = pd.date_range("2013-01-01", periods=12, freq="12h").repeat(100)
    ends = {"01 to 2013-01-02", "02 12:00:00 to 2013-01-03 12:00:00", "04 to 2013-01-05"}
    assert {f"n = 2013-01-{one}" for one in ends} < set(names(days))


def test_the_most_frequent_come_first_and_of_equally_frequent_the_first_seen() -> None:
    found = names([f"v{i}" for i in range(40) for _ in range(60 if i == 39 else 30)])
    assert found == [*(f"n = v{i}" for i in (39, *range(19))), "n: 20 further values"]
