"""Boosting libraries get plain names, numbered classes and rows to watch."""

import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from crivo.core.blocks import make_block
from crivo.core.boosters import NumberedClasses, NumberedColumns, teaching_rows
from crivo.core.errors import CrivoError


class Remembers(DecisionTreeClassifier):
    """A classifier that keeps what it was given."""

    def fit(self, rows: object, target: object, **options: object) -> "Remembers":
        self.given_ = (target, options)
        return super().fit(rows, target)


ROWS = pd.DataFrame({"a [1]": [1.0, 2.0, 3.0], "{b}": [0.0, 0.0, 1.0]})


def test_columns_are_numbered_and_those_without_a_level_left_out() -> None:
    rows = ROWS.assign(none=pd.Categorical([None] * 3, categories=[]))
    columns = NumberedColumns().fit(rows)
    assert list(columns.transform(rows)) == ["f0", "f1"]


def test_columns_in_another_order_are_put_right() -> None:
    columns = NumberedColumns().fit(ROWS)
    assert columns.transform(ROWS[["{b}", "a [1]"]]).equals(columns.transform(ROWS))


def test_classes_go_in_as_numbers_and_come_back_as_they_were() -> None:
    target = np.array(["no", "yes", "maybe"])
    model = NumberedClasses(Remembers()).fit(ROWS, target)
    assert model.estimator_.given_[0].tolist() == [1, 2, 0]
    assert model.predict(ROWS).tolist() == target.tolist()
    assert model.classes_.tolist() == ["maybe", "no", "yes"]


def test_targets_to_watch_go_in_as_numbers_too() -> None:
    target = np.array([False, True, True])
    watched = {"eval_set": [(ROWS, target)], "eval_y": (target,)}
    options = NumberedClasses(Remembers()).fit(ROWS, target, **watched).estimator_.given_[1]
    assert options["eval_set"][0][1].tolist() == [0, 1, 1]
    assert options["eval_y"][0].tolist() == [0, 1, 1]


def test_rows_that_are_not_watched_teach() -> None:
    watch = np.array([True, False, False, True])
    assert teaching_rows(pd.Series(list("abab")), watch).tolist() == [False, True, True, False]


def test_a_class_that_only_watched_rows_have_is_taught() -> None:
    watch = np.array([True, False, True])
    assert teaching_rows(pd.Series(["rare", "a", "a"]), watch).tolist() == [True, True, False]


def test_a_quantity_has_no_classes_to_teach() -> None:
    watch = np.array([True, False])
    assert teaching_rows(pd.Series([1.5, 2.5]), watch).tolist() == [False, True]


@pytest.mark.parametrize("watch", [[False, False], [True, True]])
def test_nothing_to_watch_or_nothing_to_teach_is_refused(watch: list[bool]) -> None:
    with pytest.raises(CrivoError, match=r"change train\.watch, or set"):
        teaching_rows(pd.Series([1.5, 2.5]), np.array(watch))


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_a_library_that_is_not_installed_comes_with_the_command(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(CrivoError, match=rf"`make extras` .*--editable '\.\[{library}\]'"):
        make_block("model", library, {}).build("binary", 3)
