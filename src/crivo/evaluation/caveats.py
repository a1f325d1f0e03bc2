"""Caveats of an evaluation: sentences about the limits of its numbers.

Some metrics need them, and so do clusters that are similar to their neighbours in time or that
ignore a group of similar rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from crivo.core.schema import Schema
from crivo.evaluation.clusters import jackknife_groups
from crivo.evaluation.jackknife import Jackknife
from crivo.evaluation.metrics import Metric
from crivo.evaluation.tasks import Evaluated
from crivo.statistics.intervals import FEW_CLUSTERS, FRACTION
from crivo.statistics.jackknife import ratios_without
from crivo.statistics.serial import autocorrelation, longer_blocks, looks_serial

# Clusters that carry less information than this share of as many equal ones are unequal.
UNEQUAL = 0.9
# The beginning of an advice that a more precise one, with a number of periods, replaces.
LONGER = "Use longer blocks"


def caveats(
    result: Jackknife,
    metrics: Sequence[Metric],
    *,
    by_hash: bool = False,
) -> list[str]:
    """Return all warnings about a result.

    `by_hash`: no clusters were named, so they are random groups of rows.
    """
    return [
        *few_clusters(result),
        *undefined(result),
        *nearly_perfect(result, metrics, by_hash=by_hash),
        *decisive_cluster(result, by_hash=by_hash),
        *rough(result, metrics),
        *serial(result),
    ]


def few_clusters(result: Jackknife) -> list[str]:
    """Warn if the intervals rest on too few clusters, or on too unequal ones."""
    count = len(result.deleted)
    if count < 2:
        return [f"There are no intervals: they need at least two clusters, not {count}."]
    if count >= FEW_CLUSTERS:
        # Not for a difference that the sentence's numbers wouldn't show.
        if round(result.effective, 1) >= min(FEW_CLUSTERS, UNEQUAL * count):
            return []
        return [
            f"The {count} clusters are so unequal that they carry only as much information as "
            f"{result.effective:.1f} equal ones; with fewer than {FEW_CLUSTERS}, intervals are "
            "rough. A few clusters, or a few rows with large weights, decide the result."
        ]
    return [
        f"There are only {count} clusters; with fewer than {FEW_CLUSTERS}, intervals are rough. "
        "Choose evaluate.cluster or evaluate.block so that there are more."
    ]


def undefined(result: Jackknife, of: str = "") -> list[str]:
    """Say why a metric or its interval is missing; `of` says which model's it is."""
    return [
        f"{name}{of} {'is not defined' if np.isnan(result.values[name]) else 'has no interval'}: "
        f"{why}."
        for name, why in result.reasons.items()
    ]


def said_once(found: Iterable[tuple[str, str]]) -> list[str]:
    """Return each sentence once, after the names of all metrics that it is about."""
    about: dict[str, list[str]] = {}
    for name, sentence in found:
        about.setdefault(sentence, []).append(name)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in about.items()]


def nearly_perfect(
    result: Jackknife, metrics: Sequence[Metric], *, by_hash: bool = False
) -> list[str]:
    """Warn if a metric would be at an end of its range without a single cluster.

    The log odds are infinite there, so the interval uses only the slope of the log odds.
    """
    return said_once(
        (
            metric.name,
            f"the value would be {deleted[at_end].iloc[0]:g} without "
            f"{_called(deleted.index[at_end][0], by_hash)}; errors are so rare that the interval "
            "is rough.",
        )
        for metric in metrics
        if metric.interval and metric.bounds == FRACTION and 0 < result.values[metric.name] < 1
        for deleted in [result.deleted[metric.name]]
        for at_end in [deleted.isin((0, 1))]
        if at_end.any()
    )


def decisive_cluster(result: Jackknife, *, by_hash: bool = False) -> list[str]:
    """Warn if a single cluster accounts for most of the variance between clusters.

    With equal normal clusters, this happens in at most 1 % of evaluations (Cochran 1941). If the
    clusters are few or unequal, there is another warning.
    """
    count = len(result.deleted)
    if min(count, result.effective) < FEW_CLUSTERS:
        return []
    limit = max(0.5, float(betaincinv(0.5, (count - 2) / 2, 1 - 0.01 / count)))
    squares = (result.deleted - result.deleted.mean()) ** 2
    parts = squares.max() / squares.sum().where(lambda total: total > 0)
    return said_once(
        (
            f"{name} ({100 * part:.0f} %)",
            f"{_called(squares[name].idxmax(), by_hash)} accounts for so much of the variance that "
            "the interval is too narrow: future rows may contain more clusters like it.",
        )
        for name, part in parts.items()
        if part > limit
    )


def _called(cluster: object, by_hash: bool) -> str:
    return "one small random group of rows" if by_hash else f"cluster {cluster}"


def rough(result: Jackknife, metrics: Sequence[Metric]) -> list[str]:
    """Warn about a quantile's interval if the clusters are too small for it.

    The jackknife of a quantile holds only if more than the square root of all rows is left
    out at a time (Shao & Wu 1989).
    """
    clusters = len(result.deleted)
    if result.count >= clusters**2:
        return []
    return said_once(
        (
            metric.name,
            f"the interval of a quantile needs larger clusters than these ({clusters} from "
            f"{result.count} rows), so it is too narrow.",
        )
        for metric in metrics
        if not metric.smooth
    )


def longer(*deleted: np.ndarray) -> str:
    """Return the advice on the length of blocks, in words."""
    times = max(2, *map(longer_blocks, deleted))
    return f"{LONGER} (evaluate.block): about {times} times as long."


def serial(result: Jackknife) -> list[str]:
    """Warn about metrics that are similar in neighbouring clusters: intervals are uncertain."""
    if not result.ordered or len(result.deleted) < FEW_CLUSTERS:
        return []
    limit = 2 / sqrt(len(result.deleted))
    columns = {name: column.to_numpy() for name, column in result.deleted.items()}
    alike = {name: column for name, column in columns.items() if looks_serial(column)}
    found = said_once(
        (
            f"{name} ({autocorrelation(column):.2f})",
            f"neighbouring clusters are similar (autocorrelation above {limit:.2f}), so the "
            "interval was widened, but it may still be too narrow.",
        )
        for name, column in alike.items()
    )
    return [*found, longer(*alike.values())] if found else []


# The best length is known only roughly, so blocks may be a little shorter.
MAX_RATIO = 1.25


def advised_block(
    evaluated: Evaluated, metrics: Sequence[Metric], periods: pd.Series
) -> tuple[int, str]:
    """Return how many periods should form a block, and the metric that needs the longest blocks.

    It may also be the mean target, which shows lasting deviations better than some metrics do.
    `periods`: the period of each row, before periods are joined to blocks. If neighbours aren't
    similar or periods have no order, the result is 1 and no metric.
    """
    predictions = evaluated.predictions
    groups = jackknife_groups(predictions.assign(cluster=periods.astype("str").to_numpy()))
    if not groups.ordered or len(groups.categories) < FEW_CLUSTERS:
        return 1, ""
    deleted = evaluated.jackknife([one for one in metrics if one.interval], groups).deleted
    columns = {str(name): column.to_numpy() for name, column in deleted.items()}
    if (numbers := evaluated.task.numbers(predictions["target"])) is not None:
        weight = evaluated.weight
        columns["the mean target"] = ratios_without(
            weight * numbers.to_numpy(float), weight, groups.codes, len(groups.categories)
        )
    found = {
        longer_blocks(column): name for name, column in columns.items() if looks_serial(column)
    }
    if not found:
        return 1, ""
    merged = periods.nunique() / len(groups.categories)
    longest = max(found)
    return int(np.ceil(longest * merged)), found[longest]


def block_warning(advised: int, metric: str, block: int) -> list[str]:
    """Return the warning about blocks that are too short, as a list that may be empty."""
    if advised <= MAX_RATIO * block:
        return []
    return [
        f"Blocks of {block} are too short for {metric}, whose values stay correlated for longer: "
        f"intervals may be too narrow. The data suggest evaluate.block: {advised}."
    ]


# Fewer groups or times than this can't serve as clusters.
MIN_CLUSTERS = 4


def unused_dependence(
    predictions: pd.DataFrame, schema: Schema | None, known: pd.DataFrame
) -> str | None:
    """Warn if rows have a time or a group and the clusters follow neither; None otherwise.

    `known`: the rows' raw columns in the order of the predictions, or no columns if they aren't
    known. Clusters follow a group if each group is in one cluster, and a time if the clusters don't
    overlap in time.
    """
    columns = [] if schema is None else [name for name in (schema.group, schema.time) if name]
    if schema is None or not columns or not set(columns) <= set(known):
        return None
    if predictions["cluster"].nunique() < 2:
        return None
    clusters = pd.Series(pd.factorize(predictions["cluster"])[0], known.index)
    if schema.group and _nested(known[schema.group], clusters):
        return None
    if schema.time and _one_after_the_other(known[schema.time], clusters):
        return None
    named = " and ".join(f"`{name}`" for name in columns)
    columns = [name for name in columns if known[name].nunique() >= MIN_CLUSTERS]
    if not columns:
        return (
            f"Rows with the same {named} may be similar, and there are too few values to leave one "
            "out at a time: the intervals are probably too narrow."
        )
    advice = f"evaluate.cluster: {columns[0]}"
    if columns[0] == schema.time:
        advice += " with a period or blocks (evaluate.period, evaluate.block)"
    return (
        f"Rows with the same {named} may be similar, but evaluate.cluster ignores this; the "
        f"intervals are probably too narrow. Set {advice}."
    )


def _nested(groups: pd.Series, clusters: pd.Series) -> bool:
    """Say whether each group lies in one cluster."""
    return bool((clusters.groupby(groups.to_numpy()).nunique() <= 1).all())


def _one_after_the_other(times: pd.Series, clusters: pd.Series) -> bool:
    """Say whether the clusters don't overlap in time."""
    pairs = pd.DataFrame({"time": times.to_numpy(), "cluster": clusters.to_numpy()})
    order = pairs.drop_duplicates().sort_values(["time", "cluster"])
    if order["time"].duplicated().any():
        return False
    changes = int((order["cluster"] != order["cluster"].shift()).sum())
    return changes == order["cluster"].nunique()
