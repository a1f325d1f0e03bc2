"""A hash deals rows out as fairly as chance, and always the same way."""

import pandas as pd
import pytest

from crivo.preparation.hash_split import places, splits

NAMES = pd.Series([f"row {i}" for i in range(4000)])


def test_places_are_spread_evenly() -> None:
    tenths = (places(NAMES, 0) * 10).astype(int).value_counts()
    assert tenths.between(400 - 80, 400 + 80).all()  # four standard deviations


def test_another_seed_deals_anew() -> None:
    both = pd.DataFrame({"one": places(NAMES, 0), "two": places(NAMES, 1)})
    assert abs(both.corr().iat[0, 1]) < 0.07


def test_each_fold_takes_other_validation_rows_and_the_same_test_rows() -> None:
    dealt = places(NAMES, 0)
    folds = [splits(dealt, 0.2, 0.2, fold) for fold in range(4)]
    assert sum((fold == "valid").astype(int) for fold in folds).max() == 1
    assert all((fold == "test").equals(folds[0] == "test") for fold in folds)


@pytest.mark.parametrize("place", [0.0, 0.199, 0.2, 0.4, 0.999])
def test_test_rows_come_first_then_validation_then_training(place: float) -> None:
    expected = "test" if place < 0.2 else "valid" if place < 0.4 else "train"
    assert splits(pd.Series([place]), 0.2, 0.2).tolist() == [expected]
