import numpy as np
import pandas as pd
import pytest

from crivo.core.findings import Finding
from crivo.featurization.row_checks import ROW_CHECKS


def in_split(tables, split):
    return tables.rows.index[tables.rows["split"] == split]


@pytest.mark.parametrize("task", ["tables", "numbers", "classes"])
def test_good_rows_pass(request, task):
    found = ROW_CHECKS.review(request.getfixturevalue(task).splits)
    assert not [one for one in found if isinstance(one, Finding)]


def test_a_row_in_two_splits_is_an_error(tables):
    tables.rows.loc[in_split(tables, "valid")[:3], "key"] = ["k0", "k1", "k2"]
    assert tables.found("L001") == ["train/valid"]
    assert tables.message("L001").startswith("3 values of `key`")


def test_a_group_in_two_splits_is_an_error(tables):
    tables.rows.loc[in_split(tables, "test")[:2], "patient"] = 0
    assert tables.found("L003") == ["train/test"]
    assert tables.message("L003").endswith(
        "use the splitter `by_group`, or `by_time_and_group` to predict later rows as well."
    )
    tables.rows = tables.rows.drop(columns="day")
    assert tables.message("L003").endswith("use the splitter `by_group`.")


def test_a_table_without_groups_or_times_has_none_to_check(tables):
    tables.rows = tables.rows.drop(columns=["patient", "day"])
    reasons = tables.inapplicable()
    assert reasons["L003"] == "no column has the role `group`"
    assert reasons["L004"] == "no column has the role `time`"


def test_one_feature_and_few_rows_leave_nothing_to_compare(tables):
    assert [*tables.inapplicable()] == ["L009"]
    tables.rows = tables.rows.groupby("split").head(3)
    assert "too few" in tables.inapplicable()["L005"]
    tables.rows = tables.rows.drop(columns=["colour", "noise"])
    assert tables.inapplicable()["L005"] == "there are fewer than two features"


FEATURES = ["signal", "colour", "noise"]


def copy_rows(tables, count):
    """Put copies of the first training rows in the place of the first validation rows."""
    names = [*FEATURES, "y"]
    taken = tables.rows.loc[in_split(tables, "train")[:count], names]
    tables.rows.loc[in_split(tables, "valid")[:count], names] = taken.to_numpy()


@pytest.mark.parametrize(("copies", "found"), [(2, []), (3, ["train/valid"])])
def test_copies_from_one_in_a_hundred_on_are_a_warning(tables, copies, found):
    copy_rows(tables, copies)
    assert tables.found("L002") == found


def test_rows_that_were_measured_twice_are_nearly_copies(tables):
    copy_rows(tables, 30)
    tables.rows["signal"] *= 1_000
    tables.rows.loc[in_split(tables, "valid")[:30], "signal"] += 1
    assert tables.found("L002") == ["train/valid"]


TASKS = ("tables", "numbers", "classes")
NAMES = {
    "numbers": lambda count: np.arange(count) * 7 % count + 1000,
    "numbers with gaps": lambda count: np.where(np.arange(count) % 9, np.arange(count), np.nan),
    "texts": lambda count: [f"order-{i:05}" for i in range(count)],
}


@pytest.mark.parametrize(("task", "name"), [*zip(TASKS, NAMES, strict=True)])
def test_an_id_that_nobody_declared_hides_no_copies(request, task, name):
    tables = request.getfixturevalue(task)
    copy_rows(tables, 30)
    tables.rows["ref"] = NAMES[name](len(tables.rows))
    assert tables.found("L002") == ["train/valid"]
    assert tables.message("L002").startswith(
        "30 rows (10.0 %) equal a row of train in the target and every feature but `ref`, and"
    )
    assert tables.message("L002").endswith(
        "; drop rows that were entered twice, or keep them in one split with a group."
    )


@pytest.mark.parametrize(
    "describe",
    [
        lambda count: np.random.default_rng(0).normal(size=count),
        lambda count: np.random.default_rng(0).normal(size=count) * 1e300,
        lambda count: np.random.default_rng(0).integers(20, 90, size=count),
        lambda count: [f"a text of its own {i}" for i in range(count)],
        lambda count: pd.date_range("2020-01-01", periods=count, freq="min"),
    ],
    ids=["numbers", "huge numbers", "whole numbers", "texts", "dates"],
)
def test_what_describes_a_row_is_no_id(tables, describe):
    copy_rows(tables, 30)
    tables.rows["more"] = describe(len(tables.rows))
    assert tables.found("L002") == []


def test_copies_among_rows_that_chance_makes_equal_are_told_from_them(numbers):
    """Half of the rows are empty forms of one target; of the others 60 were entered twice."""
    count = len(numbers.rows)
    empty = np.random.default_rng(4).random(count) < 0.5
    numbers.rows.loc[empty, ["signal", "noise"]] = 0.0
    numbers.rows.loc[empty, "y"] = np.where(np.arange(count) % 2, 0.0, 1.0)[empty]
    numbers.rows.loc[empty, "colour"] = "red"
    train, valid = (in_split(numbers, name) for name in ("train", "valid"))
    train, valid = train[~empty[train]][:60], valid[~empty[valid]][:60]
    names = [*FEATURES, "y"]
    numbers.rows.loc[valid, names] = numbers.rows.loc[train, names].to_numpy()
    assert numbers.found("L002") == ["train/valid"]
    message = numbers.message("L002")
    assert "drop rows that were entered twice" in message
    chance = int(message.split("chance explains about ")[1].split(";")[0])
    assert 100 < chance < 170  # of the empty forms, 149 are validation rows


@pytest.mark.parametrize("task", ["tables", "numbers"])
def test_rounding_errors_of_a_target_that_features_explain_are_not_alike(request, task):
    given = request.getfixturevalue(task)
    given.rows = given.rows.drop(columns=["patient", "day"])
    given.rows["code"] = 3 * given.rows["y"] + 1
    given.rows["level"] = given.rows["signal"].round(1)
    assert given.found("L009") == []


def test_training_rows_from_among_the_held_out_ones_are_a_warning(tables):
    last = in_split(tables, "train")[-1:]
    tables.rows.loc[last, "day"] = tables.rows.loc[in_split(tables, "valid")[30], "day"]
    assert tables.found("L004") == ["train/valid"]
    assert tables.message("L004").startswith("10.0 % of the rows of valid")
    assert "use the splitter `by_time_and_group`" in tables.message("L004")
    tables.rows = tables.rows.drop(columns="patient")
    assert "use the splitter `by_time`" in tables.message("L004")
