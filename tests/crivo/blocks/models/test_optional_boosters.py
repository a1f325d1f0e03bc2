"""LightGBM and XGBoost log each iteration and stop early on watched training rows."""

from importlib.util import find_spec

import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.modelfile.canonical import dump_model
from crivo.training.boosters import refusing

from .tasks import INPUTS, TARGETS, WATCH, fitted

INSTALLED = [name for name in ("lightgbm", "xgboost") if find_spec(name)]


@pytest.mark.parametrize("library", INSTALLED)
def test_every_iteration_is_logged(library: str) -> None:
    log: list[dict[str, float]] = []
    fitted(library, "three texts", log.append, n_estimators=7)
    assert len(log) == 7
    assert set(log[0]) == {"train_loss"}
    assert log[-1]["train_loss"] < log[0]["train_loss"] < 1.2  # log loss of three classes


@pytest.mark.parametrize("target", ["text", "three numbers", "quantity"])
@pytest.mark.parametrize("library", INSTALLED)
def test_it_stops_when_the_watched_rows_gain_no_more(library: str, target: str) -> None:
    log: list[dict[str, float]] = []
    fitted(library, target, log.append, n_estimators=300, learning_rate=0.5, early_stopping=5)
    assert len(log) < 300
    watched = [losses["early_stopping_loss"] for losses in log]
    assert min(watched) == watched[-6]


@pytest.mark.parametrize("library", INSTALLED)
def test_watched_rows_do_not_teach(library: str) -> None:
    task, values = TARGETS["quantity"]
    wrong = values.mask(pd.Series(WATCH), 1000.0)
    block = make_block("model", library, {"early_stopping": 50, "n_estimators": 5})
    model = block.fit(block.build(task, 3), INPUTS, wrong, Training(WATCH, lambda losses: None))
    assert model.predict(INPUTS).max() < 100


@pytest.mark.parametrize("library", INSTALLED)
def test_the_file_does_not_depend_on_the_number_of_cores(library: str) -> None:
    one = fitted(library, "text", lambda losses: None, n_estimators=5)
    with threadpool_limits(2, user_api="openmp"):
        two = fitted(library, "text", lambda losses: None, n_estimators=5)
    assert dump_model(one) == dump_model(two)


@pytest.mark.parametrize(
    ("library", "kind"), [("lightgbm", "basic.LightGBMError"), ("xgboost", "core.XGBoostError")]
)
def test_a_library_that_refuses_says_so_in_a_sentence(library: str, kind: str) -> None:
    module, name = kind.split(".")
    error = getattr(pytest.importorskip(f"{library}.{module}"), name)
    words = f"{library} refused its settings .*: no such depth. Correct models.{library}"
    with pytest.raises(CrivoError, match=words), refusing(library, error):
        raise error("no such\n depth")
