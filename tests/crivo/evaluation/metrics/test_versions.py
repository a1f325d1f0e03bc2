"""Each shipped metric has the numbers of its version, also when a cluster is left out.

`numbers.json` holds them for three fixed tables. When a number has to change, raise the metric's
version (or `JACKKNIFE`) and run this file as a script.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.core.tasks import TASKS
from crivo.evaluation.assess import JACKKNIFE
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.tasks import Evaluated

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
    found = Evaluated(table_of(task), CONTEXTS[task]).jackknife(list(known.values()))
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


if __name__ == "__main__":
    made = {"jackknife": JACKKNIFE} | {task: numbers_of(task) for task in TASKS}
    NUMBERS.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
