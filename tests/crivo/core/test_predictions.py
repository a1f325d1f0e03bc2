"""The predictions table, its clusters and its fingerprint."""

import numpy as np
import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.params import EvaluateSettings
from crivo.core.predictions import about_rows, assign_clusters, build_predictions
from crivo.core.schema import Period
from crivo.core.tasks import task_of

SCHEMA = few_columns("no", "yes", w="weight", day="info")


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": ["b", "a", "c"],
            "y": ["yes", "no", "no"],
            "w": [2.0, 1.0, 3.0],
            "day": pd.to_datetime(["2020-01-02", "2020-01-01", "2020-01-03"]),
        }
    )


def table(**changes: object) -> pd.DataFrame:
    scores = np.array([[0.2, 0.8], [0.9, 0.1], [0.6, 0.4]])
    settings = EvaluateSettings(cluster="day", **changes)
    return build_predictions(rows(), SCHEMA, np.array(["yes", "no", "no"]), scores, settings)


def by(cluster: str, **more: object) -> EvaluateSettings:
    return EvaluateSettings(cluster=cluster, **more)


def test_the_table_is_sorted_by_id_and_carries_the_positive_score() -> None:
    found = table(slices=["w"])
    assert found["id"].to_dict() == {0: "a", 1: "b", 2: "c"}
    assert found["score"].tolist() == [0.1, 0.8, 0.4]
    assert found["weight"].tolist() == [1.0, 2.0, 3.0]
    assert found["slice_w"].tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("positive", ["no", "yes", None])
def test_scores_are_those_of_all_classes_whichever_is_positive(positive: str | None) -> None:
    task = task_of(Context("binary" if positive else "multiclass", ("no", "yes"), positive))
    scores = np.array([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]])
    columns = task.to_columns(scores)
    expected = {"no": [0.5, 0.25, 0.75], "yes": [0.5, 0.75, 0.25]}
    assert [one.tolist() for one in columns.values()] == (
        [expected[positive]] if positive else [*expected.values()]
    )
    assert task.from_columns(pd.DataFrame(columns)).tolist() == scores.tolist()
    assert task.decide(scores).tolist() == [positive or "no", "yes", "no"]
    if positive:  # what reaches the threshold counts
        less = {"no": "yes", "yes": "no"}[positive]
        assert task.decide(scores, 0.75).tolist() == [less, "yes", "no"]


def test_too_few_predictions_are_refused() -> None:
    with pytest.raises(CrivoError, match="is a prediction for 2 of 3 rows"):
        build_predictions(rows(), SCHEMA, np.array(["no", "no"]))


def test_sixty_one_days_make_twelve_blocks_of_five_or_six() -> None:
    days = pd.DataFrame({"id": range(61), "day": pd.date_range("2013-09-01", periods=61)})
    blocks = assign_clusters(days.sample(frac=1, random_state=1), "id", by("day", block=5))
    sizes = blocks.value_counts()
    assert len(sizes) == 12
    assert set(sizes) == {5, 6}
    assert blocks.sort_index().is_monotonic_increasing


def test_without_a_column_fifty_clusters_come_from_the_id_alone() -> None:
    ids = pd.DataFrame({"id": [f"row {i}" for i in range(5000)]})
    clusters = assign_clusters(ids, "id")
    assert clusters.nunique() == 50
    some = ids.iloc[1000:1010]
    pd.testing.assert_series_equal(assign_clusters(some, "id"), clusters.iloc[1000:1010])


def test_gaps_in_the_cluster_column_are_refused() -> None:
    days = pd.to_datetime(["2020-01-01", None, "2020-01-02"])
    with pytest.raises(CrivoError, match="'day' has 1 missing value"):
        assign_clusters(rows().assign(day=days), "key", by("day"))


def fingerprint(rows: pd.DataFrame, task: str = "binary", positive: str | None = "yes") -> str:
    return about_rows(rows, task, positive)["rows"]


def test_other_rows_have_another_fingerprint_and_other_predictions_the_same() -> None:
    known = table()
    others = (
        known.assign(id=["a", "b", "d"]),
        known.assign(target=["yes", "yes", "no"]),
        known.assign(cluster=["1", "1", "1"]),
        known.assign(weight=[1.0, 2.0, 4.0]),
        known.iloc[:2],
    )
    found = [fingerprint(known), *map(fingerprint, others), fingerprint(known, positive="no")]
    assert len({*found, fingerprint(known, "multiclass", None)}) == 8
    assert found[0] == "23a870c41c84"  # b2sum -l 128 of what it covers, as in all records
    for same in (known.assign(score=0.5, prediction="no", slice_more=1), known.iloc[::-1]):
        assert fingerprint(same) == fingerprint(known)


def test_an_unknown_column_is_named_with_those_there_are() -> None:
    with pytest.raises(
        CrivoError, match="evaluate.slices names 'shop', which isn't a column .*key"
    ):
        table(slices=["shop"])
    with pytest.raises(
        CrivoError, match="evaluate.cluster names 'days', .* `day`. There are: key, y, "
    ):
        assign_clusters(rows(), "key", by("days"))
    with pytest.raises(CrivoError, match="n28, n29 and 1 more.$"):
        assign_clusters(pd.DataFrame(columns=[f"n{i}" for i in range(31)]), "n0", by("shop"))


def sample(rows: pd.DataFrame) -> list[str]:
    return about_rows(rows, "binary")["sample"]


def test_tables_that_share_rows_share_some_of_their_samples() -> None:
    """Clusters, weights, scores, order and how the target is written don't matter."""
    names = [str(number) for number in range(20_000)]
    ids = pd.DataFrame({"id": names, "target": True, "cluster": "a", "weight": 1.0})
    whole, half = sample(ids), sample(ids.iloc[:10_000].assign(cluster=1, target=1)[::-1])
    assert len(set(whole) & set(half)) > 100
    assert not set(sample(ids.iloc[10_000:])) & set(half)
    redrawn = sample(ids.iloc[9_700:19_700])  # one in 33 rows is shared
    assert set(redrawn) & set(half)
    assert len(whole) == 320
    assert sample(ids.iloc[:1]) == ["842b7d9d43"]  # b2sum -l 64, as in all records


@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("hour", ["2013-01-06 23:00", "2013-01-07 01:00", "2013-02-01 00:00", "2014-01-01 00:00"]),
        ("day", ["2013-01-06", "2013-01-07", "2013-02-01", "2014-01-01"]),
        ("week", ["2012-12-31", "2013-01-07", "2013-01-28", "2013-12-30"]),
        ("month", ["2013-01-01", "2013-01-01", "2013-02-01", "2014-01-01"]),
        ("quarter", ["2013-01-01", "2013-01-01", "2013-01-01", "2014-01-01"]),
        ("year", ["2013-01-01", "2013-01-01", "2013-01-01", "2014-01-01"]),
    ],
)
@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_dates_of_one_period_are_one_cluster(
    period: Period, expected: list[str], zone: str | None
) -> None:
    times = ["2013-01-06 23:30", "2013-01-07 01:00", "2013-02-01 00:00", "2014-01-01 00:10"]
    visits = pd.DataFrame({"id": list("abcd"), "at": pd.to_datetime(times).tz_localize(zone)})
    found = assign_clusters(visits, "id", by("at", period=period))
    assert [pd.Timestamp(start) for start in found] == [pd.Timestamp(start) for start in expected]
    blocks = assign_clusters(visits, "id", by("at", block=2, period=period))
    assert blocks.nunique() == max(1, len(set(expected)) // 2)


def test_a_period_of_no_dates_is_refused() -> None:
    with pytest.raises(CrivoError, match=r"evaluate\.period is 'week'.*'year' contains no dates"):
        assign_clusters(pd.DataFrame({"a": "x", "year": [1]}), "a", by("year", period="week"))
