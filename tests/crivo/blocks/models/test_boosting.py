"""Histogram boosting stops early on watched training rows, and only then sets rows aside."""

import pandas as pd
import pytest

from crivo.core.blocks import Training
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block

from .tasks import INPUTS, TARGETS, WATCH, fitted


def test_it_grows_all_trees_unless_it_may_stop() -> None:
    assert fitted("boosting", "quantity", max_iter=30).n_iter_ == 30


@pytest.mark.parametrize("target", ["text", "three texts", "quantity"])
def test_it_stops_when_the_watched_rows_gain_no_more(target: str) -> None:
    model = fitted("boosting", target, max_iter=300, learning_rate=0.5, early_stopping=3)
    assert model.n_iter_ < 300


def test_watched_rows_do_not_teach() -> None:
    task, values = TARGETS["quantity"]
    wrong = values.mask(pd.Series(WATCH), 1000.0)
    block = make_block("model", "boosting", {"early_stopping": 50, "max_iter": 5})
    model = block.fit(block.build(task, 3), INPUTS, wrong, Training(WATCH, print))
    assert model.predict(INPUTS).max() < 100


def test_a_rare_class_among_the_watched_rows_is_no_error() -> None:
    task, values = TARGETS["three texts"]
    rare = values.mask(values.index == 0, "rare")  # row 0 is watched
    block = make_block("model", "boosting", {"early_stopping": 3, "max_iter": 5})
    model = block.fit(block.build(task, 3), INPUTS, rare, Training(WATCH, print))
    assert "rare" in model.classes_


def test_stopping_early_without_rows_to_watch_is_refused() -> None:
    task, values = TARGETS["quantity"]
    block = make_block("model", "boosting", {"early_stopping": 3})
    with pytest.raises(CrivoError, match=r"0 of 240 training rows are to be watched"):
        block.fit(block.build(task, 3), INPUTS, values, Training(WATCH & False, print))


@pytest.mark.parametrize("early", [0, 3])
def test_a_number_that_no_teaching_row_has_is_no_error(early: int) -> None:
    task, values = TARGETS["quantity"]
    inputs = INPUTS.assign(late=pd.Series(1.0, INPUTS.index).where(WATCH & (early > 0)))
    block = make_block("model", "boosting", {"early_stopping": early, "max_iter": 5})
    model = block.fit(block.build(task, 3), inputs, values, Training(WATCH, print))
    seen = model.predict(inputs.assign(late=7.0))
    assert (seen == model.predict(inputs.assign(late=float("nan")))).all()
