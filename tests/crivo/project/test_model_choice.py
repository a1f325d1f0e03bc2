"""The model of a new table is the one that does best on its own training rows."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.schema import Column, Schema
from crivo.project.model_choice import MAX_ROWS, candidates, model_choice

rng = np.random.default_rng(0)


def schema(task: str, kind: str = "number", **roles: str) -> Schema:
    """Return a schema of an id, the target y, the features a and b, and columns of other roles."""
    others = tuple(Column(name=name, role=role, type="category") for name, role in roles.items())
    return Schema(
        task=task,
        classes=(False, True) if task == "binary" else (),
        positive=True if task == "binary" else None,
        columns=(
            Column(name="key", role="id", type="text", nullable=False, unique=True),
            Column(name="y", role="target", type="boolean" if task == "binary" else "number"),
            Column(name="a", role="feature", type="number"),
            Column(name="b", role="feature", type=kind),
            *others,
        ),
    )


def table(rows: int = 150) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": [f"r{i}" for i in range(rows)],
            "a": rng.normal(size=rows),
            "b": rng.normal(size=rows),
            "y": rng.normal(size=rows),
        }
    )


def chosen(rows: pd.DataFrame, of: Schema) -> dict[str, object]:
    return dict(model_choice(rows, pd.Series("train", rows.index), of).values)


def test_a_sum_is_left_to_a_linear_model_and_the_reason_tells_the_loss_of_each() -> None:
    rows = table().assign(y=lambda t: 3 * t["a"] + t["b"])
    found = model_choice(rows, pd.Series("train", rows.index), schema("regression"))
    assert found.values["model"] == "linear"
    assert found.values["models.boosting.max_iter"] in (50, 100)  # set well to be tried
    why = "cross-validated RMSE on 150 training rows: boosting of 50 trees "
    assert found.why.startswith(why)
    assert "boosting of 100 trees" in found.why
    assert ", linear of C 100 0." in found.why


def test_what_no_sum_can_say_is_left_to_boosting() -> None:
    rows = table(200).assign(y=lambda t: (t["a"] * t["b"] > 0) | (t["a"] > 1.5))
    assert chosen(rows, schema("binary"))["model"] == "boosting"


def test_validation_and_test_rows_have_no_say() -> None:
    rows = table().assign(y=lambda t: 3 * t["a"] + t["b"])
    splits = pd.Series(np.where(np.arange(len(rows)) < 90, "train", "test"), rows.index)
    other = rows.assign(
        y=rows["y"].where(splits == "train", 1e6), a=rows["a"].where(splits == "train")
    )
    first, second = (model_choice(one, splits, schema("regression")) for one in (rows, other))
    assert first == second


@pytest.mark.parametrize(
    ("rows", "of"),
    [
        (table(49), schema("regression")),  # too few
        (table().assign(b="some words here"), schema("regression", kind="text")),
        (table().assign(y=[True] * 4 + [False] * 146), schema("binary")),  # not in each fold
        (table().assign(g=[*"abcd"] * 37 + ["a", "b"]), schema("regression", g="group")),
        (table().assign(a=1.0, b=2.0), schema("regression")),  # nothing varies
    ],
    ids=["few", "text", "rare", "groups", "constant"],
)
def test_where_folds_say_nothing_it_is_boosting(rows: pd.DataFrame, of: Schema) -> None:
    values = chosen(rows, of)
    assert values["model"] == "boosting"
    assert values["models.boosting.max_iter"] == 50


def test_groups_stay_together_so_that_none_is_learned_by_heart() -> None:
    """`a` is a mark of the group: it tells everything about rows of the same group only."""
    groups = np.repeat(np.arange(40), 5)
    marks = rng.permutation(40).astype(float)
    level = rng.normal(size=40)
    rows = table(200).assign(g=groups.astype(str), a=marks[groups], y=level[groups])
    alone = chosen(rows, schema("regression"))
    grouped = chosen(rows, schema("regression", g="group"))
    assert (alone["model"], grouped["model"]) == ("boosting", "linear")


def test_later_rows_judge_where_rows_have_a_time() -> None:
    days = pd.date_range("2020-01-01", periods=150).astype(str)
    rows = table().assign(y=lambda t: 3 * t["a"] + t["b"], t=days)
    assert chosen(rows, schema("regression", t="time"))["model"] == "linear"


@pytest.mark.parametrize(("rows", "early"), [(499, 0), (500, 20), (MAX_ROWS + 1, 20)])
def test_boosting_stops_early_where_rows_are_enough_to_watch(rows: int, early: int) -> None:
    assert candidates(rows)[0].values()["models.boosting.early_stopping"] == early


def test_copies_of_a_row_stay_in_one_fold() -> None:
    """Each row stands there four times: what is learned by heart helps on a copy only."""
    once = table(60)
    rows = pd.concat([once] * 4, ignore_index=True)
    rows["key"] = [f"r{i % 60}" + (f"~{i // 60 + 1}" if i >= 60 else "") for i in range(240)]
    named_apart = rows.assign(key=[f"r{i}" for i in range(240)])
    of = schema("regression")
    assert chosen(named_apart, of)["model"] == "boosting"
    assert chosen(rows, of)["model"] == "linear"
    apart = model_choice(rows, pd.Series("train", rows.index), of, copies_together=False)
    assert apart.values["model"] == "boosting"
