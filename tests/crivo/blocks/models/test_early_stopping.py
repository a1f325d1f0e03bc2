"""Early stopping keeps the iterations up to the best one on the watched rows, in the file too."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import log_loss, root_mean_squared_error

from crivo.modelfile.canonical import load_model, save_model

from .tasks import INPUTS, TARGETS, WATCH, fitted

BOOSTERS = [name for name in ("lightgbm", "xgboost") if find_spec(name)]
TARGET = ["text", "three texts", "quantity"]


def loss(model: Any, target: str) -> float:
    """Return the loss on the watched rows."""
    task, values = TARGETS[target]
    rows, true = INPUTS[WATCH], values[WATCH]
    if task == "regression":
        return float(root_mean_squared_error(true, model.predict(rows)))
    return float(log_loss(true, model.predict_proba(rows), labels=model.classes_))


def reloaded(model: Any, folder: Path) -> Any:
    save_model(folder / "model.skops", model)
    return load_model(folder / "model.skops")


@pytest.mark.parametrize("target", TARGET)
@pytest.mark.parametrize("name", BOOSTERS)
def test_a_booster_predicts_with_its_best_iteration(name: str, target: str, tmp_path: Path) -> None:
    log: list[dict[str, float]] = []
    quick = {"learning_rate": 0.5, "n_estimators": 60, "early_stopping": 8}
    model = reloaded(fitted(name, target, log.append, **quick), tmp_path)
    assert loss(model, target) == pytest.approx(
        min(one["early_stopping_loss"] for one in log), rel=1e-4
    )


@pytest.mark.parametrize("target", TARGET)
def test_boosting_keeps_its_best_iteration(target: str, tmp_path: Path) -> None:
    """One that may grow no further than the best iteration is just as good."""
    quick = {"learning_rate": 0.5, "early_stopping": 8}
    model = reloaded(fitted("boosting", target, max_iter=60, **quick), tmp_path)
    best = model.n_iter_
    sizes = sorted({1, best - 2, best - 1, best, best + 1, best + 2, best + 8} - {-1, 0})
    losses = [loss(fitted("boosting", target, max_iter=size, **quick), target) for size in sizes]
    assert loss(model, target) == pytest.approx(min(losses))
    assert best == sizes[losses.index(min(losses))]
