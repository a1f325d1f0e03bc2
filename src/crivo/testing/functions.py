"""Contract tests for the functions that a team writes: metrics and checks of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.schema import Schema
from crivo.core.tasks import TASKS
from crivo.evaluation.assess import assess, choose_metrics, intervals_table, short_metrics
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.result_checks import Results, own_checks
from crivo.evaluation.tasks import Evaluated
from crivo.testing.contract import promise, require_kept
from crivo.testing.examples import (
    example_context,
    example_predictions,
    example_rows,
    example_schema,
    made_up_predictions,
)
from crivo.testing.tables import unchanged

# The difference that another order of sums makes.
CLOSE = 1e-9


@dataclass
class MetricPromises:
    """A metric, and the predictions of a made-up model of its task, every third counting twice."""

    metric: Metric

    @cached_property
    def predictions(self) -> pd.DataFrame:
        table = example_predictions(self.metric.task)
        return table.assign(weight=np.where(np.arange(len(table)) % 3, 1.0, 2.0))

    def _value(self, predictions: pd.DataFrame) -> float:
        context = example_context(self.metric.task)
        return self.metric(Evaluated.of(predictions, context).rows)

    def lies_in_its_bounds(self) -> None:
        """The value is a number within the bounds that the metric declares."""
        value, (low, high) = self._value(self.predictions), self.metric.bounds
        said = f"it gave {value:g}, and its bounds are {low:g} and {high:g}."
        promise(low <= value <= high, said)

    def has_nothing_to_do_with_order(self) -> None:
        """The same rows in another order give the same value."""
        value, turned = self._value(self.predictions), self._value(self.predictions[::-1])
        promise(isclose(value, turned, rel_tol=CLOSE), f"it gave {value:g}, and turned {turned:g}.")

    def honours_weights(self) -> None:
        """A row that weighs 0 counts as if it weren't there."""
        table, kept = self.predictions, np.arange(len(self.predictions)) % 4 > 0
        value = self._value(table.assign(weight=table["weight"] * kept))
        left = self._value(table[kept])
        promise(
            isclose(value, left, rel_tol=CLOSE, abs_tol=CLOSE),
            f"it gave {value:g} with rows of weight 0, and {left:g} without them; use `rows.mean` "
            "and `rows.sum`, which weigh.",
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

    def finds_pairs_of_texts(self) -> None:
        """It gives pairs of a subject and a sentence, or nothing."""
        for results in self.results:
            for found in self.search(results):
                whole = len(found) == 2 and all(
                    isinstance(one, str) and one.strip() for one in found
                )
                promise(whole, f"it gave {found!r}; give a subject and a sentence.")

    def changes_nothing(self) -> None:
        """The predictions and rows that it looks at stay as they are."""
        for results in self.results:
            tables = [one for one in (results.predictions, results.rows) if one is not None]
            with unchanged(*tables, doing="searching"):
                list(self.search(results))


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
