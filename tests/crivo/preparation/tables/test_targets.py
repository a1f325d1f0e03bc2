"""What a target asks for is guessed or refused; rows are named by their content."""

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.schema import Task
from crivo.preparation.tables import columns
from crivo.preparation.tables.columns import content_ids, joined_ids
from crivo.preparation.tables.dataset import TableDataset


def target(*values: object) -> pd.Series:
    return pd.Series(list(values), name="y")


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1, 1, None], "binary"),
        (["a", "b"], "binary"),
        ([1.5, 2.5], "binary"),
        (list(range(20)), "multiclass"),
        (list("abc"), "multiclass"),
        (list(range(21)), "regression"),
        ([1.0, 2.0, 3.5], "regression"),
    ],
)
def test_the_task_follows_from_the_values(values: list[object], task: str) -> None:
    assert columns.guess_task(target(*values)) == task


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["yes", "no"], "category"),
        (["True", "false"], "boolean"),
        (["1", "2", "?"], "number"),
        (["2013-01-01", "2014-01-01"], "category"),
    ],
)
def test_labels_stay_as_they_are_written(values: list[str], kind: str) -> None:
    read = columns.read_target(target(*values), columns.Reading(frozenset("?")))
    assert columns.type_of(read) == kind


@pytest.mark.parametrize(
    ("task", "dtype"), [("binary", "Int64"), (None, "Int64"), ("regression", "float64")]
)
def test_whole_classes_stay_whole_despite_gaps(task: Task | None, dtype: str) -> None:
    read = columns.read_target(target(1.0, 0.0, None), columns.Reading(), task)
    assert str(read.dtype) == dtype


def test_rare_classes_are_left_out() -> None:
    assert columns.find_classes(target("a", "a", "b", "b", "c"), "multiclass", 2) == ("a", "b")
    assert len(columns.find_classes(target(*[*range(22)] * 5), "multiclass")) == 22  # a fifth


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        ([None, None], "binary", r"has 0 values \(\).*needs 2 classes"),
        (["a", "a"], "binary", r"has 1 value \(a\).*binary with 2 rows needs 2 classes"),
        (["a", "b", "c"], "binary", r"3 values \(a, b, c\) .* needs 2 classes .min_class.*or task"),
        ([f"n{i}" for i in range(50)], "multiclass", "n12 and 45 more.* 50 rows needs 2 to 20 cl"),
        ([*range(22)] * 4 + [*range(21)], "multiclass", "109 rows needs 2 to 21 classes"),
        (["a", "b"], "regression", r"2 values \(a, b\) of the type category.* different numbers"),
        ([*pd.to_datetime(["2013-01-01", "2013-01-02"])], "binary", "of the type date"),
        ([True, False], "regression", "of the type boolean, but regression"),
        ([4.0, 4.0], "regression", r"has 1 value \(4\.0\)"),
    ],
)
def test_a_target_that_can_not_be_predicted_is_refused(
    values: list[object], task: Task, message: str
) -> None:
    with pytest.raises(CrivoError, match=message):
        columns.find_classes(target(*values), task)


@pytest.mark.parametrize(
    ("classes", "asked", "found"),
    [
        ((0, 1), None, 1),
        ((False, True), None, True),
        (("no", "yes"), None, "yes"),
        (("negative", "positive"), None, "positive"),
        (("neg", "pos"), None, "pos"),
        (("good", "spam"), None, "good"),  # the rarer one
        ((0, 1), "0", 0),
        ((0.0, 1.0), 0, 0.0),
        ((0, 1), 1.0, 1),
        (("No", "Yes"), "no", "No"),
        (("A", "a"), "a", "a"),
        ((False, True), "false", False),
        (("No", "Yes"), True, "Yes"),  # without quotes, as YAML reads it
        (("No", "Yes"), False, "No"),
    ],
)
def test_the_positive_class_is_asked_for_or_guessed(
    classes: tuple[object, ...], asked: object, found: object
) -> None:
    values = target(classes[0], classes[1], classes[1])
    assert columns.find_positive(classes, asked, values) == found  # type: ignore[arg-type]


def test_a_positive_class_that_is_none_names_those_there_are() -> None:
    with pytest.raises(CrivoError, match=r"'maybe'; choose one of a, b, c, d, e and 1 more\.$"):
        columns.find_positive(tuple("abcdef"), "maybe", target(*"abcdef"))


def test_spellings_of_yes_and_no_are_one_class_each() -> None:
    labels = columns.read_target(target("Yes", "yes", "Yes", "NO", "no", "no"), columns.Reading())
    assert labels.tolist() == ["yes", "yes", "yes", "no", "no", "no"]


@pytest.mark.parametrize("labels", [["A", "a"], ["X1", "x1"], ["Yes", "No"], ["Yes", "No", "or"]])
def test_codes_are_no_spellings_of_each_other(labels: list[str]) -> None:
    assert columns.read_target(pd.Series(labels), columns.Reading()).tolist() == labels


ROWS = pd.DataFrame({"a": ["1", "2", "1"], "b": ["x", "y", "x"]})


def test_added_rows_and_another_order_change_no_name() -> None:
    more = pd.concat([pd.DataFrame({"a": ["9"], "b": ["z"]}), ROWS[::-1]], ignore_index=True)
    assert set(content_ids(ROWS)) < set(content_ids(more))


def test_cells_are_told_apart_from_their_neighbours() -> None:
    rows = pd.DataFrame({"a": ["xy", "x"], "b": ["z", "yz"]})
    assert content_ids(rows).is_unique
    assert joined_ids(pd.DataFrame({"a": ["a|b", "a"], "b": ["c", "b|c"]}), frozenset()).is_unique
    assert joined_ids(pd.DataFrame({"a": ["a|b"]}), frozenset()).tolist() == ["a|b"]


def test_names_are_the_same_on_every_machine() -> None:
    # printf '1\037x' | b2sum -l 64
    assert content_ids(ROWS)[[0, 2]].tolist() == ["4d8bce2375920758", "4d8bce2375920758~2"]


def test_a_column_of_an_id_of_several_may_also_be_the_group_or_the_time() -> None:
    rows = pd.DataFrame({"who": [7, 7, 8], "year": [2001, 2002, 2001], "y": [1.5, 2.5, 3.5]})
    table = TableDataset(target="y", id=("who", "year"), group="who", time="year")
    made = table.rows(rows)
    roles = {column.name: column.role for column in table.schema(made).columns}
    assert roles == {"row_id": "id", "who": "group", "year": "time", "y": "target"}
    assert made["year"].tolist() == [2001, 2002, 2001]
    with pytest.raises(CrivoError, match="'y' twice, in different roles"):
        TableDataset(target="y", id=("who", "y")).schema(rows)


def test_a_missing_part_makes_the_name_missing() -> None:
    rows = pd.DataFrame({"a": ["a", " ? "], "b": ["b", "b"]})
    assert joined_ids(rows, frozenset("?")).isna().tolist() == [False, True]
