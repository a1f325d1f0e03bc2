"""The plots' data."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.evaluation import Context
from crivo.evaluation.tasks import evaluation_of

BINARY = Context(task="binary", classes=("no", "yes"), positive="yes")


def table(target: list[str], score: list[float]) -> pd.DataFrame:
    prediction = ["yes" if s >= 0.5 else "no" for s in score]
    return pd.DataFrame(
        {
            "id": range(len(target)),
            "target": target,
            "prediction": prediction,
            "score": score,
            "weight": 1.0,
            "cluster": 0,
        }
    )


def test_a_hand_made_table_gives_the_known_curves() -> None:
    found = evaluation_of(BINARY).curves(table(["yes", "no", "yes", "no"], [0.9, 0.8, 0.4, 0.1]))
    assert found["roc"].iloc[:, :2].to_numpy().tolist() == [
        [0, 0],
        [0, 0.5],
        [0.5, 0.5],
        [0.5, 1],
        [1, 1],
    ]
    assert found["confusion"].to_numpy().tolist() == [
        ["no", "no", 1],
        ["no", "yes", 1],
        ["yes", "no", 1],
        ["yes", "yes", 1],
    ]
    recall = found["precision_recall"]["recall"].tolist()
    assert (recall[0], recall[-1]) == (0, 1)


def test_rows_count_by_their_weight() -> None:
    rows = table(["yes", "no", "yes", "no"], [0.9, 0.8, 0.4, 0.1])
    found = evaluation_of(BINARY).curves(rows.assign(weight=[1.0, 3.0, 3.0, 1.0]))
    # Positives and negatives weigh 4 each.
    roc = [[0, 0], [0, 1 / 4], [3 / 4, 1 / 4], [3 / 4, 1], [1, 1]]
    np.testing.assert_allclose(found["roc"].iloc[:, :2], roc)
    curve = [[0, 1], [1 / 4, 1], [1 / 4, 1 / 4], [1, 4 / 7], [1, 4 / 8]]
    np.testing.assert_allclose(found["precision_recall"].iloc[:, :2], curve)
    same = table(["yes", "no"], [0.3, 0.3]).assign(weight=[3.0, 1.0])
    np.testing.assert_allclose(
        evaluation_of(BINARY).curves(same)["calibration"].iloc[:, :3], [[0.3, 3 / 4, 2]]
    )


def test_calibration_bins_hold_equally_many_rows() -> None:
    score = np.arange(100) / 100
    target = np.where(np.arange(100) % 2, "yes", "no").tolist()
    found = evaluation_of(BINARY).curves(table(target, score.tolist()))["calibration"]
    assert found["rows"].tolist() == [10] * 10
    np.testing.assert_allclose(found["mean_score"], np.arange(10) / 10 + 0.045)
    np.testing.assert_allclose(found["observed_rate"], 0.5)


def test_constant_scores_share_one_bin() -> None:
    found = evaluation_of(BINARY).curves(table(["yes", "no"] * 5, [0.3] * 10))["calibration"]
    assert found.iloc[:, :3].to_numpy().tolist() == [[pytest.approx(0.3), 0.5, 10]]


def test_three_rows_have_a_bin_each() -> None:
    found = evaluation_of(BINARY).curves(table(["no", "yes", "no"], [0.1, 0.2, 0.3]))["calibration"]
    assert found.iloc[:, :3].to_numpy().tolist() == [[0.1, 0, 1], [0.2, 1, 1], [0.3, 0, 1]]


def test_curves_are_thinned_but_keep_their_ends() -> None:
    rng = np.random.default_rng(0)
    target = np.where(rng.random(5000) < 0.5, "yes", "no").tolist()
    roc = evaluation_of(BINARY).curves(table(target, rng.random(5000).tolist()))["roc"]
    assert len(roc) == 200
    assert roc.iloc[[0, -1], :2].to_numpy().tolist() == [[0, 0], [1, 1]]


def test_a_task_has_no_curves_of_what_it_does_not_know() -> None:
    for context, prediction, expected in (
        (Context(task="regression"), table(["1", "2"], [0.1, 0.2]), []),
        (BINARY, table(["no", "no"], [0.1, 0.2]), ["confusion"]),
        (BINARY, table(["no", "yes"], [0.1, 0.2]).drop(columns="score"), ["confusion"]),
    ):
        assert [*evaluation_of(context).curves(prediction)] == expected
