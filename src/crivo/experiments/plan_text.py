"""A plan as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from textwrap import wrap

from crivo.experiments.learning_curve import LearningCurve
from crivo.experiments.numbers import bracket, decimals, number
from crivo.experiments.plan import Detectable, Plan
from crivo.experiments.planning import MAX_TIMES
from crivo.experiments.sequences import percent

WIDTH = 80

DECIDED = {
    "better": "is better than",
    "worse": "is worse than",
    "equivalent": "is equivalent to",
    "identical": "doesn't differ from",
}
CONCLUSIONS = {
    "yes": "More training rows would probably help",
    "no": "More training rows would probably not help, because the older ones do harm",
    "hardly": "More training rows would hardly help",
    "unknown": "It isn't shown whether more training rows would help",
}


def answer(plan: Plan) -> str:
    """Return the plan's first line: with how many clusters the comparison would be decided."""
    one = plan.compared
    name, reference = one.pair.record.name, one.pair.reference.name
    if one.difference.verdict != "undecided":
        return f"{name} {DECIDED[one.difference.verdict]} {reference}: no more rows are needed"
    sizes = [f"{100 * n.chance:.0f} % with {_size(n.clusters)}" for n in plan.needed]
    return (
        f"{name} vs {reference} is undecided with {plan.clusters:.3g} clusters; the chance of a "
        f"decision is {' and '.join(sizes)}"
    )


def _size(clusters: float) -> str:
    return f"{clusters:.0f}" if isfinite(clusters) else f"more than {MAX_TIMES} times as many"


def as_text(plan: Plan) -> str:
    """Return the plan for a terminal of 80 columns."""
    lines = [answer(plan), ""]
    for text in _paragraphs(plan):
        lines += wrap(text, WIDTH)
    if plan.curve is not None:
        lines += ["", *_curve(plan.curve)]
    return "\n".join(lines)


def _paragraphs(plan: Plan) -> Iterator[str]:
    one = plan.compared
    limits = one.difference.interval
    digits = decimals((limits.high - limits.low) / 4)
    ends = bracket(limits.low, limits.high, digits, sign=True)
    yield (
        f"{one.name}: {number(one.difference.value, digits, sign=True)} {ends}, {plan.standing}. "
        f"{plan.standing.budget}"
    )
    if plan.needed:
        yield (
            f"If the observed difference were the true one, {_size(plan.as_seen)} clusters would "
            "be enough in four of five cases. But the true difference is uncertain. The chances "
            "above allow for this, and assume that a difference of any size is equally likely. If "
            "most of the changes that you try have little effect, you need more clusters."
        )
    for rows in plan.detectable:
        yield _detectable(rows, digits)


def _detectable(rows: Detectable, digits: int) -> str:
    what = f"The {rows.rows} rows"
    if rows.note:
        return f"{what}: it isn't known what they can confirm. {rows.note}"
    if not isfinite(rows.difference):
        return f"{what} ({rows.clusters:.3g} clusters): there is no difference to start from."
    return (
        f"{what} ({rows.clusters:.3g} clusters) can show a difference of "
        f"{number(rows.difference, digits)} in four of five cases, at the {percent(rows.spent)} "
        f"that {'this trial' if rows.rows == 'validation' else 'the next look'} may spend."
    )


def _curve(curve: LearningCurve) -> Iterator[str]:
    half = max((one.high - one.low) / 4 for one in curve.points)
    digits = decimals(half)
    yield f"{'training rows':<15}{curve.metric + ' and interval':<24}experiment"
    for one in curve.points:
        value = f"{number(one.value, digits)} {bracket(one.low, one.high, digits)}"
        yield f"{100 * one.fraction:>8.4g} %     {value}  {one.experiment}"
    low, high = curve.limits.low, curve.limits.high
    digits = decimals((high - low) / 4)
    yield ""
    yield from wrap(
        f"{CONCLUSIONS[curve.conclusion]}: at the end of the curve, twice as many rows "
        f"improve {curve.metric} by {number(curve.gain, digits, sign=True)} "
        f"{bracket(low, high, digits, sign=True)}. The interval doesn't allow for other "
        "training rows or seeds.",
        WIDTH,
    )
