"""`crivo plan`: how many clusters would decide a comparison, and what the present rows can show."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, isnan, nan
from pathlib import Path

from scipy.special import stdtr

from crivo.comparison.choice import choose
from crivo.comparison.compare import compare, margins_of
from crivo.comparison.layout import paragraph
from crivo.comparison.result import ComparisonResult, MetricVerdict
from crivo.comparison.text import (
    SENTENCES,
    difference_digits,
    difference_text,
    needed_clusters,
    number,
)
from crivo.core.errors import CrivoError
from crivo.core.results import Number, result
from crivo.records.comparability import require_whole_on_validation
from crivo.records.history import History, read_history
from crivo.records.record import Record
from crivo.statistics.intervals import POWER
from crivo.statistics.planning import MAX_TIMES, clusters_for, clusters_needed


@result
class PlanResult:
    """How much more data a comparison needs."""

    answer: str
    """The first line of the text output."""
    comparison: ComparisonResult
    """The experiment compared with the reference."""
    needed: Number
    """The smallest number of clusters that decides the comparison four times out of five, if
    differences of any size are equally likely; null if the comparison is decided, or needs more
    than a hundred times the present number, or if these rows show no difference to plan with."""
    for_margin: Number
    """How many clusters are needed to show a difference as large as the margin four times out of
    five; null without a margin, or if it is more than a hundred times the present number."""


def plan(revision: str, *, against: str | None = None, folder: Path = Path()) -> PlanResult:
    """Return how many clusters would decide a comparison, and what the rows at hand can show.

    CrivoError: the two can't be compared, or the experiment is its own reference.
    """
    _, reference, compared = on_validation_rows(read_history(folder), revision, against, "plan")
    (candidate,) = compared.candidates
    one, *_ = candidate.metrics
    margin, needed = margins_of(reference)[one.metric], nan
    if one.verdict == "undecided":
        level = 2 * float(stdtr(one.clusters - 1, -one.critical))
        needed = clusters_for(POWER, one.difference, one.se, one.clusters, level, margin)
    return PlanResult(
        answer=_answer(compared, needed),
        comparison=compared,
        needed=needed,
        for_margin=clusters_needed(margin, one.se, one.critical, one.clusters, 0)
        if margin
        else nan,
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


def _answer(found: ComparisonResult, needed: float) -> str:
    """Return the first line: with how many clusters the comparison would be decided."""
    (one,) = found.candidates
    own, *_ = one.metrics
    sentence = SENTENCES[one.verdict].format(one.name, found.reference)
    if one.verdict != "undecided":
        return f"{sentence}: no more rows are needed"
    if isnan(needed):
        return f"{sentence} with {own.units:,.0f} {own.unit}; these can't show how many are needed"
    least = f"{'at least ' * (isfinite(needed) and own.unit == 'clusters')}{_size(own, needed)}"
    return (
        f"{sentence} with {own.units:,.0f} {own.unit}; for an 80 % chance of a "
        f"decision, {least} are needed, if differences of any size are equally likely"
    )


def _size(own: MetricVerdict, clusters: float) -> str:
    if isfinite(clusters):
        return f"{own.amount(clusters)} {own.unit}"
    return f"more than {MAX_TIMES} times as many {own.unit}"


def plan_text(found: PlanResult) -> str:
    """Return the plan for a terminal."""
    texts = [line for text in _paragraphs(found) for line in paragraph(text)]
    return "\n".join([found.answer, "", *texts])


def _paragraphs(found: PlanResult) -> Iterator[str]:
    compared = found.comparison
    (one,) = compared.candidates
    own, *_ = one.metrics
    yield f"{compared.primary}: {difference_text(one)}, {compared.rule(one)}."
    if one.verdict == "undecided" and not own.se > 0:
        yield (
            f"Both have the same {compared.primary}, and keep it whichever cluster is left out. "
            "These rows therefore can't show how much a difference varies. More rows make the "
            "interval narrower, and with a margin (evaluators.standard.margin), the two may then "
            "be equivalent."
        )
    elif one.verdict == "undecided":
        yield (
            "The first line also allows for true differences other than the observed one. If most "
            "of the changes that you try have little effect, its number is too small."
        )
        yield needed_clusters(own)
        yield _about_margin(own, found.for_margin)
    if isfinite(one.minimum_detectable):
        yield (
            f"With these {own.present}, there is an 80 % chance of "
            "detecting a difference of "
            f"{number(one.minimum_detectable, difference_digits(one))}."
        )


def _about_margin(own: MetricVerdict, clusters: float) -> str:
    if isnan(clusters):
        return (
            "To get a number that doesn't depend on such assumptions, set the smallest gain that "
            "matters as the margin (evaluators.standard.margin)."
        )
    return (
        f"With {_size(own, clusters)}, there is an 80 % chance of detecting a "
        "difference as large as the margin, no matter what else was tried."
    )
