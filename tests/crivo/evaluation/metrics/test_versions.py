"""Each shipped metric has the numbers of its version, also when a cluster is left out.

`numbers.json` holds them for three fixed tables; other libraries confirm those that they know. When
a number has to change, raise the metric's version (or `JACKKNIFE`) and run this file as a script.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk

from crivo.core.evaluation import Context
from crivo.core.tasks import TASKS
from crivo.evaluation.assess import JACKKNIFE
from crivo.evaluation.jackknife import jackknife
from crivo.evaluation.metrics import metrics_of

NUMBERS = Path(__file__).with_name("numbers.json")
CONTEXTS = {
    "binary": Context("binary", (False, True), True),
    "multiclass": Context("multiclass", ("a", "b", "c")),
    "regression": Context("regression"),
}
# Tables of 36 rows in six clusters, with ties and weights; made without a random generator.
ROWS = np.arange(36)
WAVE = np.round((np.sin(ROWS * 1.7) + 1) / 2.2 + 0.04, 2)


def table_of(task: str) -> pd.DataFrame:
    """Return the fixed table of a task."""
    columns = {
        "id": [f"{row:02}" for row in ROWS],
        "cluster": [f"c{row % 6}" for row in ROWS],
        "weight": 1.0 + ROWS % 3,
    }
    if task == "binary":
        target = (WAVE + np.cos(ROWS * 2.3) / 2) > 0.5
        return pd.DataFrame({**columns, "target": target, "prediction": WAVE > 0.5, "score": WAVE})
    if task == "multiclass":
        other = np.round((np.cos(ROWS * 0.9) + 1) / 2.2 + 0.04, 2)
        scores = np.array([WAVE, other, np.full(36, 0.4)]).T
        scores /= scores.sum(axis=1, keepdims=True)
        names = np.array(["a", "b", "c"])
        target = names[(scores + np.eye(3)[ROWS % 3] / 3).argmax(axis=1)]
        shown = {f"score_{name}": scores[:, place] for place, name in enumerate(names)}
        prediction = names[scores.argmax(axis=1)]
        return pd.DataFrame({**columns, "target": target, "prediction": prediction, **shown})
    target = 10 * WAVE + np.cos(ROWS * 2.3)
    return pd.DataFrame({**columns, "target": target, "prediction": 9 * WAVE + 0.5})


def numbers_of(task: str) -> dict[str, dict[str, object]]:
    """Return each metric's version and its numbers on the fixed table."""
    known = metrics_of(task)
    found = jackknife(table_of(task), list(known.values()), CONTEXTS[task])
    return {
        name: {
            "version": metric.definition,
            "value": found.values[name],
            "without": found.deleted[name].tolist() if metric.interval else [],
        }
        for name, metric in known.items()
    }


@pytest.mark.parametrize("task", TASKS)
def test_the_numbers_of_a_version_stay_what_they_are(task: str) -> None:
    stored = json.loads(NUMBERS.read_text(encoding="utf-8"))
    assert stored["jackknife"] == JACKKNIFE
    known = numbers_of(task)
    assert known.keys() == stored[task].keys()
    for name, found in known.items():
        expected = stored[task][name]
        assert found["version"] == expected["version"], name
        assert found["value"] == pytest.approx(expected["value"], rel=1e-12), name
        assert found["without"] == pytest.approx(expected["without"], rel=1e-12), name


def oracles(task: str, rows: pd.DataFrame) -> dict[str, float]:
    """Return the metrics that scikit-learn has, on some rows."""
    target, weight = rows["target"].to_numpy(), rows["weight"]
    if task == "regression":
        both = target, rows["prediction"]
        return {
            "rmse": sk.root_mean_squared_error(*both, sample_weight=weight),
            "mae": sk.mean_absolute_error(*both, sample_weight=weight),
            "r2": sk.r2_score(*both, sample_weight=weight),
        }
    labels = target, rows["prediction"]
    accuracy = {"accuracy": sk.accuracy_score(*labels, sample_weight=weight)}
    if task == "multiclass":
        scores = rows[["score_a", "score_b", "score_c"]].to_numpy()
        return accuracy | {
            "log_loss": sk.log_loss(target, scores, sample_weight=weight),
            "balanced_accuracy": sk.balanced_accuracy_score(*labels, sample_weight=weight),
            "macro_f1": sk.f1_score(*labels, average="macro", sample_weight=weight),
        }
    score = rows["score"]
    return accuracy | {
        "roc_auc": sk.roc_auc_score(target, score, sample_weight=weight),
        "average_precision": sk.average_precision_score(target, score, sample_weight=weight),
        "log_loss": sk.log_loss(target, score, sample_weight=weight),
        "brier": sk.brier_score_loss(target, score, sample_weight=weight),
        "precision": sk.precision_score(*labels, sample_weight=weight),
        "recall": sk.recall_score(*labels, sample_weight=weight),
        "f1": sk.f1_score(*labels, sample_weight=weight),
        "calibration_in_the_large": float(np.average(score - target, weights=weight)),
    }


@pytest.mark.parametrize("task", TASKS)
def test_the_stored_numbers_are_those_of_scikit_learn(task: str) -> None:
    stored, rows = json.loads(NUMBERS.read_text(encoding="utf-8"))[task], table_of(task)
    for name, value in oracles(task, rows).items():
        assert stored[name]["value"] == pytest.approx(value, rel=1e-12), name
    for place, cluster in enumerate(sorted(rows["cluster"].unique())):
        for name, value in oracles(task, rows[rows["cluster"] != cluster]).items():
            assert stored[name]["without"][place] == pytest.approx(value, rel=1e-12), name


if __name__ == "__main__":
    made = {"jackknife": JACKKNIFE} | {task: numbers_of(task) for task in TASKS}
    NUMBERS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
