"""Caveats of an evaluation: sentences about the limits of its numbers.

Some metrics need them, and so do clusters that are similar to their neighbours in time or that
ignore a group of similar rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from crivo.core.schema import Schema
from crivo.evaluation.jackknife import Jackknife, jackknife_groups
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.departures import autocorrelation, longer_blocks, looks_serial
from crivo.statistics.intervals import FEW_CLUSTERS, FRACTION
from crivo.statistics.jackknife import ratios_without

# Clusters that carry less information than this share of as many equal ones are unequal.
UNEQUAL = 0.9


def caveats(result: Jackknife, metrics: Sequence[Metric]) -> list[str]:
    """Return all warnings about a result; metrics with the same fault share a sentence."""
    about: dict[str, list[str]] = {}
    for metric in (one for one in metrics if one.name in result.deleted):
        for detail, sentence in _faults(result, metric):
            about.setdefault(sentence, []).append(f"{metric.name}{detail}")
    shared = [f"{', '.join(names)}: {sentence}" for sentence, names in about.items()]
    return [*few_clusters(result), *undefined(result), *shared]


def few_clusters(result: Jackknife) -> list[str]:
    """Warn if the intervals rest on too few clusters, or on too unequal ones."""
    count = len(result.deleted)
    if count < 2:
        return [f"There are no intervals: they need at least two clusters, not {count}."]
    if count < FEW_CLUSTERS:
        return [
            f"There are only {count} clusters; with fewer than {FEW_CLUSTERS}, intervals are "
            "rough. Choose evaluate.cluster or evaluate.block so that there are more."
        ]
    # Not for a difference that the sentence's numbers wouldn't show.
    if round(result.effective, 1) >= min(FEW_CLUSTERS, UNEQUAL * count):
        return []
    return [
        f"The {count} clusters are so unequal that they carry only as much information as "
        f"{result.effective:.1f} equal ones; with fewer than {FEW_CLUSTERS}, intervals are "
        "rough. A few clusters, or a few rows with large weights, decide the result."
    ]


def undefined(result: Jackknife, of: str = "") -> list[str]:
    """Say why a metric or its interval is missing; `of` says which model's it is."""
    return [
        f"{name}{of} {'is not defined' if np.isnan(result.values[name]) else 'has no interval'}: "
        f"{why}."
        for name, why in result.reasons.items()
    ]


def _faults(result: Jackknife, metric: Metric) -> Iterator[tuple[str, str]]:
    """Yield what makes a metric's interval unreliable: a detail about it, and a sentence.

    Without a cluster that keeps it from an end of its range, its log odds would be infinite, so the
    interval uses only their slope. With equal normal clusters, one accounts for most of the
    variance in at most 1 % of evaluations (Cochran 1941). The jackknife of a quantile holds only
    if more than the square root of all rows is left out at a time (Shao & Wu 1989).
    """
    deleted = result.deleted[metric.name].to_numpy()
    names, count = result.deleted.index, len(deleted)
    at_end = np.flatnonzero(np.isin(deleted, FRACTION))
    if metric.bounds == FRACTION and 0 < result.values[metric.name] < 1 and len(at_end):
        yield (
            "",
            f"the value would be {deleted[at_end[0]]:g} without {result.named(names[at_end[0]])}; "
            "errors are so rare that the interval is rough.",
        )
    squares = (deleted - deleted.mean()) ** 2
    # If the clusters are few or unequal, there is another warning.
    if min(count, result.effective) >= FEW_CLUSTERS and squares.sum() > 0:
        part = squares.max() / squares.sum()
        if part > max(0.5, betaincinv(0.5, (count - 2) / 2, 1 - 0.01 / count)):
            yield (
                f" ({100 * part:.0f} %)",
                f"{result.named(names[squares.argmax()])} accounts for so much of the variance "
                "that the interval may be too narrow: future rows may contain more such clusters.",
            )
    if not metric.smooth and result.count < count**2:
        yield (
            "",
            f"the interval of a quantile needs larger clusters than these ({count} from "
            f"{result.count} rows), so it is probably too narrow.",
        )
    if result.ordered and looks_serial(deleted):  # never fewer than nine clusters
        yield (
            f" ({autocorrelation(deleted):.2f})",
            f"neighbouring clusters are similar (autocorrelation above {2 / sqrt(count):.2f}), so "
            "the interval was widened, but it may still be too narrow; longer blocks "
            "(evaluate.block) help.",
        )


# The best length is known only roughly, so blocks may be a little shorter.
MAX_RATIO = 1.25


def block_advice(
    evaluated: Evaluated, metrics: Sequence[Metric], periods: pd.Series, block: int
) -> tuple[int, str]:
    """Return how many periods should form a block, and a warning if there are fewer in one.

    `periods`: the period of each row; `block`: how many are joined now. The metrics' values by
    single periods tell, and so does the mean target, which shows lasting deviations better than
    some metrics do. If neighbours aren't similar or periods have no order, the result is 1.
    """
    predictions = evaluated.predictions
    groups = jackknife_groups(predictions.assign(cluster=periods.astype("str").to_numpy()))
    if not groups.ordered or len(groups.categories) < FEW_CLUSTERS:
        return 1, ""
    deleted = evaluated.jackknife([one for one in metrics if one.interval], groups).deleted
    if (numbers := evaluated.task.numbers(predictions["target"])) is not None:
        weight = evaluated.weight
        deleted["the mean target"] = ratios_without(
            weight * numbers.to_numpy(float), weight, groups.codes, len(groups.categories)
        )
    found = {
        longer_blocks(column.to_numpy()): str(name)
        for name, column in deleted.items()
        if looks_serial(column.to_numpy())
    }
    longest = max(found, default=0)
    advised = max(1, int(np.ceil(longest * periods.nunique() / len(groups.categories))))
    if advised <= MAX_RATIO * block:
        return advised, ""
    return advised, (
        f"Blocks of {block} are too short for {found[longest]}, whose values stay correlated for "
        f"longer: intervals may be too narrow. The data suggest evaluate.block: {advised}."
    )


def unused_dependence(predictions: pd.DataFrame, schema: Schema, known: pd.DataFrame) -> str:
    """Warn if rows have a time or a group and the clusters follow neither; else an empty text.

    `known`: the rows' raw columns in the order of the predictions, or no columns if they aren't
    known. Clusters follow a group if each group is in one cluster, and a time if the clusters don't
    overlap in time.
    """
    columns = [name for name in (schema.group, schema.time) if name]
    if not columns or not set(columns) <= set(known):
        return ""
    clusters = pd.Series(pd.factorize(predictions["cluster"])[0], known.index)
    if schema.group and (clusters.groupby(known[schema.group]).nunique() < 2).all():
        return ""
    if schema.time:
        ends = known[schema.time].groupby(clusters).agg(["min", "max"]).sort_values("min")
        if (ends["min"].iloc[1:].to_numpy() > ends["max"].iloc[:-1].to_numpy()).all():
            return ""
    named = " and ".join(f"`{name}`" for name in columns)
    return (
        f"Rows with the same {named} may be similar, but evaluate.cluster ignores this; the "
        "intervals are probably too narrow. Set evaluate.cluster to such a column and, if it is a "
        "time, evaluate.period or evaluate.block."
    )
