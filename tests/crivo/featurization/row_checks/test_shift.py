import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tests.crivo.schemas import few_columns

from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.featurization.row_checks.shift import difference

rng = np.random.default_rng(2)


def test_the_distance_of_categories_is_the_share_to_change_and_that_of_numbers_is_of_their_ranks():
    one = pd.Series(["red"] * 10)
    other = pd.Series(["red"] * 7 + ["green"] * 3)
    # Pearson's: 20 · (10 · 3)² / (10 · 10 · 17 · 3) = 3.53, of one degree of freedom.
    assert difference(one, other) == pytest.approx((0.3, 0.0603), abs=1e-4)
    for same in (one, one[:5], one[:0]):
        assert difference(one, same) == (0, 1)
    # Kolmogorov's series at sqrt(2 · 2 / 4) · 1: 2 · (e⁻² - e⁻⁸).
    assert difference(pd.Series([1, 2]), pd.Series([3, 4])) == pytest.approx((1, 0.27), abs=1e-6)
    # Up to 2 lie three of four and one of two.
    assert difference(pd.Series([1, 2, 2, 3]), pd.Series([2, 3]))[0] == 0.25


@pytest.mark.parametrize(("rows", "rare"), [(1_000, [2, 2]), (1_001, [4])])
def test_names_of_less_than_a_thousandth_of_the_rows_count_as_one(rows, rare):
    """Two names have two rows each, of 2,000 or of 2,001."""
    one, other = ["a"] * 1_000, ["a"] * (rows - 4) + ["b", "b", "c", "c"]
    counts = [[1_000, rows - 4], *([0, count] for count in rare)]
    p_value = stats.chi2_contingency(counts, correction=False).pvalue
    assert difference(pd.Series(one), pd.Series(other)) == pytest.approx((4 / rows, p_value))


@pytest.mark.parametrize(("later", "found"), [(6_001, ["test"]), (5_999, [])])
def test_a_shift_counts_from_a_tenth(later, found):
    kinds = {split: np.arange(10_000) < 5_000 for split in ("train", "valid")}
    kinds["test"] = np.arange(10_000) < later
    rows = SplitRows(few_columns(x="feature"), lambda one: pd.DataFrame({"x": kinds[one], "y": 0}))
    assert [one.subject for one in ROW_CHECKS["T001"].findings(rows)] == found


def shift(tables, column, by, split="test"):
    held_out = tables.rows["split"] == split
    tables.rows[column] = tables.rows[column].where(~held_out, by(tables.rows[column]))


@pytest.mark.parametrize(
    ("column", "by"),
    [
        ("signal", lambda values: values + 0.5),
        ("colour", lambda values: values.replace("red", "green")),
        ("colour", lambda values: values.replace("red", "new")),
        ("noise", lambda values: values.where(rng.random(len(values)) < 0.5)),
    ],
)
def test_a_shifted_column_is_noted_with_its_size(tables, column, by):
    tables.rows = tables.rows.drop(columns="patient")
    shift(tables, column, by)
    assert tables.found("T001") == ["test"]
    assert tables.message("T001").startswith("as is usual for later rows, the distribution differs")
    assert f" from that in train in 1 of 3 columns ({column} 0." in tables.message("T001")


@pytest.mark.parametrize(("by", "found"), [(0.26, []), (0.28, ["test"])])
def test_a_shift_counts_from_a_hundredth_for_each_column(tables, by, found):
    """Of three columns: their chances are 0.0049 and 0.0025."""
    tables.rows = tables.rows.drop(columns="patient")
    shift(tables, "signal", lambda values: values + by)
    assert tables.found("T001") == found


def test_a_shifted_target_is_noted_but_that_of_the_test_rows_is_not_looked_at(tables):
    tables.rows = tables.rows.drop(columns="patient")
    shift(tables, "y", lambda values: values | (rng.random(len(values)) < 0.5))
    assert tables.found("T001") == []
    shift(tables, "y", lambda values: values | (rng.random(len(values)) < 0.5), split="valid")
    assert tables.found("T001") == ["valid"]
    assert "(y 0." in tables.message("T001")


def test_a_shift_after_a_split_by_time_is_said_once(tables):
    for split in ("valid", "test"):
        shift(tables, "noise", lambda values: values + 1, split)
        shift(tables, "signal", lambda values: values + 0.5, split)
    tables.rows = tables.rows.drop(columns="patient")
    assert tables.found("T001") == ["valid and test"]
    assert ", signal 0." in tables.message("T001").partition("(noise 0.")[2]
    tables.rows["day"] = tables.rows["day"].sample(frac=1, random_state=0).to_numpy()
    assert tables.found("T001") == ["valid", "test"]
