"""Features as codes that a tree splits, and splits in words."""

import numpy as np
import pandas as pd
import pytest

from crivo.evaluation.binning import Bins, bin_features


def cut(values: object, losses: object | None = None, seeks: object | None = None) -> Bins:
    features = pd.DataFrame({"x": values})
    size = len(features)
    return bin_features(
        features,
        np.zeros(size) if losses is None else np.asarray(losses, dtype=float),
        np.ones(size, dtype=bool) if seeks is None else np.asarray(seeks, dtype=bool),
    )


def test_few_numbers_keep_a_code_each() -> None:
    bins = cut([10.0, 20.0, 30.0, 20.0])
    assert bins.codes[:, 0].tolist() == [0, 1, 2, 1]
    assert bins.words(0, 0, 0) == "x <= 10"
    assert bins.words(0, 1, 1) == "x > 10 and <= 20"
    assert bins.words(0, 2, bins.highest(0)) == "x > 20"


def test_many_numbers_share_32_codes() -> None:
    bins = cut(np.arange(3200.0))
    assert np.bincount(bins.codes[:, 0].astype(int)).tolist() == [100] * 32
    assert bins.words(0, 1, bins.highest(0)) == "x > 99"


def test_missing_numbers_lie_below_all_others() -> None:
    bins = cut([np.nan, 1.0, 2.0])
    assert bins.codes[:, 0].tolist() == [-1, 0, 1]
    assert bins.words(0, -1, -1) == "x is missing"
    assert bins.words(0, -1, 0) == "x <= 1 or missing"
    assert bins.words(0, 0, bins.highest(0)) == "x is known"


def test_without_gaps_nothing_is_said_of_missing_values() -> None:
    assert cut([3.0, 1.0, 2.0]).words(0, -1, 0) == "x <= 1"


def test_gaps_in_another_feature_are_not_said_of_this_one() -> None:
    features = pd.DataFrame({"x": [1.0, 2.0], "y": [np.nan, 1.0]})
    bins = bin_features(features, np.zeros(2), np.ones(2, dtype=bool))
    assert bins.words(0, -1, 0) == "x <= 1"
    assert (bins.has_gaps(0), bins.has_gaps(1)) == (False, True)


def test_a_number_that_those_who_seek_never_saw() -> None:
    bins = cut([np.nan, np.nan, 5.0], seeks=[True, True, False])
    assert bins.codes[:, 0].tolist() == [-1, -1]
    assert bins.up_to(0, -1).tolist() == [True, True, False]
    assert bins.words(0, 0, bins.highest(0)) == "x is known"


def test_infinite_numbers_have_a_place() -> None:
    assert cut([-np.inf, 0.0, np.inf]).codes[:, 0].tolist() == [0, 1, 2]


def test_categories_are_ranked_by_their_mean_loss() -> None:
    values = pd.Categorical(["b", "a", "c", "b", None])
    bins = cut(values, losses=[3, 1, 2, 3, 0])
    assert bins.codes[:, 0].tolist() == [2, 0, 1, 2, -1]
    assert bins.highest(0) == 2
    assert bins.words(0, 1, 2) == "x = b or c"
    assert bins.words(0, -1, 0) == "x = a or missing"


def test_a_category_that_those_who_seek_never_saw_comes_last() -> None:
    with np.errstate(invalid="raise"):
        bins = cut(["a", "b", "c"], losses=[5, 4, 0], seeks=[True, True, False])
    assert bins.codes[:, 0].tolist() == [1, 0]
    assert bins.up_to(0, 1).tolist() == [True, True, False]


@pytest.mark.parametrize(
    "values",
    [
        [2.0, np.nan, 1.0, 3.0, np.inf],
        pd.array([3, None, 1, 3, 2], "Int64"),
        pd.Categorical([7, 5, None, 5, 6]),
        pd.Series(["b", None, "nan", "a", "c"], dtype="str"),
    ],
    ids=["numbers", "nullable", "categories of numbers", "texts"],
)
def test_a_code_divides_all_rows_as_it_divides_those_that_seek(values: object) -> None:
    bins = cut(values, losses=[2, 1, 0, 3, 4])
    for code in range(-1, bins.highest(0)):
        np.testing.assert_array_equal(bins.up_to(0, code), bins.codes[:, 0] <= code)


def test_of_many_categories_five_are_named() -> None:
    bins = cut([f"c{i}" for i in range(8)])
    assert bins.words(0, 0, 4) == "x = c0 or c1 or c2 or c3 or c4"
    assert bins.words(0, 0, 7) == "x = c0 or c1 or c2 or c3 or c4 or 3 more"


def test_booleans_and_nullable_numbers_are_numbers() -> None:
    assert cut([True, False]).codes[:, 0].tolist() == [1, 0]
    assert cut(pd.array([3, None, 1], "Int64")).codes[:, 0].tolist() == [1, -1, 0]
