"""Sentences beside a comparison: neighbours that differ alike, blocks and sizes of clusters."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from crivo.comparison.compare import compare
from tests.crivo.experiments.repository import Project, evaluation_files, settings, spread

# Products of neighbours 16 + 16 + 0 over 36 squares twice: an autocorrelation of 0.78.
SLOW = (2, 2, 2, 2, 0, -2, -2, -2, -2)
FAST = (1, -1, 1, -1, 1, -1, 1, -1, 0)


def notes(folder: Path, pattern: Sequence[int], block: int = 5, **about: object) -> list[str]:
    """Return what is said beside the comparison of a trial with main."""
    own = settings(evaluate={"split": "valid", "cluster": "date", "block": block})
    project = Project(folder)
    files = evaluation_files({"roc_auc": spread(0.7)}, settings=own, **about)
    project.commit(files)
    trial = evaluation_files({"roc_auc": spread(0.77, 0.003, pattern)}, settings=own, **about)
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


def test_clusters_without_order_have_no_neighbours(tmp_path: Path) -> None:
    assert notes(tmp_path / "hash", SLOW, block=1) == []
    assert notes(tmp_path / "told", SLOW, clusters_in_order=False) == []
    assert len(notes(tmp_path / "days", SLOW, block=1, clusters_in_order=True)) == 1


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
    project.commit(evaluation_files({metric: spread(0.7)}, task=task, losses=losses_of[0]))
    gain = 0.025 if said.startswith("Und") else -0.2
    step = spread(0.7 - gain, 0.003)
    project.trial("far", evaluation_files({metric: step}, task=task, losses=losses_of[1]))
    notes = " ".join(compare(["far"], folder=tmp_path).notes)
    told = f"the difference rests on few rows: {metric} of far"
    assert (said + told in notes) if said else (told not in notes)
