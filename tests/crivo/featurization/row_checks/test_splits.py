import numpy as np
import pandas as pd
import pytest

from crivo.featurization.row_checks import ROW_CHECKS


def in_split(tables, split):
    return tables.rows.index[tables.rows["split"] == split]


@pytest.mark.parametrize("task", ["tables", "numbers", "classes"])
def test_good_rows_pass(request, task):
    assert ROW_CHECKS.findings(request.getfixturevalue(task).splits) == []


def test_a_row_in_two_splits_is_an_error(tables):
    tables.rows.loc[in_split(tables, "valid")[:3], "key"] = ["k0", "k1", "k2"]
    assert tables.found("L001") == ["train/valid"]
    assert tables.message("L001").startswith("3 values of `key`")


def test_a_group_in_two_splits_is_an_error(tables):
    tables.rows.loc[in_split(tables, "test")[:2], "patient"] = 0
    assert tables.found("L003") == ["train/test"]


def test_a_table_without_groups_or_times_has_none_to_check(tables):
    tables.rows = tables.rows.drop(columns=["patient", "day"])
    assert tables.found("L003") == []
    assert tables.found("L004") == []


@pytest.mark.parametrize(("copies", "found"), [(2, []), (3, ["train/valid"])])
def test_copies_from_one_in_a_hundred_on_are_a_warning(tables, copies, found):
    names = ["signal", "colour", "noise", "y"]
    taken = tables.rows.loc[in_split(tables, "train")[:copies], names]
    tables.rows.loc[in_split(tables, "valid")[:copies], names] = taken.to_numpy()
    assert tables.found("L002") == found


def test_equal_rows_of_a_table_with_few_values_are_no_copies(tables):
    tables.rows["signal"] = tables.rows["signal"] > 0
    tables.rows = tables.rows.drop(columns="noise")
    assert tables.found("L002") == []


def test_training_rows_from_among_the_held_out_ones_are_a_warning(tables):
    last = in_split(tables, "train")[-1:]
    tables.rows.loc[last, "day"] = tables.rows.loc[in_split(tables, "valid")[30], "day"]
    assert tables.found("L004") == ["train/valid"]
    assert tables.message("L004").startswith("10.0 % of the rows of valid")


def test_rows_of_one_moment_in_both_splits_are_no_overlap(tables):
    tables.rows["day"] = pd.Timestamp("2020-01-01")
    assert tables.found("L004") == []


def test_gaps_are_no_common_group(tables):
    tables.rows["patient"] = np.nan
    assert tables.found("L003") == []
