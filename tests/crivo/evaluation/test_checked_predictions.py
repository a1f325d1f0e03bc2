"""A predictions table is right, or it is refused with a sentence."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.predictions import VERSION_KEY
from crivo.evaluation.predicting import as_classes, check_predictions

BINARY = Context("binary", ("no", "yes"), "yes")
MULTICLASS = Context("multiclass", ("a", "b", "c"))
REGRESSION = Context("regression")

Change = Callable[[pd.DataFrame], pd.DataFrame]


TABLE = pd.DataFrame(
    {
        "id": ["2", "10", "1"],
        "target": ["yes", "no", "no"],
        "prediction": ["yes", "no", "yes"],
        "score": [0.9, 0.2, 0.6],
        "cluster": [1, 2, 3],
        "weight": [1.0, 2.0, 3.0],
        "slice_shop": ["x", "y", None],
    }
)
SCORES = {"score_a": [0.5, 0.1], "score_b": [0.3, 0.1], "score_c": [0.2, 0.8]}
OF_CLASSES = pd.DataFrame({"id": [*"kl"], "target": [*"ac"], "prediction": [*"ac"]} | SCORES)


def refusal(table: pd.DataFrame, context: Context = BINARY) -> str:
    with pytest.raises(CrivoError) as error:
        check_predictions(table, context)
    return str(error.value)


def test_a_good_table_comes_back_sorted_by_id() -> None:
    found = check_predictions(TABLE, BINARY)
    assert found["id"].to_dict() == {0: "1", 1: "10", 2: "2"}
    assert found["score"].tolist() == [0.6, 0.2, 0.9]
    assert found["slice_shop"].tolist()[1:] == ["y", "x"]


def test_clusters_and_weights_are_added_where_there_are_none() -> None:
    found = check_predictions(OF_CLASSES, MULTICLASS)
    assert found["weight"].tolist() == [1, 1]
    assert found["cluster"].between(0, 49).all()


def test_numbers_as_text_keep_the_last_digit_and_scores_just_outside_are_put_back() -> None:
    for given, taken in (
        ([repr(1 / 3), "0.1", "1e-7"], {1 / 3, 0.1, 1e-7}),
        ([1 + 1e-7, -1e-7, 0.5], {1, 0, 0.5}),
    ):
        assert {*check_predictions(TABLE.assign(score=given), BINARY)["score"]} == taken


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda t: t.drop(columns="prediction"), "lacks prediction .its columns are: id"),
        (lambda t: t.iloc[:0], "has no rows"),
        (lambda t: t.assign(id=["a", "b", "a"]), "id of another row .1 of 3, such as 'a'"),
        (lambda t: t.assign(id=["a", None, " "]), "rows without an id .2 of 3"),
        (lambda t: t.assign(score=[0.1, 1.2, 0.3]), r"score outside .* .1 of 3, such as '1\.2"),
        (lambda t: t.assign(score=[0.1, np.nan, 0.3]), "score that aren't finite numbers .1 of 3"),
        (lambda t: t.assign(score=["0.1", "?", "0.3"]), "numbers .1 of 3, such as '\\?'"),
        (lambda t: t.assign(target=["yes", "no", "maybe"]), "target 'maybe' .* 'no', 'yes'"),
        (lambda t: t.assign(prediction=["yes", "no", 1]), "prediction 1 in .* isn't a class"),
        (lambda t: t.assign(target=["yes", "no", None]), "rows without a target .1 of 3"),
        (lambda t: t.assign(cluster=[1, None, 2]), "rows without a cluster .1 of 3"),
        (lambda t: t.assign(weight=[1, 0, -2]), "weights that are not above 0 .2 of 3"),
        (lambda t: t.assign(score_yes=0.5), "score columns score, score_yes; a binary"),
    ],
)
def test_a_wrong_binary_table_is_refused(change: Change, sentence: str) -> None:
    with pytest.raises(CrivoError, match=sentence):
        check_predictions(change(TABLE), BINARY)


def test_wrong_scores_of_classes_are_refused() -> None:
    table = OF_CLASSES
    for wrong, sentence in (
        (table.drop(columns="score_b"), "has score_a, score_b, score_c or no score at all"),
        (table.assign(score_b=0.41236), "scores don't sum to one (2 of 2, such as '1.1124'"),
        (table.rename(columns={"score_c": "score_d"}), "score_a, score_b, score_d; a mult"),
    ):
        assert sentence in refusal(wrong, MULTICLASS)


def test_scores_rounded_to_three_digits_are_taken() -> None:
    thirds = OF_CLASSES.assign(score_a=0.333, score_b=0.333, score_c=0.333)
    assert len(check_predictions(thirds, MULTICLASS)) == 2


def test_a_regression_takes_finite_numbers_and_no_scores() -> None:
    table = pd.DataFrame({"id": [3, 1], "target": ["1.5", "2"], "prediction": [1, 2]})
    assert check_predictions(table, REGRESSION)["target"].tolist() == [2, 1.5]
    assert "has no score" in refusal(table.assign(score=0.5), REGRESSION)
    assert "such as 'inf'" in refusal(table.assign(prediction=[1, np.inf]), REGRESSION)


def test_another_version_of_the_form_is_refused(tmp_path: Path) -> None:
    table = check_predictions(TABLE, BINARY)
    table.to_parquet(tmp_path / "now.parquet")
    assert len(check_predictions(pd.read_parquet(tmp_path / "now.parquet"), BINARY)) == 3
    table.attrs[VERSION_KEY] = 0
    table.to_parquet(tmp_path / "old.parquet")
    assert "has version 0 of its format" in refusal(pd.read_parquet(tmp_path / "old.parquet"))


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["True", "true", "TRUE", "1"], (False, True), [True] * 4),
        (["False", "false", "FALSE", "0"], (False, True), [False] * 4),
        ([1.0, 0.0], (0, 1), [1, 0]),
        (["1", " 0 "], (0, 1), [1, 0]),
        ([2.0, -0.0], ("2", "0"), ["2", "0"]),
        (pd.Categorical(["b", "a"]), ("a", "b"), ["b", "a"]),
        (pd.array([True, False], "boolean"), (False, True), [True, False]),
    ],
)
def test_labels_are_the_classes_they_name(labels: object, classes: tuple, expected: list) -> None:
    found = as_classes(pd.Series(labels), classes).tolist()
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]
