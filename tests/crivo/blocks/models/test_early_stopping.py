"""Boosters stop early on watched training rows, which don't teach, and keep the best iteration."""

from importlib.util import find_spec
from pathlib import Path
from pkgutil import resolve_name
from traceback import format_stack
from typing import Any
from unittest.mock import Mock

import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import log_loss, root_mean_squared_error
from threadpoolctl import threadpool_limits

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.modelfile.canonical import dump_model, load_model, save_model

from .tasks import INPUTS, TARGETS, WATCH, fitted

LIBRARIES = [name for name in ("lightgbm", "xgboost") if find_spec(name)]
ROUNDS = {"boosting": "max_iter", "lightgbm": "n_estimators", "xgboost": "n_estimators"}
BOOSTERS = ["boosting", *LIBRARIES]
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


def taught(name: str, inputs: pd.DataFrame, target: pd.Series, watch: Any, stop: int) -> Any:
    """Return a booster of five trees at most, fitted on other inputs or targets."""
    block = make_block("model", name, {"early_stopping": stop, ROUNDS[name]: 5})
    task = "regression" if target.dtype == float else "multiclass"
    return block.fit(block.build(task, 3), inputs, target, Training(watch, lambda losses: None))


@pytest.mark.parametrize("name", BOOSTERS)
def test_watched_rows_do_not_teach(name: str) -> None:
    wrong = TARGETS["quantity"][1].mask(pd.Series(WATCH), 1000.0)
    assert taught(name, INPUTS, wrong, WATCH, 50).predict(INPUTS).max() < 100


@pytest.mark.parametrize("target", TARGET)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_logs_each_iteration_stops_and_predicts_with_the_best(
    library: str, target: str, tmp_path: Path
) -> None:
    log: list[tuple[dict[str, float], str]] = []
    quick = {"learning_rate": 0.5, "n_estimators": 300, "early_stopping": 8}
    tell = lambda losses: log.append((losses, "".join(format_stack())))  # noqa: E731
    model = reloaded(fitted(library, target, tell, **quick), tmp_path)
    assert all(f"/{library}/" in stack for _, stack in log), "told after the fit"
    watched = [losses["early_stopping_loss"] for losses, _ in log]
    assert min(watched) == watched[-9]
    assert loss(model, target) == pytest.approx(min(watched), rel=1e-4)


@pytest.mark.parametrize("target", ["three texts", "quantity"])
def test_boosting_keeps_its_best_iteration(target: str, tmp_path: Path) -> None:
    """One that may grow no further than the best iteration is just as good."""
    quick = {"learning_rate": 0.5, "early_stopping": 8}
    model = reloaded(fitted("boosting", target, max_iter=60, **quick), tmp_path)
    best = model.n_iter_
    sizes = sorted({1, best - 2, best - 1, best, best + 1, best + 2, best + 8} - {-1, 0})
    losses = [loss(fitted("boosting", target, max_iter=size, **quick), target) for size in sizes]
    assert loss(model, target) == pytest.approx(min(losses))
    assert best == sizes[losses.index(min(losses))]


def test_boosting_that_only_does_harm_keeps_one_iteration() -> None:
    quantity = TARGETS["quantity"][1]
    harmed = taught("boosting", INPUTS, quantity.mask(pd.Series(WATCH), -quantity), WATCH, 3)
    assert (harmed.n_iter_, len(harmed.validation_score_)) == (1, 2)


def test_boosting_that_does_not_stop_early_is_that_of_scikit_learn() -> None:
    target = TARGETS["quantity"][1]
    own = HistGradientBoostingRegressor(max_iter=5, early_stopping=False, random_state=3)
    made = taught("boosting", INPUTS, target, WATCH, 0)
    assert made.predict(INPUTS).tolist() == own.fit(INPUTS, target).predict(INPUTS).tolist()


@pytest.mark.parametrize(("watch", "count"), [(WATCH & False, 0), (WATCH | True, 240)])
def test_stopping_early_needs_rows_to_watch_and_rows_to_fit_on(watch: Any, count: int) -> None:
    with pytest.raises(CrivoError, match=f"but {count} of 240 training rows would be watched"):
        taught("boosting", INPUTS, TARGETS["quantity"][1], watch, 3)


@pytest.mark.parametrize("early", [0, 3])
def test_a_number_that_no_teaching_row_has_is_no_error(early: int) -> None:
    inputs = INPUTS.assign(late=pd.Series(1.0, INPUTS.index).where(WATCH & (early > 0)))
    model = taught("boosting", inputs, TARGETS["quantity"][1], WATCH, early)
    seen = model.predict(inputs.assign(late=7.0))
    assert (seen == model.predict(inputs.assign(late=float("nan")))).all()


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_file_does_not_depend_on_the_number_of_cores(library: str) -> None:
    one = fitted(library, "text", lambda losses: None, n_estimators=5)
    with threadpool_limits(2, user_api="openmp"):
        two = fitted(library, "text", lambda losses: None, n_estimators=5)
    assert dump_model(one) == dump_model(two)


@pytest.mark.parametrize(
    ("library", "kind", "prefix"),
    [("lightgbm", "basic.LightGBMError", "LGBM"), ("xgboost", "core.XGBoostError", "XGB")],
)
def test_a_library_that_refuses_says_so_in_a_sentence(
    library: str, kind: str, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(library)
    refusal = Mock(side_effect=resolve_name(f"{library}.{kind}")("no such\n depth " + "x" * 400))
    monkeypatch.setattr(f"{library}.{prefix}Regressor.fit", refusal)
    # The first 400 characters.
    words = (
        f"^{library} refused its settings .*: no such depth x{{386}}. Correct models.{library}.$"
    )
    with pytest.raises(CrivoError, match=words):
        fitted(library, "quantity")
