"""A breach is told once, with the promise and what happened; the mocks keep the contracts."""

from pathlib import Path
from unittest import SkipTest

import pandas as pd
import pytest
from sklearn.linear_model import PoissonRegressor
from sklearn.pipeline import Pipeline, make_pipeline

from crivo import testing
from crivo.core.blocks import Featurizer, Model, block
from crivo.core.errors import CrivoError
from crivo.core.inputs import numeric_inputs
from crivo.core.schema import Schema, Task
from crivo.testing.contract import (
    BrokenPromise,
    ContractError,
    promise,
    require_equal,
    require_kept,
)


class Arithmetic:
    where = "For once, "

    def __init__(self, number: int) -> None:
        self.number = number

    def is_even(self) -> None:
        """The number is even.

        More about it, which is not repeated.
        """
        promise(self.number % 2 == 0, f"it is {self.number}.")

    def is_small(self) -> None:
        """The number is small."""
        promise(self.number < 10, f"it is {self.number}.")

    def divides(self) -> None:
        """Dividing works."""
        if self.number == 11:
            raise ValueError("ab " * 100 + "c")  # a character too long

    def divides_too(self) -> None:
        """Dividing works here as well."""
        self.divides()


def test_all_broken_promises_are_told_and_one_cause_once() -> None:
    with pytest.raises(ContractError) as error:
        require_kept("the number", Arithmetic(11))
    assert str(error.value) == (
        "the number breaks its contract.\n"
        "- is_even: The number is even. For once, it is 11.\n"
        "- is_small: The number is small. For once, it is 11.\n"
        f"- divides: Dividing works. For once, it raised ValueError: {'ab ' * 98}[...]"
    )
    assert error.value.checks == ("is_even", "is_small", "divides")
    assert isinstance(error.value, CrivoError)  # for users; and for test runners:
    assert isinstance(error.value, AssertionError)
    require_kept("the number", Arithmetic(4))


def test_tables_are_equal_up_to_last_digits_unless_they_must_be_exact() -> None:
    one, other = pd.Series([0.3]), pd.Series([0.1 + 0.2])
    require_equal(one, other, "it differs")
    with pytest.raises(BrokenPromise, match=r"^it differs \(0 differs in 1 of 1 rows: 0.3 became"):
        require_equal(one, other, "it differs", exact=True)
    with pytest.raises(BrokenPromise, match=r"0.3 became 0.31\); mend it.$"):
        require_equal(one, pd.Series([0.31]), "it differs", "mend it")


def made_up(task: Task) -> str:
    """Return what is made up for a task, as text."""
    rows, schema = testing.example_rows(task), testing.example_schema(task)
    features = [testing.example_features(rows), testing.example_features(rows, text=True)]
    answers = [testing.example_predictions(task, 9, 1, good=good) for good in (True, False)]
    baseline = testing.example_context(task, 9).baseline
    fake = testing.FakePredictor(schema=schema)
    features.append(testing.FakeFeaturizer().build(schema, 0).fit(rows).transform(rows))
    tree = testing.FakeModel().build(task, 0).fit(features[0], rows["target"])
    answers.append(pd.DataFrame({"tree": tree.predict(features[0])}))
    splits = testing.FakeSplitter().split(rows, schema).rename("split").to_frame()
    tables = [rows, *features, *answers, baseline, fake.predict(rows), splits]
    lines = [f"{one.role} {one.name}: {one.type}, {one.nullable}" for one in schema.columns]
    lines += [f"{task}: {schema.classes}, {schema.positive}, {fake.version}"]
    for table in tables:
        counts = table.agg(["nunique", lambda one: one.isna().sum()]).T.to_csv(header=False)
        lines += [f"{len(table)} rows", counts, table[:6].to_csv(float_format="%.4g")]
    return "\n".join(lines).replace("\r", "")


def test_what_is_made_up_is_always_the_same() -> None:
    """Blocks and their authors see it: a change here may break a project's own tests."""
    told = (Path(__file__).with_name("fakes.txt")).read_text(encoding="utf-8")
    assert "\n".join(map(made_up, testing.TASKS)) == told


@pytest.mark.parametrize("task", testing.TASKS)
def test_fakes_of_each_task_keep_the_contract_without_a_file(task: Task) -> None:
    testing.check_dataset(testing.FakeDataset(task=task), "no/such/folder")
    testing.check_model(testing.FakeModel(leaves=1), tasks=[task])
    testing.check_evaluator(testing.FakeEvaluator(), tasks=[task])
    for threshold in (None, 0.4):
        fake = testing.FakePredictor(schema=testing.example_schema(task), threshold=threshold)
        testing.check_predictor(fake)


@block
class Counts(Model):
    """A Poisson regression, of numbers from 0 on."""

    smallest_target = 0

    def build(self, task: Task, seed: int) -> Pipeline:
        if task != "regression":
            raise CrivoError("The model counts is made for regression; choose another one.")
        return make_pipeline(numeric_inputs(), PoissonRegressor(alpha=0.1))


@block
class Squares(Featurizer):
    """Made for rows of its own."""

    needs = ("hr",)

    def build(self, schema: Schema, seed: int) -> Pipeline:
        raise KeyError("hr")


def test_a_block_for_some_rows_or_tasks_is_tried_on_those() -> None:
    assert testing.tasks_of(Counts()) == ["regression"]
    testing.check_model(Counts(), tasks=["regression"])
    with pytest.raises(SkipTest, match="^the block needs hr, which these rows lack$"):
        testing.check_featurizer(Squares())
