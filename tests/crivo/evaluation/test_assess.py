"""A whole evaluation: model, baseline, verdicts, jackknife table, warnings."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.evaluation.assess import assess, loss_sample
from crivo.evaluation.metrics import find_metrics
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.departures import of_neighbours, serial_factor
from crivo.statistics.intervals import Estimate, interval
from tests.crivo.evaluation.tables import scored

RANDOM = np.random.default_rng(0)
SCORE = RANDOM.random(600)
TABLE = scored(SCORE, RANDOM.random(600) < SCORE, cluster=np.arange(600) // 30)
BASELINE = TABLE.assign(prediction=False, score=0.5)
CONTEXT = Context("binary", classes=(False, True), positive=True, baseline=BASELINE)
METRICS = find_metrics(["roc_auc", "brier", "precision", "expected_calibration_error"], "binary")


def test_every_metric_with_an_interval_has_a_verdict_against_the_baseline():
    found = assess(TABLE, CONTEXT, METRICS).against_baseline
    verdicts = {"roc_auc": "better", "brier": "better", "precision": "undecided"}
    assert found["verdict"].to_dict() == verdicts
    assert found.loc["brier", "difference"] < 0


def test_margin_is_for_the_primary_metric():
    near = TABLE.assign(score=np.clip(SCORE + 0.0001, 0, 1))
    context = replace(CONTEXT, baseline=near)
    metrics = find_metrics(["log_loss", "brier"], "binary")
    for margins, verdict in (({}, "undecided"), ({"brier": 0.01}, "equivalent")):
        found = assess(TABLE, context, metrics, 0.01, margins).against_baseline["verdict"]
        assert found.to_dict() == {"log_loss": "equivalent", "brier": verdict}


def test_the_losses_of_a_thousand_rows_are_recorded_with_three_digits():
    score = np.linspace(0.2, 0.8, 1001)
    losses = loss_sample(Evaluated(scored(score, score > 0), CONTEXT)).split()
    assert [len(losses), losses[0], losses[-1]] == [1000, f"{-np.log(0.2):.3g}", "0.223"]


def test_warnings_say_whose_metric_is_missing():
    found = assess(TABLE.iloc[:100], replace(CONTEXT, baseline=BASELINE.iloc[:100]), METRICS)
    assert found.warnings[0].startswith("There are only 4 clusters")
    said = "precision of the baseline is not defined: no row is predicted positive."
    assert found.warnings[-1] == said


@pytest.mark.parametrize(
    "other", [BASELINE.iloc[1:], BASELINE[::-1], BASELINE.assign(target=~TABLE["target"])]
)
def test_a_baseline_of_other_rows_is_refused(other):
    with pytest.raises(
        CrivoError,
        match=r"^The baseline's predictions are for other rows: column '(id|target)' differs\. "
        r"A baseline must have the same rows in the same order\.$",
    ):
        assess(TABLE, replace(CONTEXT, baseline=other), METRICS)


def test_unequal_clusters_widen_every_interval_alike():
    """Of 20 clusters the first 11 are one: 330 of 600 rows, and 9 of 30."""
    uneven = TABLE.assign(cluster=TABLE["cluster"].clip(lower=10))
    found = assess(uneven, CONTEXT, METRICS)
    effective = 600**2 / (330**2 + 9 * 30**2)
    assert found.effective_clusters == pytest.approx(effective)
    reach = stats.t.ppf(0.975, effective - 1)
    line = found.against_baseline.loc["brier"]
    assert line["high"] == pytest.approx(line["difference"] + reach * line["se"])
    value, deleted = found.metrics.loc["brier", "value"], found.jackknife["brier"].to_numpy()
    own = Estimate(value, deleted, effective, in_order=True)
    assert found.metrics.loc["brier"].tolist()[1:] == pytest.approx([*interval(own, (0, 1))])
    assert "as much information as 3.1 equal ones" in found.warnings[0]


def test_the_verdict_against_the_baseline_allows_for_alike_neighbours_as_a_comparison_does():
    """Days that are easier and easier for the model; shuffled, they have the plain interval."""
    day = np.arange(600) // 30
    names = np.array([f"{number:02d}" for number in range(20)])
    target = RANDOM.random(600) < 0.5
    score = 0.5 + (target - 0.5) * (0.2 + 0.035 * day)
    drifting = scored(score, target, cluster=names[day])
    shuffled = drifting.assign(cluster="shop " + drifting["cluster"])
    even = replace(CONTEXT, baseline=drifting.assign(score=0.5))
    metrics = find_metrics(["brier"], "binary")
    results = (assess(table, even, metrics) for table in (drifting, shuffled))
    found, plain = (one.against_baseline.loc["brier"] for one in results)
    assert found["difference"] == plain["difference"]
    serial = of_neighbours(assess(drifting, even, metrics).jackknife["brier"].to_numpy()[None])
    assert serial.serial > 0.8
    assert found["se"] == pytest.approx(serial_factor(serial.serial, 20) * plain["se"])
    assert plain["verdict"] == "better"
    assert found["verdict"] == "undecided"


def exact_low(count):
    return stats.binomtest(count, count).proportion_ci(0.95).low


@pytest.mark.parametrize(("rows_each", "positives"), [(1, 30), (3, 10)])
def test_without_a_mistake_the_interval_is_the_exact_one_of_a_binomial_share(rows_each, positives):
    target = np.arange(69) < 30
    clusters = [f"cluster {i}" for i in np.arange(69) // rows_each]
    right = scored(np.where(target, 0.9, 0.1), target, cluster=clusters)
    names = ["accuracy", "precision", "recall", "roc_auc", "precision_at_share", "brier"]
    context = Context("binary", classes=(False, True), positive=True)
    found = assess(right, context, find_metrics(names, "binary"))
    outcomes = dict.fromkeys(names, positives) | {"accuracy": 69 // rows_each}
    del outcomes["brier"]
    for name, count in outcomes.items():
        ends = found.metrics.loc[name, ["low", "high"]].tolist()
        assert ends == [pytest.approx(exact_low(count)), 1]
    # 0.01 in each row: a mean of numbers that aren't shares keeps the width that they have.
    assert found.metrics.loc["brier", ["low", "high"]].tolist() == pytest.approx([0.01, 0.01])
    assert not [line for line in found.warnings if "no width" in line]
    three = np.digitize(np.arange(69), (30, 54))  # the rarest class has 15 rows
    scores = {f"score_{k}": (three == k).astype(float) for k in range(3)}
    right = right.drop(columns="score").assign(target=three, prediction=three, **scores)
    metric = find_metrics(["roc_auc_ovr"], "multiclass")
    found = assess(right, Context("multiclass", classes=(0, 1, 2)), metric)
    assert found.metrics.loc["roc_auc_ovr", "low"] == pytest.approx(exact_low(15 // rows_each))


def test_hits_alone_in_the_share_have_the_exact_interval_whichever_cluster_is_left_out():
    """Without a cluster the share reaches further down, where misses are; 30 hits may be luck."""
    position = np.arange(300)
    target, cluster = (position < 35) | (position % 2 == 0), [f"c{i}" for i in position % 20]
    made = scored(1 - position / 301, target, cluster=cluster)
    context = Context("binary", classes=(False, True), positive=True)
    found = assess(made, context, find_metrics(["precision_at_share"], "binary"))
    assert found.jackknife["precision_at_share"].nunique() > 1
    # 30 rows of 20 clusters, ten of which have two: 30² / (10 · 2² + 10 · 1²) = 18.
    line = found.metrics.loc["precision_at_share"].tolist()
    assert [line[0], *line[2:]] == [1, pytest.approx(exact_low(18)), 1]


def test_equal_scores_at_the_cut_share_what_is_left_of_it():
    score = np.array([0.9] * 4 + [0.8] * 8 + [0.1] * 28)
    table = TABLE.head(40).assign(
        target=score > 0.5, prediction=score > 0.5, score=score, cluster=np.arange(40).astype(str)
    )
    context = Context("binary", classes=(False, True), positive=True)
    metric = find_metrics(["precision_at_share"], "binary", {"share": 0.2})
    found = assess(table, context, metric).metrics.loc["precision_at_share"]
    # Four rows count whole and eight by half: as many as the share has.
    assert found["low"] == pytest.approx(exact_low(8))
