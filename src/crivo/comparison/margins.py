"""Margins: how much worse doesn't matter, for each metric, and what a comparison shows of that.

*Worse* is shown by an interval beyond 0, *not worse* by one that ends within the margin
(non-inferiority). Where neither is shown, it is undecided: no evidence of harm isn't
evidence of none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite

from crivo.comparison.families import primary_of
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.records.record import Record
from crivo.records.settings import settings_of
from crivo.statistics.intervals import Interval
from crivo.statistics.scale import Scale

# Margins by metric; the key "" stands for the primary one.
Margins = Mapping[str, float]
PRIMARY = ""


def parse_margins(texts: Iterable[str]) -> Margins:
    """Return the margins that a command line gives: `0.01` (primary metric) or `brier=0.001`.

    >>> parse_margins(["0.01", "brier=0.001"])
    {'': 0.01, 'brier': 0.001}
    """
    margins = {}
    for text in texts:
        name, _, given = text.rpartition("=")
        try:
            value = float(given)
        except ValueError:
            value = -1.0
        if not (isfinite(value) and value >= 0):
            raise CrivoError(
                f"--margin is {text!r}; expected a number from 0, as in `--margin 0.005`, or a "
                "metric with one, as in `--margin log_loss=0.002`."
            )
        margins[name.strip()] = value
    return margins


def margins_of(reference: Record, given: float | Margins | None = None) -> dict[str, float]:
    """Return the greatest difference that doesn't matter, by metric.

    What the reference's settings say, but for those that are `given` (a number: the primary
    metric's). CrivoError: a given name is that of no metric.
    """
    primary = primary_of(reference).name
    own = settings_of("evaluator", reference.settings)
    margins = {primary: own.get("margin") or 0.0} | dict(own.get("margins") or {})
    replaced = {PRIMARY: given} if isinstance(given, int | float) else dict(given or {})
    replaced = {name or primary: value for name, value in replaced.items()}
    known = sorted(reference.about["metrics"])
    for name in [name for name in replaced if name not in known]:
        raise CrivoError(
            f"--margin names {name!r}, which isn't a metric of {reference.name}"
            f"{did_you_mean(name, known)} (there are: {', '.join(known)})."
        )
    return {name: float(value) for name, value in (margins | replaced).items()}


def shown_not_worse(limits: Interval, metric: Scale, margin: float) -> bool:
    """Whether the interval of a difference shows that the first isn't worse by the margin."""
    if limits.low == 0 == limits.high:  # identical
        return True
    return limits.low > -margin if metric.direction == "higher" else limits.high < margin
