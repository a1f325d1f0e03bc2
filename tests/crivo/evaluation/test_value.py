"""What acting is worth: cross-fitted, by capacity and by a stored threshold."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.core.params import ValueSettings
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint, choose_threshold, value_curve, value_table
from tests.crivo.evaluation.tables import scored

GAINS = ValueSettings(true_positive=5, false_positive=-1)


def table(scores: object, targets: object, clusters: object) -> pd.DataFrame:
    return scored(scores, targets, cluster=clusters, prediction=False)


def random_table(seed: int = 0, rows: int = 600, clusters: int = 10) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    score = rng.beta(1, 3, rows)
    return table(score, rng.random(rows) < score, rng.integers(0, clusters, rows))


def context(baseline: pd.DataFrame | None = None) -> Context:
    return Context("binary", (False, True), True, baseline)


def values(
    predictions: pd.DataFrame,
    settings: ValueSettings,
    baseline: pd.DataFrame | None = None,
    threshold: float | None = None,
) -> pd.DataFrame:
    where = context(baseline)
    own = threshold or choose_threshold(predictions, where, settings)
    other = None if baseline is None else choose_threshold(baseline, where, settings)
    point = OperatingPoint((own, other), settings, here=threshold is None)
    both = predictions, predictions if baseline is None else baseline
    predictions, other = point.apply(both, where)
    where = context(None if baseline is None else other)
    return value_table(Evaluated(predictions, where), point).set_index("of")


def curve_of(predictions: pd.DataFrame, settings: ValueSettings = GAINS) -> pd.DataFrame:
    return value_curve(Evaluated(predictions, context()), OperatingPoint(value=settings))


def test_a_stored_threshold_is_used_unchanged() -> None:
    rows = table([0.9, 0.8, 0.3, 0.2], [True, False, True, False], [1, 1, 2, 2])
    found = values(rows, GAINS, threshold=0.5)
    # A hit and a false alarm among four rows: (5 - 1) / 4 each, times 1,000.
    assert found.loc["model", "value_per_1000"] == 1000
    assert found.loc["model", "acted_per_1000"] == 500
    # Acting on all: two hits, two false alarms. On none: nothing gained.
    assert found.loc["act_on_all", "value_per_1000"] == 2000
    assert found.loc["act_on_none", "value_per_1000"] == 0
    # Without the first cluster 0, without the second 2,000 per 1,000: se is half the distance.
    assert found.loc["model", "se"] == pytest.approx(1000)


def test_a_capacity_acts_on_its_share_and_ties_count_with_their_mean() -> None:
    rows = table([0.9, 0.5, 0.5, 0.1], [True, True, False, False], [1, 2, 2, 1])
    missed = {"false_negative": -2, "true_negative": 2}
    settings = ValueSettings(capacity=0.5, true_positive=5, false_positive=-1, **missed)
    found = values(rows, settings)
    # The first row is a hit, the second place is a hit half of the time: 1.5 hits, 0.5 alarms.
    assert found.loc["model", "value_per_1000"] == pytest.approx((7.5 - 0.5 - 1 + 3) / 4 * 1000)
    assert found.loc["model", "acted_per_1000"] == 500
    assert found.loc["model", "se"] == pytest.approx(1250)  # 1,000 or 3,500 without a cluster
    # The threshold takes all rows of one score or none: just the first fits.
    at_threshold = found.loc["model_at_threshold", "value_per_1000"]
    assert at_threshold == pytest.approx((5 - 2 + 2 * 2) / 4 * 1000)


def test_no_end_is_beyond_the_best_or_worst_gain_and_equal_rows_have_an_interval() -> None:
    """A tenth is flagged: 100 of 1,000, which gain 5 or lose 1 each."""
    settings = ValueSettings(capacity=0.1, true_positive=5, false_positive=-1)
    score, clusters = np.linspace(1, 0, 400), np.arange(400) % 10
    for wrong in (0, 1, 39, 40):
        right = np.where(np.arange(400) < 40, np.arange(400) >= wrong, False)
        right[-40:] = True
        low, high = values(table(score, right, clusters), settings).loc["model", ["low", "high"]]
        assert -100 <= low < high <= 500


def test_one_cluster_gives_no_value_where_a_threshold_was_sought() -> None:
    for clusters, capacity, lines in ((1, None, 0), (2, None, 5), (1, 0.5, 6)):
        rows = random_table(clusters=clusters)
        settings = GAINS.model_copy(update={"capacity": capacity})
        point = OperatingPoint((0.5, 0.5), settings, here=True)
        assert len(value_table(Evaluated(rows, context(rows)), point)) == lines


def test_the_baseline_is_treated_as_the_model_is() -> None:
    rows = random_table()
    prior = rows.assign(score=rows["target"].mean())
    found = values(rows, GAINS, baseline=prior)
    difference = found.loc["model"] - found.loc["baseline"]
    for column in ("value_per_1000", "acted_per_1000"):
        assert found.loc["difference", column] == pytest.approx(difference[column])
    assert found.loc["difference", "low"] > 0
    # The prior knows no better than to act on all or on none.
    blind = found.loc[["act_on_all", "act_on_none"], "value_per_1000"]
    assert found.loc["baseline", "value_per_1000"] == blind.max()


def test_nothing_is_worth_anything_without_gains() -> None:
    assert values(random_table(), ValueSettings(capacity=0.1)).empty
    assert curve_of(random_table(), ValueSettings(capacity=0.1)).empty


def test_the_curve_has_its_top_and_at_most_200_points() -> None:
    rows = random_table(rows=3000)
    curve = curve_of(rows)
    # 199 evenly spread, and the top between two of them
    assert len(curve) == 200
    assert curve["threshold"].is_monotonic_decreasing
    assert curve["acted_per_1000"].iloc[-1] == 1000
    assert curve["recall"].iloc[-1] == 1
    best = choose_threshold(rows, context(), GAINS)
    acted = rows["score"] >= best
    gain = 5 * (acted & rows["target"]).sum() - (acted & ~rows["target"]).sum()
    assert curve["value_per_1000"].max() == pytest.approx(gain / 3)


def test_the_curve_worked_out_by_hand() -> None:
    rows = table([0.9, 0.6, 0.6, 0.2], [True, False, True, False], [1, 2, 2, 1])
    curve = curve_of(rows.assign(weight=[1.0, 2.0, 1.0, 1.0]))
    # Hits 1, 2, 2 and false alarms 0, 2, 3 of five.
    assert curve["threshold"].tolist() == [0.9, 0.6, 0.2]
    assert curve["acted_per_1000"].tolist() == [200, 800, 1000]
    assert curve["precision"].tolist() == [1, 2 / 4, 2 / 5]
    assert curve["recall"].tolist() == [1 / 2, 1, 1]
    assert curve["value_per_1000"].tolist() == [1000, 1600, 1400]
    # At the first without a cluster 0 and 2,500: se 1,250, and t of one degree is 12.706.
    assert curve["value_per_1000_low"][0] == pytest.approx(1000 - 12.706 * 1250, rel=1e-4)
