"""`crivo plan`: how many clusters would decide a comparison, and what the present rows can show."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan, nan
from pathlib import Path

from scipy.special import stdtr

from crivo.comparison.choice import choose
from crivo.comparison.compare import compare, margins_of
from crivo.comparison.result import ComparisonResult, Limits, MetricVerdict, Rule
from crivo.comparison.text import decimals, number, with_interval
from crivo.core.errors import CrivoError
from crivo.core.layout import paragraph
from crivo.core.results import Number, result
from crivo.records.comparability import require_whole_on_validation
from crivo.records.history import History, read_history
from crivo.records.record import Record
from crivo.statistics.planning import MAX_TIMES, clusters_for, clusters_needed

CHANCES = (0.5, 0.8)
DECIDED = {
    "better": "is better than",
    "worse": "is worse than",
    "equivalent": "is equivalent to",
    "identical": "doesn't differ from",
}


@result
class Needed:
    """The number of clusters that decides a comparison with a given probability."""

    chance: float
    """The probability."""
    clusters: Number
    """The smallest number, if differences of any size are equally likely; null if it is more than a
    hundred times the present number."""
    times: Number
    """The number of clusters divided by the present number."""


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
    """The verdict that follows from the interval; experiments.md lists the verdicts."""
    difference: Limits
    """The difference, with the interval that decides."""
    clusters: Number
    """The effective number of clusters in the present rows."""
    needed: tuple[Needed, ...]
    """How many clusters would decide the comparison; empty if it is decided."""
    for_margin: Number
    """How many clusters are needed to show a difference as large as the margin in four of five
    cases; null without a margin, or if it is more than a hundred times the present number."""
    detectable: Number
    """The smallest difference that would be detected in the present rows in four of five cases."""
    rule: Rule
    """The rule under which the verdict was given."""


def plan(revision: str, *, against: str | None = None, folder: Path = Path()) -> PlanResult:
    """Return how many clusters would decide a comparison, and what the rows at hand can show.

    CrivoError: the two can't be compared, or the experiment is its own reference.
    """
    history = read_history(folder)
    record, reference, compared = on_validation_rows(history, revision, against, "plan")
    one, *_ = compared.candidates[0].metrics
    margin = margins_of(reference).get(one.metric, 0.0)
    needed = _needed(one, margin)
    return PlanResult(
        answer=_answer(one, needed, record.name, reference.name),
        name=record.name,
        reference=reference.name,
        primary=one.metric,
        verdict=one.verdict,
        difference=Limits(one.difference, one.difference_low, one.difference_high),
        clusters=one.clusters,
        needed=needed,
        for_margin=clusters_needed(margin, one.se, one.critical, one.clusters) if margin else nan,
        detectable=one.minimum_detectable,
        rule=compared.rule(one),
    )


def on_validation_rows(
    history: History, revision: str, against: str | None, command: str
) -> tuple[Record, Record, ComparisonResult]:
    """Return an experiment, its reference, and the comparison of the two.

    CrivoError: they can't be compared, or are one, or were evaluated on the test rows.
    """
    choice = choose(history, [revision], against=against)
    record = history.find(revision)
    other = choice.reference
    for one in (record, other):
        require_whole_on_validation(one)
    if other.origin.revision == record.origin.revision:
        raise CrivoError(
            f"{record.name} can't be compared with itself; name another reference: "
            f"`crivo {command} {revision} --against REV`."
        )
    compared = compare([revision], against=against, history=history)
    if not compared.candidates:
        refusal = compared.refused[0]
        raise CrivoError(
            f"{record.name} can't be compared with {other.name} on the validation rows: "
            f"{refusal.reason}; {refusal.advice}."
        )
    return record, other, compared


def _needed(one: MetricVerdict, margin: float) -> tuple[Needed, ...]:
    if one.verdict != "undecided":
        return ()
    level = 2 * float(stdtr(one.clusters - 1, -one.critical))
    given = one.difference, one.se, one.clusters, level, margin
    counts = {chance: clusters_for(chance, *given) for chance in CHANCES}
    return tuple(Needed(chance, count, count / one.clusters) for chance, count in counts.items())


def _answer(one: MetricVerdict, needed: tuple[Needed, ...], name: str, reference: str) -> str:
    """Return the first line: with how many clusters the comparison would be decided."""
    if one.verdict != "undecided":
        return f"{name} {DECIDED[one.verdict]} {reference}: no more rows are needed"
    even, likely = needed
    return (
        f"{name} vs {reference} is undecided with {one.clusters:.3g} clusters; for a 50 % chance "
        f"of a decision, {_least(even.clusters)} clusters are needed, and for an 80 % chance "
        f"{_least(likely.clusters)}, if differences of any size are equally likely"
    )


def _least(clusters: float) -> str:
    return f"{'at least ' * isfinite(clusters)}{_size(clusters)}"


def _size(clusters: float) -> str:
    return f"{clusters:,.0f}" if isfinite(clusters) else f"more than {MAX_TIMES} times as many"


def plan_text(found: PlanResult) -> str:
    """Return the plan for a terminal."""
    texts = [line for text in _paragraphs(found) for line in paragraph(text)]
    return "\n".join([found.answer, "", *texts])


def _paragraphs(found: PlanResult) -> Iterator[str]:
    low, high = found.difference.low, found.difference.high
    digits = decimals((high - low) / 4)
    difference = with_interval(found.difference.value, low, high, sign=True)
    yield f"{found.primary}: {difference}, {found.rule}."
    if found.needed:
        yield (
            "These numbers allow only for the uncertainty of the difference. If most of the "
            "changes that you try have little effect, they are too small."
        )
        yield _about_margin(found)
    if isfinite(found.detectable):
        yield (
            f"These rows ({found.clusters:.3g} clusters) can show a difference of "
            f"{number(found.detectable, digits)} in four of five cases."
        )


def _about_margin(found: PlanResult) -> str:
    if isnan(found.for_margin):
        return (
            "To get a number that doesn't depend on such assumptions, set the smallest gain that "
            "matters as the margin (evaluators.standard.margin)."
        )
    return (
        f"With {_size(found.for_margin)} clusters, a difference as large as the margin is shown in "
        "four of five cases, no matter what else was tried."
    )
