import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict
from sklearn.tree import DecisionTreeRegressor
from tests.crivo.featurization.row_checks.conftest import ROLES

from crivo.core.findings import Finding
from crivo.featurization.row_checks import ROW_CHECKS
from crivo.featurization.row_checks.strength import Strengths

rng = np.random.default_rng(1)


@pytest.mark.parametrize(
    ("task", "leak"),
    [
        ("classes", lambda y: np.where(rng.random(len(y)) < 0.003, "a", "is " + y)),
        ("numbers", lambda y: y + 0.2 * rng.normal(size=len(y))),
        ("numbers", lambda y: (y * 4).round().astype("str")),
    ],
    ids=["a category names the class", "a number is nearly the target", "a category gives it"],
)
def test_a_feature_that_gives_the_target_is_a_warning(request, task, leak):
    given = request.getfixturevalue(task)
    given.rows["leak"] = leak(given.rows["y"])
    assert given.found("L005") == ["leak"]


@pytest.mark.parametrize(
    ("flipped", "others", "found"),
    [(0.05, 0.5, ["hint"]), (0.05, 0.3, ["hint"]), (0.05, 0.2, []), (0.2, 0.5, [])],
)
def test_a_feature_ahead_of_all_others_is_honest_up_to_085(tables, flipped, others, found):
    """With a fifth flipped ROC AUC is 0.80; all other columns together have from 0.67 to 0.87."""
    for name, share, seed in (("hint", flipped, 3), ("other", others, 4)):
        wrong = np.random.default_rng(seed).random(len(tables.rows)) < share
        tables.rows[name] = tables.rows["y"] ^ wrong
    assert tables.found("L005") == found
    if found:
        assert "all other columns together" in tables.message("L005")


@pytest.mark.parametrize(("noise", "found"), [(0.3, ["hint"]), (1.5, [])])
def test_a_number_ahead_of_all_others_is_honest_up_to_an_r2_of_07(numbers, noise, found):
    spread = numbers.rows["y"].std()
    random = np.random.default_rng(3).normal(size=len(numbers.rows))
    numbers.rows["hint"] = numbers.rows["y"] + noise * spread * random / 1.5
    assert numbers.found("L005") == found


def test_one_row_far_from_the_others_makes_no_feature_strong(numbers):
    numbers.rows.loc[7, ["noise", "y"]] = 1e6
    assert numbers.found("L005") == []


@pytest.mark.parametrize(("rows", "found"), [(600, ["hint"]), (40, [])])
def test_on_few_rows_chance_makes_features_strong(tables, rows, found):
    """The same feature, with a tenth flipped: 40 training rows don't tell it from one of 0.85."""
    wrong = np.arange(len(tables.rows)) % 10 == 5
    tables.rows["hint"] = tables.rows["y"] ^ wrong
    tables.rows = tables.rows[(tables.rows.index >= 600) | (tables.rows.index < rows)]
    assert tables.found("L005") == found


def test_the_interval_of_a_strength_is_that_of_its_sources(tables, numbers):
    """By hand: of 51 rows against 58 the error of an area of 0.893 is 0.0325, of 58 0.0312."""
    tables.rows = tables.rows[(tables.rows.index >= 600) | (tables.rows.index < 109)]
    tables.rows["y"] = tables.rows.index % 109 < 51
    assert Strengths(tables.splits).at_least(0.786) == pytest.approx(0.6814, abs=1e-4)
    assert Strengths(numbers.splits).at_least(0.25) == pytest.approx(0.1996, abs=1e-4)


@pytest.mark.parametrize("column", ["outcome", "info"])
def test_what_is_no_feature_may_give_the_target_away(tables, column, monkeypatch):
    tables.rows["after"] = tables.rows["y"]
    monkeypatch.setitem(ROLES, "after", column)
    assert tables.found("L005") == []
    assert tables.found("L006") == []


def test_a_code_for_each_class_is_found_beside_classes_that_no_row_has(classes):
    unseen = map(str, range(100_000))
    classes.rows["y"] = classes.rows["y"].astype(pd.CategoricalDtype(["a", "b", "c", *unseen]))
    classes.rows["code"] = classes.rows["y"].map({"a": 1, "b": 2, "c": 2})
    assert classes.found("L006") == []
    classes.rows["code"] = classes.rows["y"].map({"a": 1, "b": 2, "c": 7})
    assert classes.found("L005") == classes.found("L006") == ["code"]
    classes.rows.loc[np.arange(len(classes.rows)) % 15 > 0, "code"] = np.nan
    assert classes.found("L006") == ["code"]


@pytest.mark.parametrize(("positives", "found"), [(1, []), (5, ["code"])])
def test_a_class_of_few_rows_may_have_a_value_of_its_own_by_chance(tables, positives, found):
    """Of one positive among 600 two values give the class in 4 of 600 ways, of five in 1e-12."""
    tables.rows["y"] = np.arange(len(tables.rows)) % (600 // positives) == 7
    tables.rows["code"] = np.where(tables.rows["y"], "x", "z")
    assert tables.found("L006") == found


@pytest.mark.parametrize(
    ("digits", "how"), [(15, "exactly"), (1, "except for rounding"), (0, None)]
)
def test_columns_that_add_up_to_the_target_are_an_error(numbers, digits, how):
    """Whole numbers, in an error of 2.2, are too rough: half a step of both is 0.45 of it."""
    casual = rng.normal(size=len(numbers.rows))
    numbers.rows["registered"] = (numbers.rows["y"] - casual).round(digits)
    numbers.rows["casual"] = casual.round(digits)
    numbers.rows["constant"] = 3
    assert numbers.found("L006") == ["registered + casual"] * bool(how)
    if how:
        said = f"determine `y` {how} wherever they are known; give them the role `outcome`."
        assert numbers.message("L006") == said


def test_the_strength_of_a_number_is_that_of_a_line_or_a_tree(tables, numbers, classes):
    """Of two classes, the ROC AUC needs no line; by scikit-learn, in the same three folds."""
    tables.rows["signal"] = tables.rows["y"] + rng.normal(scale=0.4, size=len(tables.rows))
    tables.rows["key_2"] = tables.rows["key"]
    rows, found = tables.splits.split("train"), Strengths(tables.splits).alone()
    area = roc_auc_score(rows["y"], rows["signal"])
    assert found["signal"] == pytest.approx(2 * area - 1)
    assert found["key_2"] == 0, "names that no other fold has say less than nothing"
    classes.rows["signal"] = pd.factorize(classes.rows["y"])[0] + rng.normal(scale=0.2, size=1200)
    rows, found = classes.splits.split("train"), Strengths(classes.splits).alone()
    one_hot, folds = pd.get_dummies(rows["y"]), StratifiedKFold(3, shuffle=True, random_state=0)
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=5, random_state=0)
    said = cross_val_predict(tree, rows[["signal"]], one_hot, cv=folds.split(rows, rows["y"]))
    area = roc_auc_score(one_hot, said, average="weighted")
    assert found["signal"] == pytest.approx(2 * area - 1)
    numbers.rows["signal"] = numbers.rows["y"] + rng.normal(size=len(numbers.rows))
    rows, found = numbers.splits.split("train"), Strengths(numbers.splits).alone()
    folds = KFold(3, shuffle=True, random_state=0)
    line = cross_val_predict(LinearRegression(), rows[["signal"]], rows["y"], cv=folds)
    assert found["signal"] == pytest.approx(r2_score(rows["y"], line))


@pytest.mark.parametrize(("rows", "told"), [(29, ["L005", "L009"]), (30, ["L009"])])
def test_thirty_training_rows_are_enough_to_compare_features(tables, rows, told):
    tables.rows = tables.rows[(tables.rows.index >= 600) | (tables.rows.index < rows)]
    assert sorted(tables.inapplicable()) == told


@pytest.mark.parametrize("size", [1e-300, 1e300, np.inf])
@pytest.mark.parametrize("task", ["tables", "numbers"])
def test_tiny_and_huge_numbers_stop_no_check_and_look_like_no_fault(request, task, size):
    given = request.getfixturevalue(task)
    given.rows["other"] = given.rows["signal"] * size
    assert not [one for one in ROW_CHECKS.review(given.splits) if isinstance(one, Finding)]


# --- parts of texts and names -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "form"),
    [("tables", "{y}-{i:05}"), ("classes", "{i:05}-{y}"), ("tables", "ab{y}{i:05}")],
)
def test_a_name_that_holds_the_target_is_a_warning(task, form, request):
    """Each name occurs once, so by itself it tells nothing; its pieces tell everything."""
    tables = request.getfixturevalue(task)
    words = {True: "yes", False: "no", "a": "gold", "b": "silver", "c": "tin"}
    said = enumerate(tables.rows["y"].map(words))
    tables.rows["ref"] = [form.format(y=y, i=i) for i, y in said]
    assert tables.found("L005") == ["ref"]
    assert "on its own by parts of its text (ROC AUC 1.00)" in tables.message("L005")


@pytest.mark.parametrize(("word", "found"), [(("won", "lost"), ["note"]), (("so", "so"), [])])
def test_a_text_is_looked_at_by_its_words(tables, word, found):
    words = rng.choice([f"w{i}" for i in range(200)], size=(len(tables.rows), 8))
    said = np.where(tables.rows["y"], *word)
    tables.rows["note"] = [f"{' '.join(each)} {y}" for each, y in zip(words, said, strict=True)]
    assert tables.found("L005") == found


@pytest.mark.parametrize("task", ["tables", "classes", "numbers"])
@pytest.mark.parametrize(("groups", "found"), [(12, ["mean"]), (11, [])])
def test_means_over_all_rows_of_at_least_twelve_groups_are_found(request, task, groups, found):
    given, shop = request.getfixturevalue(task), np.arange(1200) % groups
    level = rng.normal(size=1200) + shop / 4
    targets = {"tables": level > 1, "classes": np.digitize(level, [1, 2]), "numbers": level}
    y = pd.Series(targets[task])
    mean = (y if task == "numbers" else y == 0).groupby(shop).transform("mean")
    given.rows = given.rows.assign(y=y, shop=[f"s{one}" for one in shop], mean=mean)
    assert given.found("L008") == found
