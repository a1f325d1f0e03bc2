"""What a refit changes is shown metric by metric, with the interval of the difference."""

from pathlib import Path

import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor

from crivo.core import artifacts
from crivo.core.evaluation import Evaluation
from crivo.evaluation.refitted import refit_table, write_refitted


def test_the_refitted_model_stands_beside_the_trial_s() -> None:
    def ends(value: float) -> dict[str, list[float]]:
        return {"value": [value, 0.1], "low": [value - 0.1, 0], "high": [value + 0.1, 1]}

    names = pd.Index(["roc_auc", "expected_calibration_error"], name="metric")
    gap = pd.DataFrame({"difference": [0.02], "low": [0.01], "high": [0.03]}, index=names[:1])
    both = (pd.DataFrame(ends(value), index=names) for value in (0.72, 0.70))
    table = refit_table(Evaluation(*both, gap, pd.DataFrame(), "roc_auc", "d"))
    assert table["metric"].tolist() == ["roc_auc"]  # what has no interval has no difference
    assert table.iloc[0, 1:].tolist() == pytest.approx(
        [0.72, 0.62, 0.82, 0.70, 0.60, 0.80, 0.02, 0.01, 0.03]
    )


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
