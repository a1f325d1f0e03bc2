import numpy as np
import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.findings import Finding
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.featurization.row_checks.copies import count_copies, identifies_rows


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
    ("values", "named"),
    [
        (range(20), True),
        (range(19), False),  # too few to say
        ([*range(20), 7], False),
        ([None, None, *range(20)], True),
        ([0.5, *range(20)], False),
        ([2.0**53 - 1 - i for i in range(20)], True),
        ([2.0**53 + 2 * i for i in range(20)], False),  # all numbers are whole there
        ([f"order-{i}" for i in range(20)], True),
        ([f"a text of its own {i}" for i in range(20)], False),
        (pd.date_range("2020-01-01", periods=20), False),
    ],
)
def test_whole_numbers_and_words_of_which_none_is_repeated_are_ids(values, named):
    assert identifies_rows([pd.Series(values[:9]), pd.Series(values[9:])]) is named


def test_of_rows_that_chance_makes_equal_the_rarest_are_copies():
    """By hand, of 100 rows: the odds of a value that h others have are 3 h / (100 - h - 1)."""
    alone = np.arange(95)
    first = np.array([[1, 2, 1, 1, 1, *alone + 9], [1, 1, 5, 6, 7, *alone + 9]], "uint64")
    first[1] *= 1_000
    second = first[:, :1]
    # 3 others have the first value, 1 the second; 1 row and 3 rows are equal but for these.
    odds = 3 * 3 / (100 - 3 - 1), 3 * 1 / (100 - 1 - 1)
    expected = min(1 - 1 * odds[0], 1 - 3 * odds[1])
    assert count_copies(first, second, 0) == pytest.approx(expected)
    first[0, -1] = 1  # 4 others: less than two standard errors are left
    assert count_copies(first, second, 0) == 0
    # Of five equal rows three count as copies, and two as others.
    first[:, 5:9] = first[:, :1]
    odds = 3 * 6 / (100 - 6 - 3), 3 * 3 / (100 - 3 - 3)
    expected = 20 * min(1 - 1 * odds[0] / 5, 1 - 4 * odds[1] / 5)
    assert count_copies(first, second.repeat(20, axis=1), 0) == pytest.approx(expected)


# Twelve groups at least, of 2 to 50 rows on average; none has more than a twentieth or 50 rows.
USUAL = ([40] * 12, [51] * 18 + [34] * 3, [49] * 11 + [50], [2] * 300)
UNUSUAL = (
    *([40] * 11, [51] * 20, [52] + [51] * 17 + [34] * 2 + [33]),
    *([49] * 11 + [51], [2] * 299 + [1]),
)


CASES = [*((sizes, 1) for sizes in (*USUAL, *UNUSUAL)), ([40] * 60, 0.13)]  # 0.046 is too little


@pytest.mark.parametrize(("sizes", "strength"), CASES)
def test_alike_rows_of_groups_of_a_usual_size_are_noted(sizes, strength):
    codes, random = np.repeat(np.arange(len(sizes)), sizes), np.random.default_rng(0)
    effect = random.normal(size=len(sizes))
    effect *= strength / effect.std()
    rows = pd.DataFrame({"key": np.arange(len(codes)).astype(str)})
    rows["y"] = effect[codes] + random.normal(size=len(codes))
    rows["shop"] = random.permutation(len(sizes))[codes].astype(str)
    given = SplitRows(few_columns(shop="feature"), lambda split: rows)
    said = [*ROW_CHECKS["L009"].findings(given)]
    assert [one.subject for one in said] == ["shop"] * (sizes in USUAL)
    if said:
        assert float(said[0].message.split("correlation ")[1][:4]) == pytest.approx(0.5, abs=0.15)


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
