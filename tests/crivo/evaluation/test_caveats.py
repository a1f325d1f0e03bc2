"""Each warning appears when it should, says what to do, and is silent otherwise."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crivo.core.blocks import Context
from crivo.evaluation.caveats import block_advice, caveats
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.tasks import Evaluated, heavy_tails, rare_classes
from tests.crivo.statistics.test_serial import following

AUC = find_metrics(["roc_auc"], "binary")
MEDIAN = find_metrics(["median_absolute_error", "mae"], "regression")


def result(deleted, value=0.7, *, name="roc_auc", reasons=None, count=10_000, ordered=True):
    table = pd.DataFrame({name: np.asarray(deleted, float)})
    return Jackknife(pd.Series({name: value}), table, reasons or {}, count, ordered)


NOISE = 0.7 + 0.01 * np.random.default_rng(1).standard_normal(61)
WAVE = 0.7 + 0.01 * np.sin(np.arange(61) / 5)


def test_fewer_than_eight_clusters_are_few():
    assert caveats(result(NOISE[:8]), AUC) == []
    assert caveats(result(NOISE[:7]), AUC) == [
        "There are only 7 clusters; with fewer than 8, intervals are rough. Choose "
        "evaluate.cluster or evaluate.block so that there are more."
    ]


def test_unequal_clusters_are_fewer_than_they_seem():
    assert caveats(replace(result(NOISE[:12]), effective=7.95), AUC) == []
    assert caveats(replace(result(NOISE[:8]), effective=7.9), AUC) == []
    assert caveats(replace(result(NOISE[:12]), effective=7.94), AUC) == [
        "The 12 clusters are so unequal that they carry only as much information as 7.9 "
        "equal ones; with fewer than 8, intervals are rough. A few clusters, or a few rows with "
        "large weights, decide the result."
    ]


def test_what_is_not_defined_is_said_with_its_reason():
    reasons = {"roc_auc": "no row is positive"}
    assert caveats(result([np.nan] * 9, np.nan, reasons=reasons), AUC) == [
        "roc_auc is not defined: no row is positive."
    ]
    reasons = {"roc_auc": "no row is positive without cluster 3"}
    assert caveats(result([np.nan, *NOISE], reasons=reasons), AUC) == [
        "roc_auc has no interval: no row is positive without cluster 3."
    ]


def test_alike_neighbours_are_warned_of_when_clusters_have_an_order():
    (found,) = caveats(result(WAVE), AUC)
    assert found.startswith("roc_auc (0.9")
    assert found.endswith(
        "): neighbouring clusters are similar (autocorrelation above 0.26), so the interval was "
        "widened, but it may still be too narrow; longer blocks (evaluate.block) help."
    )
    assert caveats(result(WAVE, ordered=False), AUC) == []


def test_a_metric_that_one_cluster_keeps_from_perfection_has_a_rough_interval():
    assert caveats(result([0.9, 0.91, 1.0, *[0.9] * 6], 0.9, ordered=False), AUC)[0] == (
        "roc_auc: the value would be 1 without cluster 2; errors are so rare that the interval "
        "is rough."
    )


def test_metrics_with_the_same_fault_are_warned_of_once():
    one, few = result([0.9, 1.0, *[0.9] * 7], 0.9, ordered=False), find_metrics(["f1"], "binary")
    values, deleted = pd.Series({"roc_auc": 0.9, "f1": 0.9}), one.deleted["roc_auc"]
    both = replace(one, values=values, deleted=one.deleted.assign(f1=deleted))
    assert caveats(both, [*AUC, *few])[0] == (
        "roc_auc, f1: the value would be 1 without cluster 1; errors are so rare that the interval "
        "is rough."
    )


def test_a_cluster_that_decides_the_error_alone_is_named():
    """Distances 1 and -1/11, eleven times: 1 of 1 + 1/11, which is 92 %."""
    alone = [0.7] * 11 + [0.8]
    assert caveats(result(alone, ordered=False), AUC) == [
        "roc_auc (92 %): cluster 11 accounts for so much of the variance that the interval may be "
        "too narrow: future rows may contain more such clusters."
    ]
    (unequal,) = caveats(replace(result(alone, ordered=False), effective=7.9), AUC)
    assert "decide the result" in unequal


@pytest.mark.parametrize("clusters", [13, 61])
def test_one_cluster_alone_has_half_of_the_variance_and_more_than_by_chance(clusters):
    """The distance of one is 1, of the others ±b around what makes their mean 0."""
    others, sign = clusters - 1, np.arange(clusters - 1) % 2 * 2 - 1
    by_chance = stats.f.ppf(1 - 0.01 / clusters, 1, clusters - 2)  # Cochran (1941), as an F
    limit = max(0.5, by_chance / (by_chance + clusters - 2))
    for part, count in ((limit - 1e-6, 0), (limit + 1e-6, 1)):
        b = np.sqrt((1 / part - clusters / others) / others)
        deleted = [0.71, *(0.7 + 0.01 * (b * sign - 1 / others))]
        assert len(caveats(result(deleted, ordered=False), AUC)) == count


def test_quantiles_need_large_clusters():
    table = pd.DataFrame({"median_absolute_error": NOISE[:20], "mae": NOISE[:20]})
    values = pd.Series({"median_absolute_error": 0.7, "mae": 0.7})
    assert caveats(Jackknife(values, table, {}, 400, False), MEDIAN) == []
    assert caveats(Jackknife(values, table, {}, 399, False), MEDIAN) == [
        "median_absolute_error: the interval of a quantile needs larger clusters than these (20 "
        "from 399 rows), so it is probably too narrow."
    ]


# --- what the rows hold too little of ---

REGRESSION = find_metrics(["rmse", "mae", "r2"], "regression")


def test_a_class_needs_thirty_rows():
    assert rare_classes({"a": 30, "b": 100, "c": 0}) == []
    assert rare_classes({"a": 29, "b": 100, "c": 1}) == [
        "Classes with fewer than 30 rows: a (29 rows), c (1 row). Intervals of metrics that "
        "depend on single classes, such as ROC AUC, recall and F1, may be too narrow."
    ]
    many = rare_classes({str(number): 3 for number in range(8)})[0]
    assert "4 (3 rows) and 3 more. Intervals" in many


@pytest.mark.parametrize(
    ("errors", "warned"),
    [(stats.t(2.5), True), (stats.t(3), True), (stats.t(5), False), (stats.laplace, False)],
)
def test_heavy_tails_are_warned_of_for_metrics_of_squared_errors(errors, warned):
    """The expected errors of a sample: quantiles of their distribution."""
    drawn = errors.ppf((np.arange(6000) + 0.5) / 6000)
    found = heavy_tails(drawn**2, np.ones(6000), REGRESSION)
    assert [text.partition(":")[0] for text in found] == (["rmse, r2"] if warned else [])


def test_a_row_of_great_weight_carries_the_sum_too():
    def found(heavy: float, rows: int = 100, metrics: list[Metric] = REGRESSION) -> list[str]:
        return heavy_tails(np.ones(rows), np.append(heavy, np.ones(rows - 1)), metrics)

    # just 25 %, too few rows, or no metric of squares
    assert found(33.0) == found(40.0, rows=49) == found(40.0, metrics=MAE) == []
    assert len(found(40.0, rows=50)) == 1
    assert found(40.0)[0] == (
        "rmse, r2: the largest 1 % of the squared errors make up 29 % of their sum (above 25 %), "
        "so the interval is probably too narrow: future errors may be larger. mae is affected less."
    )


# --- the block that a table suggests ---

MAE = find_metrics(["mae"], "regression")


def table(level: np.ndarray, rows: int = 20) -> tuple[pd.DataFrame, pd.Series]:
    """Return predictions whose errors have the size of their day, in blocks of five days."""
    day = np.repeat(np.arange(len(level)), rows)
    error = np.exp(level[day] / 2)
    found = pd.DataFrame({"id": [f"{i:05d}" for i in range(len(day))], "target": error})
    found = found.assign(prediction=0.0, cluster=day // 5, weight=1.0)
    return found, pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D"))


def test_days_that_follow_each_other_ask_for_longer_blocks():
    predictions, days = table(following(0.8, 60))
    signs = np.where(np.arange(len(predictions)) % 2, 1, -1)
    evened = predictions.assign(target=signs * predictions["target"])  # its mean says nothing
    advised, warning = block_advice(Evaluated(evened, Context("regression")), MAE, days, 5)
    assert advised == 15  # at least four blocks must remain
    assert warning == (
        "Blocks of 5 are too short for mae, whose values stay correlated for longer: "
        f"intervals may be too narrow. The data suggest evaluate.block: {advised}."
    )
    same, least = Evaluated(evened, Context("regression")), int(np.ceil(advised / 1.25))
    known = [block_advice(same, MAE, days, block) for block in (least - 1, least)]
    assert [bool(one[1]) for one in known] == [True, False]
    close = predictions.assign(prediction=predictions["target"] + signs)  # mae is 1 every day
    level = Evaluated(close, Context("regression"))
    expected = advised, warning.replace("mae", "the mean target")
    assert block_advice(level, MAE, days, 5) == expected


@pytest.mark.parametrize("order", [True, False])
def test_independent_or_unordered_days_ask_for_nothing(order):
    predictions, days = table(following(0.0, 60, seed=1) if order else following(0.8, 60))
    periods = days if order else days.dt.day_name().str.cat(days.astype("str"))
    evaluated = Evaluated(predictions, Context("regression"))
    assert block_advice(evaluated, MAE, periods, 5) == (1, "")
