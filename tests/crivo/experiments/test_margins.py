"""What stands beside a difference: harm, no harm, what would decide it, and cautions."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from scipy.stats import t

from crivo.comparison.compare import compare
from crivo.comparison.text import as_text
from crivo.trials.confirmation import confirm
from tests.crivo.experiments.repository import (
    ONE_WAY,
    OTHER_WAY,
    Project,
    evaluated,
    evaluation_files,
    settings,
    spread,
)

MARGINS = settings(
    evaluators__standard__margin=0.05,
    evaluators__standard__margins={"log_loss": 0.03, "brier": 0.001},
)
ALONE, FREEDOM = 0.045, 8  # what the one planned trial may spend; nine clusters


def three(step: float, log_loss: float, brier: float, pattern=ONE_WAY, **about) -> dict[str, str]:
    """Return an experiment with a ROC AUC of 0.7 and two losses, all of which vary as much."""
    metrics = {"roc_auc": spread(0.70, step), "log_loss": spread(log_loss, step)}
    return evaluation_files(metrics | {"brier": spread(brier, step, pattern)}, **about)


def test_not_worse_is_shown_by_an_interval_within_the_margin(project: Project) -> None:
    """The ROC AUC differs by 0 ± 0.019, the log loss by -0.015, the Brier score by +0.005."""
    project.commit(three(0, 0.40, 0.20, settings=MARGINS))
    project.trial("slow", three(0.003, 0.385, 0.205))
    found = compare(["slow"], folder=project.folder)
    shown = found.metrics.loc["slow"]
    assert shown["verdict"].tolist() == ["equivalent", "undecided", "undecided"]
    assert shown["not_worse"].tolist() == [True, True, False]
    assert found.table.loc["slow", "not_worse"] == "log_loss"
    assert found.table.loc["slow", "worse"] == ""
    assert found.answer.startswith("slow is equivalent to main: roc_auc +0.000 [")
    assert found.notes[-1] == "Next: keep the simpler or faster model."
    assert as_text(found, details=True).count("undecided, not worse\n") == 1


def test_what_is_worse_by_just_its_margin_is_not_shown_to_be_no_worse(project: Project) -> None:
    quarter = {"margin": 0.25, "margins": {"log_loss": 0.25}}
    project.commit(evaluated(0.5, log_loss=0.5, settings=settings(evaluators__standard=quarter)))
    project.trial("half", evaluated(0.25, log_loss=0.75))
    found = compare(["half"], folder=project.folder)
    assert found.metrics["not_worse"].tolist() == [False, False]


@pytest.mark.parametrize("pattern_of_brier", [ONE_WAY, OTHER_WAY])
def test_the_other_metrics_share_the_error_of_one(project: Project, pattern_of_brier) -> None:
    """Metrics that move together cost nothing; of two that don't, each has about half."""
    project.commit(three(0, 0.40, 0.20))
    project.trial("slow", three(0.003, 0.42, 0.20, pattern_of_brier))
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
        files = evaluated(valid, step, model=name)
        project.commit(files) if name == "main" else project.trial(name, files)
        project.trial(f"{name}-test", evaluated(opened, step, model=name, **test))
    assert confirm("slow", anyway=False, folder=project.folder).outcome == "too small to matter"


# Products of neighbours 24 over 32 squares: an autocorrelation of 0.75.
SLOW = (2, 2, 2, 2, 0, -2, -2, -2, -2)
FAST = (1, -1, 1, -1, 1, -1, 1, -1, 0)


def notes(
    folder: Path, pattern: Sequence[int], block: int = 5, step: float = 0.003, **about: object
) -> list[str]:
    """Return what is said beside the comparison of a trial with main."""
    own = settings(evaluate={"split": "valid", "cluster": "date", "block": block})
    project = Project(folder)
    files = evaluated(0.7, settings=own, **about)
    project.commit(files)
    trial = evaluated(0.77, step, pattern, settings=own, **about)
    project.trial("slow", trial)
    found = compare(["slow"], folder=folder).notes
    return [one for one in found if "after this selection" not in one and "Next: " not in one]


def test_a_verdict_is_held_back_if_neighbouring_clusters_differ_alike(tmp_path: Path) -> None:
    """It would be better if the same differences came in another order."""
    assert notes(tmp_path / "slow", SLOW) == [
        "Undecided because differences in neighbouring clusters are correlated: roc_auc of slow. "
        "Longer blocks (evaluate.block) or more clusters help."
    ]
    assert notes(tmp_path / "fast", FAST) == []
    # Where none is seen, one of 1.5 errors doesn't move 45 standard errors.
    none = (1, 1, -1, -1, 1, 1, -1, 0, -1)
    assert notes(tmp_path / "none", none, step=0.07 / 45 * 3 / 8) == []


def test_clusters_without_order_have_no_neighbours(tmp_path: Path) -> None:
    assert notes(tmp_path / "hash", SLOW, block=1) == []
    assert notes(tmp_path / "told", SLOW, clusters_in_order=False) == []
    assert len(notes(tmp_path / "days", SLOW, block=1, clusters_in_order=True)) == 1
    assert notes(tmp_path / "short", FAST, advised_block=7) == [
        "The evaluation found its blocks too short and suggests evaluate.block: 7; intervals of "
        "differences may be too narrow as well."
    ]


def losses(far: float) -> str:
    """Return a hundred rows' losses: two are far off."""
    return " ".join(["0.1"] * 98 + [str(far)] * 2)


@pytest.mark.parametrize(
    ("metric", "losses_of", "said"),
    [
        ("rmse", (losses(9), losses(0.1)), "Uncertain because "),
        ("rmse", (losses(9), losses(9.1)), "Undecided because "),
        ("rmse", ("0.1 0.3 " * 50, "0.3 0.1 " * 50), ""),
        ("rmse", ("", losses(9)), ""),
        ("r2", (losses(9), losses(0.1)), "Uncertain because "),
        ("accuracy", (losses(9), losses(0.1)), ""),
    ],
)
def test_a_verdict_that_few_rows_carry_is_named(
    tmp_path: Path, metric: str, losses_of: tuple[str, str], said: str
) -> None:
    """Two of a hundred: a skewness of 6.86, of the mean 0.686; a bounded metric isn't moved.

    0.025 is 3.1 standard errors, more than the 2.37 of t; but to the side that has the two rows,
    the interval reaches 3.73, as that of a count with this skewness does at 2.25 %.
    """
    task = "binary" if metric == "accuracy" else "regression"
    project = Project(tmp_path)
    project.commit(evaluated(0.7, metric=metric, task=task, losses=losses_of[0]))
    gain = 0.025 if said.startswith("Und") else -0.2
    told = {"metric": metric, "task": task, "losses": losses_of[1]}
    project.trial("far", evaluated(0.7 - gain, 0.003, **told))
    notes = " ".join(compare(["far"], folder=tmp_path).notes)
    told = f"the difference rests on few rows: {metric} of far"
    assert (said + told in notes) if said else (told not in notes)
