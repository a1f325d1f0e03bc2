"""`Evaluated`: a predictions table and its results, for every task.

The metrics of a task are functions in `crivo.evaluation.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.tasks import TaskType, task_of
from crivo.core.wording import a_few, counted
from crivo.evaluation.curves import Counts, count_reaching
from crivo.evaluation.jackknife import (
    Jackknife,
    jackknife_groups,
    made_by_hash,
    measure_without_each,
)
from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import ROWS

# A class with fewer rows says little about the distribution of its scores.
MIN_CLASS_ROWS = 30
MAX_NAMES = 5

# So much of the sum of the squared errors may lie in the largest hundredth of them. It is 0.08
# for normal errors, 0.16 for Laplace's; where it is more, hardly any sample has the rare large
# errors that decide the true value.
LARGEST, MAX_LARGEST_FRACTION = 0.01, 0.25
# Of fewer rows the largest says nothing.
MIN_ROWS = 50


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A predictions table and its results, each of which is computed once, when it is needed.

    What a task's results are is said by its class of `crivo.evaluation.rows`.
    """

    predictions: pd.DataFrame
    context: Context

    @cached_property
    def task(self) -> TaskType:
        """The task, with its classes."""
        return task_of(self.context)

    @cached_property
    def rows(self) -> Any:
        """The rows in the form that metrics need."""
        return ROWS[self.context.task].of(self.predictions, self.context)

    @cached_property
    def groups(self) -> pd.Categorical:
        """The group of each row that the jackknife leaves out."""
        return jackknife_groups(self.predictions)

    @cached_property
    def units(self) -> np.ndarray:
        """Each row's independent unit: its cluster, or the row itself if no clusters are named."""
        named = not made_by_hash(self.predictions)
        return np.asarray(self.groups.codes) if named else np.arange(len(self.predictions))

    @cached_property
    def weight(self) -> np.ndarray:
        """Each row's weight."""
        return self.predictions["weight"].to_numpy(float)

    @cached_property
    def losses(self) -> np.ndarray:
        """Each row's loss, in the order of the table."""
        return np.asarray(self.rows.losses[self.rows.places])

    @property
    def has_positive_scores(self) -> bool:
        """Whether there are scores of a positive class, to which a threshold can be applied."""
        return self.task.has_positive and self.rows.scored

    @cached_property
    def baseline(self) -> Evaluated | None:
        """The baseline's table, if there is one."""
        known = self.context.baseline
        return None if known is None else Evaluated(known, self.context)

    def caveats(self, metrics: Sequence[Metric]) -> list[str]:
        """Return warnings that the rows can't support the intervals of some metrics."""
        if not self.task.has_classes:
            return heavy_tails(self.rows.squared_errors, self.rows.weight, metrics)
        counts = self.predictions["target"].value_counts()
        return rare_classes({str(name): int(counts.get(name, 0)) for name in self.context.classes})

    def jackknife(
        self, metrics: Sequence[Metric], groups: pd.Categorical | None = None
    ) -> Jackknife:
        """Return metrics of the table, with and without each cluster.

        `groups` are the rows' groups when they are to be the same as in another table; a group
        without a row here changes nothing.
        """
        own = self.groups if groups is None else groups
        return measure_without_each(self.rows, own, metrics, self.units, self.cluster)

    def cluster(self, group: str) -> str:
        """Return words for a group of rows: a cluster's name, or how to find its rows."""
        numbered = pd.api.types.is_numeric_dtype(self.predictions["cluster"])
        column = " (in the column `cluster` of predictions.parquet)" if numbered else ""
        names = self.predictions["cluster"][np.asarray(self.groups == group)].unique()
        if len(names) > 1:
            return f"the clusters {a_few(map(str, names), MAX_NAMES)}, left out together{column}"
        return f"cluster {group}{column}"

    @cached_property
    def reaching(self) -> Counts:
        """The rows of each class whose score reaches each of some scores, for curves."""
        return count_reaching(self.rows, self.groups)


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Warn about classes with some rows, but too few; `counts`: the rows of each class."""
    few = [f"{name} ({counted(n, 'row')})" for name, n in counts.items() if 0 < n < MIN_CLASS_ROWS]
    if not few:
        return []
    return [
        f"Classes with fewer than {MIN_CLASS_ROWS} rows: {a_few(few, MAX_NAMES)}. "
        "Intervals of metrics that depend on single classes, such as ROC AUC, recall and F1, "
        "may be too narrow."
    ]


def heavy_tails(
    squared_errors: np.ndarray, weight: np.ndarray, metrics: Sequence[Metric]
) -> list[str]:
    """Warn if a few rows account for most of the squared errors; both are one number per row."""
    names = ", ".join(metric.name for metric in metrics if metric.squared)
    fraction = largest_fraction(squared_errors * weight)
    if not names or len(weight) < MIN_ROWS or fraction <= MAX_LARGEST_FRACTION:
        return []
    return [
        f"{names}: the largest {100 * LARGEST:.0f} % of the squared errors make up "
        f"{100 * fraction:.0f} % of their sum (above {100 * MAX_LARGEST_FRACTION:.0f} %), so "
        "the interval is probably too narrow: future errors may be larger. mae is affected less."
    ]


def largest_fraction(values: np.ndarray) -> float:
    """Return which part of the sum of some numbers the largest hundredth of them makes up.

    >>> largest_fraction(np.array([1.0] * 99 + [33.0]))
    0.25
    """
    count = max(1, round(LARGEST * len(values)))
    total = float(values.sum())
    if not total > 0:
        return 0.0
    return float(np.partition(values, len(values) - count)[-count:].sum()) / total
