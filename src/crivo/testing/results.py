"""The contract suites of what judges results: evaluators, metrics, and checks of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context, Evaluation, Evaluator
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Task
from crivo.core.tasks import task_of
from crivo.evaluation.assess import assess, choose_metrics, intervals_table, short_metrics
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.result_checks import Results, own_checks
from crivo.evaluation.tasks import Evaluated
from crivo.testing.contract import (
    SettingsPromises,
    promise,
    require_equal,
    require_kept,
    unchanged,
)
from crivo.testing.fakes import (
    TASKS,
    example_context,
    example_predictions,
    example_rows,
    example_schema,
    made_up_predictions,
)

# The difference that another order of sums makes.
CLOSE = 1e-9
INTERVAL = ["se", "low", "high"]
VERDICTS = {"better", "worse", "equivalent", "undecided", "identical"}
BASELINE = "baseline."
# What a model that is always right leaves for each class.
UNSURE = 0.01


@dataclass
class EvaluatorPromises:
    """An evaluator and a task, with the predictions of a made-up model and its baseline."""

    block: Evaluator
    task: Task

    def __post_init__(self) -> None:
        self.where = f"For the task {self.task}: "
        self.schema = example_schema(self.task)
        self.predictions = example_predictions(self.task)
        self.baseline = example_predictions(self.task, good=False)

    def _evaluate(self, predictions: pd.DataFrame, baseline: pd.DataFrame | None) -> Evaluation:
        return self.block.evaluate(predictions, Context.of(self.schema, baseline=baseline))

    def _again(self) -> Evaluation:
        return self._evaluate(self.predictions.copy(), self.baseline.copy())

    @cached_property
    def evaluation(self) -> Evaluation:
        return self._again()

    def gives_every_table(self) -> None:
        """`evaluate` returns an Evaluation whose tables have all required columns."""
        result = self.evaluation
        promise(isinstance(result, Evaluation), f"it returned a {type(result).__name__}.")
        columns = {"metrics": "value", "baseline": "value", "against_baseline": "difference"}
        for name, first in columns.items():
            table = getattr(result, name)
            lacking = [column for column in (first, *INTERVAL) if column not in table]
            promise(not lacking, f"its table {name} lacks {', '.join(lacking)}.")
            promise(table.index.is_unique, f"its table {name} names a metric twice.")
        promise("verdict" in result.against_baseline, "its table against_baseline lacks verdict.")
        promise(bool(result.definition), "its definition is empty; it must identify the metrics.")

    def names_its_primary_metric(self) -> None:
        """The primary metric has a value, an interval and a verdict against the baseline."""
        result, name = self.evaluation, self.evaluation.primary
        promise(
            name in result.metrics.index, f"the primary metric, {name!r}, isn't among the metrics."
        )
        whole = np.isfinite(result.metrics.loc[name].to_numpy(float)).all()
        promise(whole, f"{name} has no value or no interval.")
        judged = name in result.against_baseline.index
        promise(judged, f"{name} has no verdict against the baseline.")

    def intervals_contain_their_values(self) -> None:
        """Every interval contains its value, and every verdict is a valid one."""
        result = self.evaluation
        for table in (result.metrics, result.baseline, result.against_baseline):
            value = table.iloc[:, 0] if "value" not in table else table["value"]
            wrong = ", ".join(table.index[(value < table["low"]) | (value > table["high"])])
            promise(not wrong, f"the interval of {wrong} doesn't contain its value.")
        strange = set(result.against_baseline["verdict"]) - VERDICTS
        known = ", ".join(sorted(VERDICTS))
        promise(not strange, f"it gives the verdict {strange}; valid verdicts are {known}.")

    def jackknife_explains_the_errors(self) -> None:
        """Standard errors follow from `jackknife`, which has a row for each left-out cluster."""
        result = self.evaluation
        for table, prefix in ((result.metrics, ""), (result.baseline, BASELINE)):
            for name, error in table["se"].dropna().items():
                column = f"{prefix}{name}"
                promise(column in result.jackknife, f"`jackknife` lacks the column {column!r}.")
                left_out = result.jackknife[column].to_numpy(float)
                spread = np.sqrt((len(left_out) - 1) * np.var(left_out))
                promise(
                    np.isclose(spread, error, rtol=1e-6, atol=1e-12),
                    f"the standard error of {column} is {error:.6g}, by `jackknife` {spread:.6g}.",
                )

    def same_input_same_result(self) -> None:
        """The same predictions give the same evaluation."""
        again = self._again()
        for name in ("metrics", "baseline", "against_baseline", "jackknife"):
            first, second = (getattr(one, name) for one in (self.evaluation, again))
            finding = f"`{name}` differs the second time"
            require_equal(first, second, finding, "use `context.seed`", exact=True)
        promise(
            self.evaluation.definition == again.definition, "`definition` differs the second time."
        )

    def leaves_its_inputs_alone(self) -> None:
        """The predictions of the model and of the baseline aren't changed."""
        with unchanged(self.predictions, self.baseline, doing="`evaluate`"):
            self._evaluate(self.predictions, self.baseline)

    def metrics_depend_only_on_the_predictions(self) -> None:
        """The order of the rows, or a missing baseline, changes no metric."""
        backwards = (one[::-1].reset_index(drop=True) for one in (self.predictions, self.baseline))
        for what, other in (
            ("rows in reverse order", self._evaluate(*backwards)),
            ("no baseline", self._evaluate(self.predictions.copy(), None)),
        ):
            require_equal(self.evaluation.metrics, other.metrics, f"{what} gave other metrics")

    def accepts_labels_without_scores(self) -> None:
        """Predictions without scores are also evaluated, with metrics that need none."""
        scores = [name for name in self.predictions if str(name).startswith("score")]
        result = self._evaluate(
            self.predictions.drop(columns=scores), self.baseline.drop(columns=scores)
        )
        value = pd.to_numeric(result.metrics["value"])[result.primary]
        promise(np.isfinite(value), f"without scores, {result.primary} has no value.")

    def perfect_predictions_are_not_worse(self) -> None:
        """Perfect predictions are never called worse than the baseline."""
        truth = self.predictions.assign(prediction=self.predictions["target"])
        if self.schema.classes:
            hits = np.column_stack([truth["target"] == name for name in self.schema.classes])
            sure = hits * (1 - UNSURE * len(self.schema.classes)) + UNSURE
            truth = truth.assign(**task_of(self.schema).to_columns(sure))
        result = self._evaluate(truth, self.baseline.copy())
        verdict = result.against_baseline.loc[result.primary, "verdict"]
        said = "it calls perfect predictions worse than the baseline's; check the direction of"
        promise(verdict != "worse", f"{said} {result.primary}.")


def check_evaluator(block: Evaluator, *, tasks: Sequence[Task] = TASKS) -> None:
    """Check that an evaluator keeps every promise of its interface, for these tasks.

    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeEvaluator
    >>> check_evaluator(FakeEvaluator(), tasks=["regression"])
    """
    suites = [EvaluatorPromises(block, task) for task in tasks]
    require_kept(f"evaluator {type(block).__name__}", SettingsPromises(block), *suites)


@dataclass
class MetricPromises:
    """A metric, and the predictions of a made-up model of its task."""

    metric: Metric

    @cached_property
    def predictions(self) -> pd.DataFrame:
        return example_predictions(self.metric.task)

    def _value(self, predictions: pd.DataFrame) -> float:
        context = example_context(self.metric.task)
        return self.metric(Evaluated(predictions, context).rows)

    def lies_in_its_bounds(self) -> None:
        """The value is a number within the bounds that the metric declares."""
        value, (low, high) = self._value(self.predictions), self.metric.bounds
        said = f"it gave {value}, and its bounds are {low} and {high}."
        promise(low <= value <= high, said)

    def ignores_the_order_of_rows(self) -> None:
        """The same rows in another order give the same value."""
        value, turned = self._value(self.predictions), self._value(self.predictions[::-1])
        promise(isclose(value, turned, rel_tol=CLOSE), f"it gave {value}, and {turned} in reverse.")

    def ignores_rows_of_weight_0(self) -> None:
        """A row of weight 0 counts as if it weren't there."""
        kept = np.arange(len(self.predictions)) % 2 > 0
        value = self._value(self.predictions.assign(weight=kept.astype(float)))
        left = self._value(self.predictions[kept])
        promise(
            isclose(value, left, rel_tol=CLOSE, abs_tol=CLOSE),
            f"it gave {value} with rows of weight 0, and {left} without them; use `rows.mean` "
            "and `rows.sum`, which use the weights.",
        )


def check_metric(name: str) -> None:
    """Check that a metric of `src/blocks/metrics` keeps its promises.

    ContractError: which it breaks, one sentence each. CrivoError: there is no such metric.
    """
    found = [known[name] for task in TASKS if name in (known := metrics_of(task))]
    if not found:
        raise CrivoError(f"There is no metric {name!r}; expected one in src/blocks/metrics.")
    require_kept(f"metric {name}", *map(MetricPromises, found))


@dataclass
class CheckPromises:
    """A check of results, and the results of made-up models that it looks at."""

    search: Callable[[Results], Iterator[tuple[str, str]]]
    results: list[Results]

    def changes_nothing(self) -> None:
        """The check doesn't change the predictions and rows that it gets."""
        for results in self.results:
            tables = [one for one in (results.predictions, results.rows) if one is not None]
            with unchanged(*tables, doing="the check"):
                list(self.search(results))

    def yields_pairs_of_strings(self) -> None:
        """The check yields pairs of a subject and a sentence, or nothing."""
        for results in self.results:
            for found in self.search(results):
                whole = len(found) == 2 and all(
                    isinstance(one, str) and one.strip() for one in found
                )
                promise(whole, f"it yielded {found!r}; yield a subject and a sentence.")


def check_check(
    name: str, *, schema: Schema | None = None, rows: pd.DataFrame | None = None
) -> None:
    """Check that a check of `src/blocks/checks` keeps its promises.

    `schema` and `rows`: of the project, for a check that names columns; left out, it looks at
    made-up rows of each task. ContractError: which promises it breaks, one sentence each.
    CrivoError: there is no such check.
    """
    (made,) = own_checks([name])
    if schema is None or rows is None:
        results = [_results(example_schema(task), example_rows(task)) for task in TASKS]
    else:
        results = [_results(schema, rows)]
    require_kept(f"check {name}", CheckPromises(made.search, results))


def _results(schema: Schema, rows: pd.DataFrame) -> Any:
    """Return the results of a made-up model on rows."""
    rows = rows.sort_values(schema.id, key=lambda ids: ids.astype("str"), ignore_index=True)
    predictions = made_up_predictions(rows, schema)
    context = Context.of(schema, baseline=made_up_predictions(rows, schema, good=False))
    made = assess(predictions, context, choose_metrics(predictions, schema.task))
    beside = rows.drop(columns=[schema.id, schema.target])
    return Results(predictions, context, intervals_table(made), short_metrics(made), rows=beside)
