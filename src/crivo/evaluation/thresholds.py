"""Chooses the operating point of a binary task, and measures what acting on rows is worth.

The threshold, the score from which rows are acted on, is chosen once, on validation rows, and used
unchanged on test rows and in production. A capacity needs no outcomes. The threshold with the
highest gain depends on outcomes, so its gain and all metrics of its predictions are measured on
rows that it wasn't chosen on; the highest point of the value's curve would be too optimistic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.params import ValueSettings
from crivo.core.tasks import EVEN, task_of
from crivo.evaluation.curves import band, count_reaching
from crivo.evaluation.jackknife import jackknife_groups
from crivo.evaluation.metrics import Metric, find_metrics
from crivo.evaluation.metrics.binary import OfTies
from crivo.evaluation.rows import Binary
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import Estimate, difference, interval
from crivo.statistics.jackknife import Statistic
from crivo.statistics.scale import Scale

# No score reaches this threshold; it is used if acting on no row is best.
NOTHING = 2.0

# Metrics of a binary task that depend on the threshold.
OF_DECISIONS = ("f1", "precision", "recall", "accuracy")

# Parts of the clusters for cross-fitting a threshold that depends on outcomes.
FOLDS = 5

# Values are for so many rows, in the unit of the gains; the curve has so many points.
PER, POINTS = 1000, 200

CURVE = ["threshold", "acted_per_1000", "precision", "recall"]
CURVE += ["value_per_1000", "value_per_1000_low", "value_per_1000_high"]

TABLE = ["of", "acted_per_1000", "value_per_1000", "se", "low", "high"]

GAIN = Scale("value", "higher")
# The metric of the rows with the highest scores.
AT_SHARE = "precision_at_share"


@dataclass(frozen=True)
class OperatingPoint:
    """The thresholds of the model and of the baseline, and what acting on rows is worth.

    A row whose score reaches a threshold is acted on; without binary scores there is none. `value`
    says by which rule they were chosen, and `here` that this was on the evaluated rows themselves.
    """

    thresholds: tuple[float | None, float | None] = (None, None)
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
        task, decided = task_of(context), list(tables)
        sought = self.here and self.value.rule == "value"
        for place, (table, threshold) in enumerate(zip(tables, self.thresholds, strict=True)):
            if threshold is None:
                continue
            cuts: Any = threshold
            # One cluster has no interval either.
            if sought and table["cluster"].nunique() > 1:
                cuts = cross_fitted(Binary.of(table, context), jackknife_groups(table), self.value)
            labels = task.decide(task.from_columns(table), cuts)
            decided[place] = table.assign(prediction=labels)
        return decided[0], decided[1]

    @property
    def cross_fitted(self) -> bool:
        """Whether the model's threshold was chosen with the outcomes of the evaluated rows."""
        return self.here and self.thresholds[0] is not None and self.value.rule == "value"

    def warning(self, shown: Iterable[str]) -> list[str]:
        """Warn that intervals don't allow for the choice of the threshold on these rows."""
        names = [name for name in OF_DECISIONS if name in set(shown)]
        if not (self.cross_fitted and names):
            return []
        return [
            "The threshold was chosen on these rows, so each fifth of the clusters gets a "
            "threshold that was chosen on the others. The intervals of "
            f"{', '.join(names)} don't allow for the choice of the threshold; if there are few "
            "rows, they are usually too narrow."
        ]

    def to_json(self) -> dict[str, Any]:
        """Return what `threshold.json` holds; the threshold is null if there are no scores."""
        if (chosen := self.thresholds[0]) is None:
            return {"threshold": None, "rule": None, "chosen_on": None}
        return {"threshold": chosen, "rule": self.value.rule, "chosen_on": "valid"}


def choose_threshold(
    predictions: pd.DataFrame, context: Context, settings: ValueSettings
) -> float | None:
    """Return the threshold for these rows; None if there are no binary scores.

    With a capacity, as many of the highest scores are acted on as fit into it; of rows with the
    same score, all are acted on or none.
    """
    evaluated = Evaluated(predictions, context)
    if not evaluated.has_positive_scores:
        return None
    rows = evaluated.rows
    if settings.capacity is not None:
        share = rows.cumulative_weight / rows.total_weight
        acted = int(np.searchsorted(share, settings.capacity * (1 + 1e-12), side="right"))
        return cut_after(rows, acted)
    return cut_after(rows, best_cut(rows, settings)) if settings.gains else EVEN


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


def _gain_of_top(settings: ValueSettings, seen: np.ndarray, hits: np.ndarray, acted: Any) -> Any:
    """Return the gain of acting on the highest scores, up to a weight; equal ones in parts.

    `seen`, `hits`: the weight of all rows and of the positives down to each score.
    """
    found = np.interp(acted, np.append(0, seen), np.append(0, hits))
    return gain_of(settings, found, acted - found, hits[-1], seen[-1] - hits[-1])


def _gain_of_share(
    settings: ValueSettings, share: float, weight: np.ndarray, positives: np.ndarray
) -> float:
    """Return the gain for 1,000 rows of acting on a share, from the weights of equal scores."""
    seen, hits = np.cumsum(weight), np.cumsum(positives)
    if not (total := seen[-1]) > 0:
        return np.nan
    return float(PER * _gain_of_top(settings, seen, hits, share * total) / total)


def best_cut(rows: Binary, settings: ValueSettings) -> int:
    """Return how many groups of equal scores to act on; the fewest if several numbers are best."""
    seen = rows.cumulative_weight
    gains = _gain_of_top(settings, seen, rows.cumulative_positives, np.append(0, seen))
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


def value_table(evaluated: Evaluated, point: OperatingPoint) -> pd.DataFrame:
    """Return the value of the model, of the baseline, of their difference and of acting blindly.

    With a capacity, both act on exactly that share of these rows, and `model_at_threshold` is the
    value at the threshold. The table is empty if no gain is set, or if the threshold was chosen on
    these rows and there is only one cluster.
    """
    settings, (threshold, other), groups = point.value, point.thresholds, evaluated.groups
    is_sought_here = point.cross_fitted and len(groups.categories) < 2
    if threshold is None or not settings.gains or is_sought_here:
        return pd.DataFrame(columns=TABLE)
    prior, share = evaluated.baseline, settings.capacity
    decisions: dict[str, tuple[Evaluated, float | None]] = {"model": (evaluated, share)}
    if share is not None:
        decisions["model_at_threshold"] = evaluated, None
    decisions |= {"act_on_all": (evaluated, 1.0), "act_on_none": (evaluated, 0.0)}
    if prior is not None and other is not None:
        decisions["baseline"] = prior, share
    found = {of: _worth(settings, *one, groups) for of, one in decisions.items()}
    if "baseline" in found:
        (acted, own, (least, most)), (others, theirs, _) = found["model"], found["baseline"]
        gained = difference(GAIN, own, theirs)._replace(beyond=own.beyond)
        found["difference"] = acted - others, gained, (least - most, most - least)
    table = [
        (of, acted, one.value, *interval(one, ends)) for of, (acted, one, ends) in found.items()
    ]
    return pd.DataFrame(table, columns=TABLE)


def _range(settings: ValueSettings, share: float | None) -> tuple[float, float]:
    """Return the least and the greatest value of acting on a share; None: on any share."""
    acted = settings.true_positive, settings.false_positive
    left = settings.false_negative, settings.true_negative
    if share is None:
        return PER * min(*acted, *left), PER * max(*acted, *left)
    least, most = (PER * (share * end(acted) + (1 - share) * end(left)) for end in (min, max))
    return least, most


def _worth(
    settings: ValueSettings, evaluated: Evaluated, share: float | None, groups: pd.Categorical
) -> tuple[float, Estimate, tuple[float, float]]:
    """Return how many of 1,000 rows are acted on, the value for 1,000 rows, and its range.

    `share`: of the rows with the highest scores; None: the rows that are predicted positive. If all
    rows of the share are alike, the clusters show no error, and that of the precision counts.
    """

    def value(rows: Binary) -> Statistic:
        if share not in (None, 0, 1):
            return OfTies(rows, rows.ties, partial(_gain_of_share, settings, share))
        acted = rows.predicted if share is None else share
        counts = acted * rows.target, acted * rows.negative, rows.target, rows.negative
        return rows.ratio(PER * gain_of(settings, *counts))

    rows, metric = evaluated.rows, Metric("value", "higher", task="binary", compute=value)
    acted = rows.mean(rows.predicted) if share is None else share
    worth = evaluated.jackknife([metric], groups).estimate(metric)
    least, most = _range(settings, share)
    if share and any(np.isclose(worth.value, (least, most))):
        precision = find_metrics([AT_SHARE], "binary", {"share": share})[0]
        _, _, low, high = evaluated.jackknife([precision]).limits(precision)
        unseen, at_most = (high - low) * (most - least), worth.value > (least + most) / 2
        worth = worth._replace(beyond=(unseen, 0.0) if at_most else (0.0, unseen))
    return PER * acted, worth, (least, most)


def value_curve(evaluated: Evaluated, point: OperatingPoint) -> pd.DataFrame:
    """Return value, precision and recall over at most 201 thresholds, the highest first.

    They include the highest value and the threshold in use. The ends belong to the interval of each
    single point. The table is empty if no gain is set or if there are no binary scores.
    """
    settings, threshold = point.value, point.thresholds[0]
    if not settings.gains or not evaluated.has_positive_scores:
        return pd.DataFrame(columns=CURVE)
    rows = evaluated.rows
    scores = rows.score[rows.tie_starts]
    chosen = np.linspace(0, len(scores) - 1, min(POINTS - 1, len(scores))).astype(int).tolist()
    used = [] if threshold is None else [int((scores >= threshold).sum()) - 1]
    seen, hits = rows.cumulative_weight, rows.cumulative_positives
    best = int(_gain_of_top(settings, seen, hits, seen).argmax())
    chosen = np.unique([*chosen, best, *used])
    counts = count_reaching(rows, evaluated.groups, scores[chosen[chosen >= 0]][::-1])
    hits, alarms = counts.positives, counts.negatives
    positives, negatives = hits[:, -1:], alarms[:, -1:]
    gains, weight = gain_of(settings, hits, alarms, positives, negatives), positives + negatives
    values = np.divide(PER * gains, weight, out=np.full(gains.shape, np.nan), where=weight > 0)
    low, high = band(values, counts.clusters)
    acted, found = hits[0] + alarms[0], hits[0]
    return pd.DataFrame(
        {
            "threshold": counts.scores,
            "acted_per_1000": PER * acted / acted[-1],
            "precision": found / acted,
            "recall": found / found[-1] if found[-1] > 0 else np.nan,
            "value_per_1000": values[0],
            "value_per_1000_low": low,
            "value_per_1000_high": high,
        }
    )
