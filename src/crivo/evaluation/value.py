"""The value of acting on the model's scores, with its interval, and the curve over thresholds.

Values are for 1,000 rows, in the unit of the gains, and for the predictions at the operating point.
The highest point of the curve would be too optimistic.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from crivo.core.params import ValueSettings
from crivo.evaluation.curves import band, count_reaching
from crivo.evaluation.jackknife import measure_without_each
from crivo.evaluation.metrics import Metric
from crivo.evaluation.rows import Binary, Ratio
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint, gain_of, total_gain
from crivo.statistics.intervals import Estimate, difference, interval
from crivo.statistics.scale import Scale

POINTS = 200
PER = 1000

CURVE = ["threshold", "acted_per_1000", "precision", "recall"]
CURVE += ["value_per_1000", "value_per_1000_low", "value_per_1000_high"]

TABLE = ["of", "acted_per_1000", "value_per_1000", "se", "low", "high"]

# The share of the rows, those with the highest scores, that are acted on; None: the rows that are
# predicted positive.
Decision = float | None

GAIN = Scale("value", "higher")


def value_table(evaluated: Evaluated, point: OperatingPoint) -> pd.DataFrame:
    """Return the value of the model, of the baseline, of their difference and of acting blindly.

    With a capacity, both act on exactly that share of these rows, and `model_at_threshold` is the
    value at the threshold. The table is empty if no gain is set, or if the threshold was chosen on
    these rows and there is only one cluster.
    """
    settings, thresholds, groups = point.value, point.thresholds, evaluated.groups
    is_sought_here = point.cross_fitted and len(groups.categories) < 2
    if thresholds[0] is None or not settings.gains or is_sought_here:
        return pd.DataFrame(columns=TABLE)
    rows = evaluated.rows
    capacity = [settings.capacity if one and one.rule == "capacity" else None for one in thresholds]
    decisions: dict[str, Decision] = {"model": capacity[0]}
    if thresholds[0].rule == "capacity":
        decisions["model_at_threshold"] = None
    decisions |= {"act_on_all": 1.0, "act_on_none": 0.0}
    lines = _lines(rows, groups, decisions, settings)
    if evaluated.baseline is not None and thresholds[1] is not None:
        other = evaluated.baseline.rows
        lines |= _lines(other, groups, {"baseline": capacity[1]}, settings)
        (acted, own), (others, prior) = lines["model"], lines["baseline"]
        lines["difference"] = acted - others, difference(GAIN, own, prior)
    table = [(of, acted, worth.value, *interval(worth)) for of, (acted, worth) in lines.items()]
    return pd.DataFrame(table, columns=TABLE)


def value_curve(evaluated: Evaluated, point: OperatingPoint) -> pd.DataFrame:
    """Return value, precision and recall over at most 201 thresholds, the highest first.

    They include the highest value and the threshold in use. The ends belong to the interval of each
    single point. The table is empty if no gain is set or if there are no binary scores.
    """
    settings, threshold = point.value, point.thresholds[0]
    if not settings.gains or not evaluated.has_positive_scores:
        return pd.DataFrame(columns=CURVE)
    rows = evaluated.rows
    gains = total_gain(settings, rows, rows.cumulative_weight, rows.cumulative_positives)
    scores = rows.score[rows.tie_starts]
    chosen = np.linspace(0, len(gains) - 1, min(POINTS - 1, len(gains))).astype(int)
    used = [] if threshold is None else [int((scores >= threshold.value).sum()) - 1]
    chosen = np.unique(np.concatenate([chosen, [gains.argmax()], used]).astype(int))
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


def _worth(settings: ValueSettings, decision: Decision, rows: Binary) -> float | Ratio:
    """Return the value of a decision for 1,000 rows."""
    if decision is None:
        alarms = rows.predicted * rows.negative
        return rows.ratio(PER * gain_of(settings, rows.hit, alarms, rows.target, rows.negative))
    acted = decision * rows.total_weight  # rows with equal scores count with their mean
    seen, hits = np.append(0, rows.cumulative_weight), np.append(0, rows.cumulative_positives)
    gain = total_gain(settings, rows, acted, float(np.interp(acted, seen, hits)))
    return float(PER * gain / rows.total_weight)


def _lines(
    rows: Binary,
    groups: pd.Categorical,
    decisions: Mapping[str, Decision],
    settings: ValueSettings,
) -> dict[str, tuple[float, Estimate]]:
    """Return how many of 1,000 rows each decision acts on, and the value of this."""
    metrics = [
        Metric(name, "higher", task="binary", compute=partial(_worth, settings, one))
        for name, one in decisions.items()
    ]
    found = measure_without_each(rows, groups, metrics)
    acted = (rows.mean(rows.predicted) if one is None else one for one in decisions.values())
    return {
        metric.name: (PER * share, found.estimate(metric))
        for metric, share in zip(metrics, acted, strict=True)
    }
