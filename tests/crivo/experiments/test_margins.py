"""What a comparison shows beyond one difference: harm, no harm, and what would decide it."""

import pytest
from scipy.stats import t

from crivo.comparison.compare import compare
from crivo.trials.confirmation import confirm
from tests.crivo.experiments.repository import (
    ONE_WAY,
    OTHER_WAY,
    Project,
    evaluation_files,
    settings,
    spread,
)

MARGINS = settings(evaluators__standard__margins={"log_loss": 0.03, "brier": 0.001})
ALONE, FREEDOM = 0.045, 8  # what the one planned trial may spend; nine clusters


def metrics(**others: tuple[float, list[float]]) -> dict[str, tuple[float, list[float]]]:
    return {"roc_auc": spread(0.70, 0.003), **others}


@pytest.fixture
def judged(project: Project) -> Project:
    """Give main with margins and a trial: log loss -0.015 ± 0.019, Brier score +0.005 ± 0.019."""
    project.commit(
        evaluation_files(
            {"roc_auc": spread(0.70), "log_loss": spread(0.40), "brier": spread(0.20)},
            settings=MARGINS,
        )
    )
    trial = metrics(log_loss=spread(0.385, 0.003), brier=spread(0.205, 0.003))
    project.trial("slow", evaluation_files(trial))
    return project


def test_not_worse_is_shown_by_an_interval_within_the_margin(judged: Project) -> None:
    found = compare(["slow"], folder=judged.folder)
    shown = found.metrics.loc["slow"]
    assert shown["verdict"].tolist() == ["undecided"] * 3
    assert shown["not_worse"].tolist() == [False, True, False]
    assert found.table.loc["slow", "not_worse"] == "log_loss"
    assert found.table.loc["slow", "worse"] == ""


@pytest.mark.parametrize("pattern_of_brier", [ONE_WAY, OTHER_WAY])
def test_the_other_metrics_share_the_error_of_one(project: Project, pattern_of_brier) -> None:
    """Metrics that move together cost nothing; of two that don't, each has about half."""
    project.commit(
        evaluation_files({"roc_auc": spread(0.70), "log_loss": spread(0.40), "brier": spread(0.20)})
    )
    brier = spread(0.20, 0.003, pattern_of_brier)
    project.trial("slow", evaluation_files(metrics(log_loss=spread(0.42, 0.003), brier=brier)))
    found = compare(["slow"], folder=project.folder).metrics.loc["slow"]
    alone, half = (t.ppf(1 - level / 2, FREEDOM) for level in (ALONE, ALONE / 2))
    assert found.loc["roc_auc", "critical"] == pytest.approx(alone, rel=1e-3)
    together = found["critical"].iloc[1:].tolist()
    assert together[0] == together[1]
    if pattern_of_brier == OTHER_WAY:
        assert alone + 0.9 * (half - alone) < together[0] <= half * 1.001
        # 0.02 is 2.5 standard errors: worse if it were the only other metric.
        assert found.loc["log_loss", "verdict"] == "undecided"
    else:
        assert together[0] == pytest.approx(alone, rel=1e-3)
        assert found.loc["log_loss", "verdict"] == "worse"


@pytest.mark.parametrize("gain", [0.02, 0.0])
def test_a_gain_within_the_margin_is_too_small_to_matter(project: Project, gain: float) -> None:
    margin = settings(evaluate__split="test", evaluators__standard__margin=0.05)
    test = {"split": "test", "rows": "t", "settings": margin}
    for name, valid, opened in (("main", 0.70, 0.68), ("slow", 0.76, 0.68 + gain)):
        step = 0.003 * (name == "slow")
        files = evaluation_files({"roc_auc": spread(valid, step)}, model=name)
        project.commit(files) if name == "main" else project.trial(name, files)
        later = {"roc_auc": spread(opened, step)}
        project.trial(f"{name}-test", evaluation_files(later, model=name, **test))
    assert confirm("slow", folder=project.folder).outcome == "too small to matter"
