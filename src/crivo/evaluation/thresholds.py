"""Chooses the operating point of a binary task: the score from which rows are acted on.

It is chosen once, on validation rows, and used unchanged on test rows and in production. A capacity
needs no outcomes. The threshold with the highest gain depends on outcomes, so its gain and all
metrics of its predictions are measured on rows that it wasn't chosen on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.params import ValueSettings
from crivo.core.tasks import task_of
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.rows import Binary
from crivo.evaluation.tasks import Evaluated

Rule = Literal["capacity", "value", "even"]

# No score reaches this threshold; it is used if acting on no row is best.
NOTHING = 2.0
EVEN = 0.5

# Metrics of a binary task that depend on the threshold.
OF_DECISIONS = ("f1", "precision", "recall", "accuracy")

# Parts of the clusters for cross-fitting a threshold that depends on outcomes.
FOLDS = 5


@dataclass(frozen=True)
class Threshold:
    """A row whose score reaches `value` is acted on; `rule` says how it was chosen.

    `capacity`: for as many rows as can be worked on; `value`: for the highest gain; `even`: one
    half, if neither is set.
    """

    value: float
    rule: Rule


@dataclass(frozen=True)
class OperatingPoint:
    """The thresholds of the model and of the baseline, and what acting on rows is worth.

    `here`: the thresholds were chosen on the evaluated rows themselves.
    """

    thresholds: tuple[Threshold | None, Threshold | None] = (None, None)
    value: ValueSettings = field(default_factory=ValueSettings)
    here: bool = True

    @classmethod
    def choose(
        cls,
        tables: tuple[pd.DataFrame, pd.DataFrame],
        context: Context,
        value: ValueSettings,
        *,
        here: bool,
    ) -> OperatingPoint:
        """Return the operating point for these predictions of the model and the baseline.

        CrivoError: gains or a capacity were set for a task without a positive class.
        """
        if not task_of(context).has_positive and (value.gains or value.capacity is not None):
            raise CrivoError(
                f"evaluate.value is set, but the task is {context.task}: only a binary task "
                "has rows to act on. Leave capacity null and all gains 0."
            )
        model, baseline = (choose_threshold(table, context, value) for table in tables)
        return cls((model, baseline), value, here)

    def apply(
        self, tables: tuple[pd.DataFrame, pd.DataFrame], context: Context
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return both tables with the predictions that follow from the scores and the thresholds.

        If a threshold was chosen with the outcomes of the same rows, each fifth of the clusters
        gets a threshold that was chosen on the others. All results of the predictions would
        otherwise be too optimistic.
        """
        model, baseline = (
            self._decided(table, context, threshold)
            for table, threshold in zip(tables, self.thresholds, strict=True)
        )
        return model, baseline

    @property
    def cross_fitted(self) -> bool:
        """Whether the model's threshold was chosen with the outcomes of the evaluated rows."""
        chosen = self.thresholds[0]
        return self.here and chosen is not None and chosen.rule == "value"

    def warning(self, shown: Iterable[str]) -> list[str]:
        """Warn that intervals don't allow for the choice of the threshold on these rows."""
        names = [name for name in OF_DECISIONS if name in set(shown)]
        if not (self.cross_fitted and names):
            return []
        return [
            "The threshold was chosen on these rows, so each fifth of the clusters gets a "
            "threshold that was chosen on the others. The intervals of "
            f"{', '.join(names)} don't allow for the choice of the threshold; if there are few "
            "rows, they are too narrow."
        ]

    def _decided(
        self, table: pd.DataFrame, context: Context, threshold: Threshold | None
    ) -> pd.DataFrame:
        if threshold is None:
            return table
        task, cuts = task_of(context), threshold.value
        # One cluster has no interval either.
        if self.here and threshold.rule == "value" and table["cluster"].nunique() > 1:
            cuts = cross_fitted(Binary.of(table, context), jackknife_groups(table), self.value)
        return table.assign(prediction=task.decide(task.from_columns(table), cuts))

    def to_json(self) -> dict[str, Any]:
        """Return what `threshold.json` holds; the threshold is null if there are no scores."""
        chosen = self.thresholds[0]
        if chosen is None:
            return {"threshold": None, "rule": None, "chosen_on": None}
        return {"threshold": chosen.value, "rule": chosen.rule, "chosen_on": "valid"}


def choose_threshold(
    predictions: pd.DataFrame, context: Context, settings: ValueSettings
) -> Threshold | None:
    """Return the operating point for these rows; None if there are no binary scores.

    With a capacity, as many of the highest scores are acted on as fit into it; of rows with the
    same score, all are acted on or none.
    """
    evaluated = Evaluated.of(predictions, context)
    if not evaluated.has_positive_scores:
        return None
    rows = evaluated.rows
    if settings.capacity is not None:
        share = rows.cumulative_weight / rows.total_weight
        acted = int(np.searchsorted(share, settings.capacity * (1 + 1e-12), side="right"))
        return Threshold(cut_after(rows, acted), "capacity")
    if settings.gains:
        return Threshold(cut_after(rows, best_cut(rows, settings)), "value")
    return Threshold(EVEN, "even")


def total_gain(
    settings: ValueSettings, rows: Binary, acted: np.ndarray | float, hits: np.ndarray | float
) -> Any:
    """Return the gain of acting on rows of this weight, of which `hits` are positive."""
    positives = rows.sum(rows.target)
    return gain_of(settings, hits, acted - hits, positives, rows.total_weight - positives)


def gain_of(
    settings: ValueSettings,
    hits: np.ndarray | float,
    alarms: np.ndarray | float,
    positives: np.ndarray | float,
    negatives: np.ndarray | float,
) -> Any:
    """Return the gain of these hits and false alarms, given all positive and negative rows."""
    return (
        hits * settings.true_positive
        + alarms * settings.false_positive
        + (positives - hits) * settings.false_negative
        + (negatives - alarms) * settings.true_negative
    )


def best_cut(rows: Binary, settings: ValueSettings) -> int:
    """Return how many groups of equal scores to act on; the fewest if several numbers are best."""
    acted, hits = np.append(0, rows.cumulative_weight), np.append(0, rows.cumulative_positives)
    gains = total_gain(settings, rows, acted, hits)
    return int(np.flatnonzero(gains >= gains.max() - 1e-12 * np.abs(gains).max())[0])


def cut_after(rows: Binary, groups: int) -> float:
    """Return the threshold that selects exactly this many of the highest scores.

    It lies between two scores and has as few digits as possible.
    """
    scores = rows.score[rows.tie_starts]
    if groups == 0:
        return NOTHING
    if groups == len(scores):
        return 0.0
    high, low = float(scores[groups - 1]), float(scores[groups])
    for digits in range(1, 11):
        middle = round((high + low) / 2, digits)
        if low < middle <= high:
            return middle
    return high


def cross_fitted(rows: Binary, groups: pd.Categorical, settings: ValueSettings) -> Any:
    """Return the threshold of each row of the table, chosen on the other folds of clusters.

    Neighbouring clusters are in different folds. There are at least two clusters.
    """
    fold = np.unique(groups.codes, return_inverse=True)[1] % FOLDS
    cuts = np.empty(len(fold))
    for number in np.unique(fold):
        rest = rows.only(fold != number)
        cuts[fold == number] = cut_after(rest, best_cut(rest, settings))
    return cuts
