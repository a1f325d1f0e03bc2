"""What a refit changes is shown metric by metric, with the interval of the difference."""

from math import sqrt
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import t
from sklearn.dummy import DummyRegressor

from crivo.core import artifacts
from crivo.core.evaluation import Evaluation
from crivo.evaluation.refitted import refit_table, write_refitted


def evaluation(value: float, step: float) -> Evaluation:
    """Return an evaluation with three clusters, and a metric without an interval."""
    numbers = {"value": [value, 0.1], "se": 0.0, "low": value - 0.1, "high": value + 0.1}
    metrics = pd.DataFrame(numbers, index=["roc_auc", "expected_calibration_error"])
    deleted = pd.DataFrame({"roc_auc": [value - step, value, value + step], "own.metric": 0.0})
    nothing = metrics.iloc[:0]
    return Evaluation(metrics, nothing, nothing, deleted, "roc_auc", "d")


def test_the_difference_has_the_error_of_the_pair() -> None:
    """Deleted values of the difference: 0.02 - 0.01, 0.02, 0.02 + 0.01; se² = 2/3 · 0.0002."""
    table = refit_table([evaluation(0.72, 0.03), evaluation(0.70, 0.02)], "binary")
    assert table["metric"].tolist() == ["roc_auc"]
    row = table.iloc[0]
    reach = t.ppf(0.975, 2) * sqrt(2 / 3 * 0.0002)
    assert row[["refitted", "trial", "difference"]].tolist() == pytest.approx([0.72, 0.70, 0.02])
    assert row["difference_low"] == pytest.approx(0.02 - reach)
    assert row["difference_high"] == pytest.approx(0.02 + reach)
    assert row[["trial_low", "trial_high"]].tolist() == pytest.approx([0.6, 0.8])


def test_a_refitted_model_is_written_with_what_it_was_fitted_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    artifacts.MODEL.parent.mkdir()
    artifacts.MODEL.write_bytes(bytes(500_000))
    model = DummyRegressor().fit([[0.0], [1.0]], [1.0, 3.0])
    facts = write_refitted(model)
    assert facts["fitted_on"] == "training and validation rows"
    assert facts["model_mb"] == artifacts.REFIT_MODEL.stat().st_size / 1e6
    assert write_refitted(None) == {"fitted_on": "training rows", "model_mb": 0.5}
    assert [path.name for path in artifacts.REFIT.iterdir()] == ["fitted_on.json"]
