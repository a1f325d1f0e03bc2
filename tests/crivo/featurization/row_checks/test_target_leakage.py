import numpy as np
import pandas as pd
import pytest
from tests.crivo.featurization.row_checks.conftest import ROLES

from crivo.featurization.row_checks import ROW_CHECKS

rng = np.random.default_rng(1)


def test_a_feature_that_is_nearly_the_target_is_a_warning(tables):
    tables.rows["late"] = tables.rows["y"] + 0.1 * rng.normal(size=len(tables.rows))
    assert tables.found("L005") == ["late"]
    assert "ROC AUC 1.00" in tables.message("L005")


def test_a_category_that_names_the_class_is_a_warning(classes):
    wrong = rng.random(len(classes.rows)) < 0.003
    classes.rows["verdict"] = np.where(wrong, "a", "is " + classes.rows["y"])
    assert classes.found("L005") == ["verdict"]


def test_a_number_that_is_nearly_the_target_is_a_warning(numbers):
    numbers.rows["bill"] = numbers.rows["y"] + 0.2 * rng.normal(size=len(numbers.rows))
    assert numbers.found("L005") == ["bill"]


def test_a_category_that_gives_the_number_is_a_warning(numbers):
    numbers.rows["band"] = (numbers.rows["y"] * 4).round().astype("str")
    assert numbers.found("L005") == ["band"]


def test_a_feature_far_better_than_all_others_is_a_warning(tables):
    flipped = rng.random(len(tables.rows)) < 0.1
    tables.rows["hint"] = tables.rows["y"] ^ flipped
    assert tables.found("L005") == ["hint"]
    assert "all other columns together" in tables.message("L005")


def test_a_strong_feature_among_strong_ones_is_fine(tables):
    for name in ("one", "two", "three"):
        tables.rows[name] = tables.rows["y"] ^ (rng.random(len(tables.rows)) < 0.1)
    assert tables.found("L005") == []


@pytest.mark.parametrize("column", ["outcome", "info"])
def test_what_is_no_feature_may_give_the_target_away(tables, column, monkeypatch):
    tables.rows["after"] = tables.rows["y"]
    monkeypatch.setitem(ROLES, "after", column)
    assert tables.found("L005") == []
    assert tables.found("L006") == []


def test_a_code_for_each_class_is_an_error(classes):
    classes.rows["code"] = classes.rows["y"].map({"a": 1, "b": 2, "c": 2})
    assert classes.found("L006") == []
    classes.rows["code"] = classes.rows["y"].map({"a": 1, "b": 2, "c": 7})
    assert classes.found("L006") == ["code"]


def test_many_values_that_each_have_one_class_prove_nothing(tables):
    tables.rows["name"] = np.arange(len(tables.rows)) // 2
    tables.rows["y"] = tables.rows["name"] % 2 == 0
    assert tables.found("L006") == []


@pytest.mark.parametrize("gap", [False, True])
def test_the_target_in_another_unit_is_an_error(numbers, gap):
    numbers.rows["fahrenheit"] = 32 + 1.8 * numbers.rows["y"]
    if gap:
        numbers.rows.loc[::7, "fahrenheit"] = np.nan
    assert numbers.found("L006") == ["fahrenheit"]


def test_columns_that_add_up_to_the_target_are_an_error(numbers):
    numbers.rows["casual"] = rng.normal(size=len(numbers.rows))
    numbers.rows["registered"] = numbers.rows["y"] - numbers.rows["casual"]
    numbers.rows["constant"] = 3
    assert numbers.found("L006") == ["casual + registered"]
    assert numbers.message("L006").startswith("give `y` exactly")


def test_columns_that_nearly_add_up_are_no_parts(numbers):
    parts = numbers.rows["y"] + 0.01 * rng.normal(size=len(numbers.rows))
    numbers.rows["casual"] = rng.normal(size=len(numbers.rows))
    numbers.rows["registered"] = parts - numbers.rows["casual"]
    assert numbers.found("L006") == []


def test_more_columns_than_rows_prove_nothing(numbers):
    more = pd.DataFrame(rng.normal(size=(len(numbers.rows), 100))).add_prefix("c")
    numbers.rows = numbers.rows.join(more)
    assert numbers.found("L006") == []


@pytest.mark.parametrize("size", [1e39, 1e300, np.inf])
@pytest.mark.parametrize("task", ["tables", "numbers"])
def test_huge_numbers_stop_no_check(request, task, size):
    given = request.getfixturevalue(task)
    given.rows["huge"] = given.rows["signal"] * size
    assert [finding.code for finding in ROW_CHECKS.findings(given.splits)] == []
