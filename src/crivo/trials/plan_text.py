"""A plan, and a learning curve, as text for a terminal and as results."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

from crivo.comparison.numbers import bracket, decimals, number
from crivo.comparison.result import Limits, Rule
from crivo.comparison.sequences import Standing, percent
from crivo.core.layout import columns, paragraph
from crivo.core.results import Number, result
from crivo.statistics.planning import MAX_TIMES
from crivo.trials.learning_curve import Curve
from crivo.trials.plan import Detectable, Needed, Plan

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


@result
class PlanResult:
    """How much more data a comparison needs."""

    answer: str
    """The first line of the text output."""
    name: str
    """The experiment."""
    reference: str
    """What it is compared with."""
    primary: str
    """The metric that decides."""
    verdict: str
    """The verdict that follows from the interval; compare.md lists the verdicts."""
    difference: Limits
    """The difference, with the interval that decides."""
    clusters: Number
    """The number of clusters that count today."""
    needed: tuple[Needed, ...]
    """How many clusters would decide the comparison; empty if it is decided."""
    as_seen: Number
    """How many clusters would decide it in four of five cases if the observed difference is the
    true one."""
    detectable: tuple[Detectable, ...]
    """What today's rows can show."""
    rule: Rule
    """The rule under which the verdict was given."""


def plan_result(plan: Plan) -> PlanResult:
    """Return what the command prints of a plan."""
    one = plan.compared
    limits = one.difference.interval
    return PlanResult(
        answer=answer(plan),
        name=one.pair.record.name,
        reference=one.pair.reference.name,
        primary=one.name,
        verdict=one.difference.verdict,
        difference=Limits(one.difference.value, limits.low, limits.high),
        clusters=plan.clusters,
        needed=plan.needed,
        as_seen=plan.as_seen,
        detectable=plan.detectable,
        rule=Rule(**plan.standing._asdict()),
    )


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


def plan_text(found: PlanResult) -> str:
    """Return the plan for a terminal."""
    texts = [line for text in _paragraphs(found) for line in paragraph(text)]
    return "\n".join([found.answer, "", *texts])


def _paragraphs(found: PlanResult) -> Iterator[str]:
    low, high = found.difference.low, found.difference.high
    digits = decimals((high - low) / 4)
    difference = number(found.difference.value, digits, sign=True)
    rule = found.rule
    standing = Standing(rule.trial, rule.trials, rule.planned, rule.spent, rule.left)
    yield (
        f"{found.primary}: {difference} {bracket(low, high, digits, sign=True)}, {standing}. "
        f"{standing.budget}"
    )
    if found.needed:
        yield (
            f"If the observed difference were the true one, {_size(found.as_seen)} clusters would "
            "be enough in four of five cases. But the true difference is uncertain. The chances "
            "above allow for this, and assume that a difference of any size is equally likely. If "
            "most of the changes that you try have little effect, you need more clusters."
        )
    for rows in found.detectable:
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


def curve_text(curve: Curve) -> str:
    """Return the points of a learning curve, and whether more rows would help."""
    digits = decimals(max((one.high - one.low) / 4 for one in curve.points))
    rows = [("training rows", f"{curve.metric} and interval", "experiment")]
    for one in curve.points:
        value = f"{number(one.value, digits)} {bracket(one.low, one.high, digits)}"
        rows.append((f"{100 * one.fraction:.4g} %", value, one.experiment))
    low, high = curve.gain.low, curve.gain.high
    digits = decimals((high - low) / 4)
    conclusion = (
        f"{CONCLUSIONS[curve.conclusion]}: at the end of the curve, twice as many rows "
        f"improve {curve.metric} by {number(curve.gain.value, digits, sign=True)} "
        f"{bracket(low, high, digits, sign=True)}. The interval doesn't allow for other "
        "training rows or seeds."
    )
    return "\n".join([*columns(rows, right=[0]), "", *paragraph(conclusion)])
