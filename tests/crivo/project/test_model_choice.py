"""The model of a new table does best on its training rows; for text, it weighs words."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.params import read_yaml
from crivo.core.schema import Role, Schema
from crivo.project import model_choice as choosing
from crivo.project.choices import Request
from crivo.project.model_choice import model_choice
from crivo.project.start import Plan, make_plan


@pytest.fixture(autouse=True)
def short_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try two settings of boosting: what the folds are doesn't depend on how far the walk goes."""
    few = {"min_samples_leaf": (5, 20), "learning_rate": (0.1,)}
    monkeypatch.setattr(choosing, "BOOSTING", few)
    monkeypatch.setattr(choosing, "MOST_TREES", 200)


def schema(task: str, count: int = 0, **roles: Role) -> Schema:
    """Return a schema of an id, the target y, the features a and b, and columns of other roles."""
    classes = (False, True) if task == "binary" else range(count)
    return few_columns(*classes, a="feature", b="feature", **roles)


def table(rows: int = 150) -> pd.DataFrame:
    """Return rows of chance, the same ones every time."""
    chance = pd.DataFrame(np.random.default_rng(0).normal(size=(3, rows)).T, columns=[*"aby"])
    return chance.assign(key=[f"r{i}" for i in range(rows)])


def sums(rows: int = 150) -> pd.DataFrame:
    """Return rows whose target is a sum of the features."""
    return table(rows).assign(y=lambda t: 3 * t["a"] + t["b"])


def chosen(rows: pd.DataFrame, of: Schema) -> dict[str, object]:
    return dict(model_choice(rows, pd.Series("train", rows.index), of).values)


def boosting_loss(rows: pd.DataFrame, of: Schema, **options: bool) -> float:
    found = model_choice(rows, pd.Series("train", rows.index), of, **options)
    (loss,) = re.findall(r"([\d.]+) for boosting,", found.why)
    return float(loss)


def test_a_sum_is_left_to_a_linear_model_and_the_reason_tells_the_loss_of_each() -> None:
    rows = sums()
    found = model_choice(rows, pd.Series("train", rows.index), schema("regression"))
    assert found.values["model"] == "linear"
    assert found.values["models.linear.C"] == 100
    small = rows.assign(y=rows["y"] / 10_000)  # the unit doesn't matter
    assert chosen(small, schema("regression")) == found.values
    assert found.values["models.boosting.max_iter"] > 50  # set well to be tried
    assert re.fullmatch(
        r"held-out RMSE in 5 folds of 150 training rows: [\d.]+ for boosting, "
        r"0.\d+ for linear; the comparison took \d+ s",
        found.why,
    )


@pytest.mark.parametrize(("worst", "model"), [(-0.02, "linear"), (0.0, "boosting")])
def test_noise_decides_nothing(monkeypatch: pytest.MonkeyPatch, worst: float, model: str) -> None:
    """One standard error is 0.0093 for a gain of 0.006, and 0.0071 for one of 0.010."""
    losses = 0.5 + np.array([0.03, -0.01, 0.01, worst, 0.02])
    linear = choosing.Fitting(losses.mean(), {}, losses)
    found = {"boosting": choosing.Fitting(0.5, {}, [0.5] * 5), "linear": linear}
    monkeypatch.setattr(choosing, "_candidates", lambda *given: found)
    values, why = model_choice(rows := sums(), pd.Series("train", rows.index), schema("regression"))
    assert (values["model"], "within one standard error" in why) == (model, model == "linear")


def test_what_no_sum_can_say_is_left_to_boosting() -> None:
    rows = table(200).assign(y=lambda t: (t["a"] * t["b"] > 0) | (t["a"] > 1.5))
    assert chosen(rows, schema("binary"))["model"] == "boosting"


def test_validation_and_test_rows_have_no_say() -> None:
    rows = sums()
    splits = pd.Series(np.where(np.arange(len(rows)) < 90, "train", "test"), rows.index)
    known = splits == "train"
    other = rows.assign(y=rows["y"].where(known, 1e6), a=rows["a"].where(known))
    first, second = (model_choice(one, splits, schema("regression")) for one in (rows, other))
    assert first.values == second.values


@pytest.mark.parametrize(
    ("rows", "of"),
    [
        (table(49), schema("regression")),  # too few
        (table().assign(y=[True] * 4 + [False] * 146), schema("binary")),  # not in each fold
        (table().assign(g="one"), schema("regression", g="group")),
        (table().assign(a=1.0, b=2.0), schema("regression")),  # nothing varies
    ],
    ids=["few", "rare", "group", "constant"],
)
def test_where_folds_say_nothing_boosting_gets_few_trees(rows: pd.DataFrame, of: Schema) -> None:
    assert chosen(rows, of) == {"model": "boosting", "models.boosting.max_iter": 50}


@pytest.mark.parametrize(
    ("rows", "of", "folds"),
    [
        (table(50), schema("regression"), 5),
        (table().assign(y=[True] * 5 + [False] * 145), schema("binary"), 5),
        (table().assign(y=np.arange(150) % 7), schema("multiclass", 7), 5),
        (table().assign(y=np.arange(150) % 8), schema("multiclass", 8), 2),
        (table().assign(y=np.arange(150) % 9), schema("multiclass", 9), 2),  # a third of the trees
    ],
)
def test_folds_are_compared_from_fifty_rows_and_five_of_each_class_on(
    rows: pd.DataFrame, of: Schema, folds: int
) -> None:
    found = model_choice(rows, pd.Series("train", rows.index), of)
    assert f" in {folds} folds of {len(rows)} training rows: " in found.why


def test_groups_stay_together_so_that_none_is_learned_by_heart() -> None:
    """`a` is a mark of the group: it tells everything about rows of the same group only."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 10)
    marks = rng.permutation(40).astype(float)
    level = rng.normal(size=40)
    rows = table(400).assign(g=groups.astype(str), a=marks[groups], y=level[groups])
    alone = boosting_loss(rows, schema("regression"))
    grouped = boosting_loss(rows, schema("regression", g="group"))
    assert grouped > 2 * alone


def test_many_rows_are_compared_in_fewer_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "FITTED_ROWS", 1_250)
    rows = sums(500)
    found = model_choice(rows, pd.Series("train", rows.index), schema("regression"))
    assert found.values["model"] == "linear"
    assert " in 2 folds of 500 training rows" in found.why


def test_copies_of_a_row_stay_in_one_fold() -> None:
    """Each row stands there four times: what is learned by heart helps on a copy only."""
    once = table(30)
    rows = pd.concat([once] * 4, ignore_index=True)
    rows["key"] = [f"r{i % 30}" + (f"~{i // 30 + 1}" if i >= 30 else "") for i in range(120)]
    of = schema("regression")
    apart = boosting_loss(rows, of, copies_together=False)
    assert boosting_loss(rows, of) > 3 * apart


PARAMS = read_yaml(Path(__file__).parents[3] / "params.yaml")
GOOD = "lovely warm clever honest funny moving bright tender crisp wise bold fresh"
BAD = "dull cold clumsy false tedious flat grim shallow stale loud slow messy"
PLAIN = [f"{a}{b}" for a in ("ba", "do", "fi", "gu", "ke", "lo", "mi", "no") for b in "aeiou"] + [
    f"{a}{b}n" for a in ("pa", "re", "si", "to", "vu", "za") for b in ("la", "me", "ri", "so", "tu")
]


def reviews(count: int) -> pd.DataFrame:
    """Return reviews of thirty words in which praise and complaint decide, more or less."""
    rng = np.random.default_rng(0)
    mood = rng.normal(size=count)
    texts = []
    for each in mood:
        kinds = rng.random(30) < 0.3
        praise = rng.random(30) < 1 / (1 + np.exp(-each))
        words = np.where(praise, rng.choice(GOOD.split(), 30), rng.choice(BAD.split(), 30))
        texts.append(" ".join(np.where(kinds, words, rng.choice(PLAIN, 30))))
    liked = np.where(mood + rng.normal(size=count) > 0, "yes", "no")
    return pd.DataFrame({"review": texts, "year": rng.integers(2010, 2020, count), "liked": liked})


def plan_for(folder: Path, table: pd.DataFrame) -> Plan:
    table.to_csv(folder / "rows.csv", index=False)
    return make_plan(folder, Request("liked"), PARAMS)


@pytest.mark.usefixtures("no_comparison")
def test_reviews_are_weighed_by_their_words(tmp_path: Path) -> None:
    plan = plan_for(tmp_path, reviews(100))
    chosen = {key: plan.settings[key] for key in ("model", "featurizer")}
    assert chosen == {"model": "linear", "featurizer": "tabular"}
    assert plan.settings["featurizers.tabular.keep_text"] is True
    assert plan.settings["models.linear.text"] == "words"
    (line,) = [line for line in plan.changes if line.startswith("featurizers")]
    why = "30 words per row and 1 other feature: each word gets a weight"
    assert line.endswith(f"(review: {why})")


@pytest.mark.usefixtures("no_comparison")
@pytest.mark.parametrize(
    ("length", "pieces", "why"),
    [
        (15, "words", "6 words per row and 1 other feature: each word gets a weight"),
        (16, "characters",
         "46 words per row and 1 other feature, without spaces: groups of characters get weights"),
    ],
)  # fmt: skip
def test_a_script_without_spaces_is_weighed_by_pieces(
    tmp_path: Path, length: int, pieces: str, why: str
) -> None:
    """Spaces part words of up to fifteen signs, with the space."""
    rng = np.random.default_rng(0)
    signs = [chr(0x4E00 + i) for i in range(300)]
    texts = ["".join(rng.choice(signs, 70 + length)) for _ in range(100)]
    parted = [" ".join([*re.findall(".{14}", one[:70]), one[70:]]) for one in texts]
    plan = plan_for(tmp_path, reviews(100).assign(review=parted))
    assert (plan.settings["model"], plan.settings["models.linear.text"]) == ("linear", pieces)
    assert any(line.endswith(f"(review: {why})") for line in plan.changes)


@pytest.mark.usefixtures("no_comparison")
def test_text_beside_many_features_stays_numbers_and_the_other_way_is_told(tmp_path: Path) -> None:
    numbers = {f"n{i}": np.random.default_rng(i).normal(size=100) for i in range(5)}
    plan = plan_for(tmp_path, reviews(100).assign(**numbers))  # five words for each other feature
    assert plan.settings["featurizers.tabular.keep_text"] is True
    plan = plan_for(tmp_path, reviews(100).assign(**numbers, n5=numbers["n0"]))
    assert plan.settings["featurizers.tabular.keep_text"] is False
    (line,) = [line for line in plan.found if line.startswith("words")]
    assert "`crivo try model=linear featurizers.tabular.keep_text=true`" in line
