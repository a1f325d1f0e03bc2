"""A refitted model is a file of its own."""

from pathlib import Path

import pytest
from sklearn.dummy import DummyRegressor

from crivo.core import artifacts
from crivo.evaluation.refitted import write_refitted


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
