"""The document of `crivo plan`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import VERDICT, Number
from crivo.commands.documents.trials import Interval
from crivo.experiments.learning_curve import LearningCurve
from crivo.experiments.plan import Plan
from crivo.experiments.plan_text import answer


class NeededPart(Part):
    """The number of clusters with which a comparison is decided with some probability."""

    chance: float = Field(description="The probability.")
    clusters: Number = Field(
        description="The number of clusters; null if it is more than a hundred times today's "
        "number."
    )
    times: Number = Field(description="The number of clusters divided by today's number.")


class DetectablePart(Part):
    """The smallest difference that given rows show in four of five cases."""

    rows: Literal["validation", "test"] = Field(description="The split that these rows are in.")
    clusters: Number = Field(
        description="The number of clusters that they form; null if it isn't known."
    )
    spent: float = Field(description="The part of the error of 0.05 that a verdict may spend.")
    difference: Number = Field(description="The difference; null if it isn't known.")
    note: str = Field(description="Why the difference isn't known.")


class PointPart(Part):
    """A point of the learning curve."""

    fraction: float = Field(description="The fraction of the training rows.")
    experiment: str = Field(description="The experiment that was fitted on it.")
    value: Number = Field(description="The value of the metric.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end of that interval.")


class CurvePart(Part):
    """How the primary metric depends on the number of training rows."""

    metric: str = Field(description="The metric.")
    points: list[PointPart] = Field(
        description="The points of the curve, the smallest fraction first."
    )
    gain: Interval = Field(
        description="The gain from doubling the training rows at the end of the curve."
    )
    conclusion: Literal["yes", "no", "hardly", "unknown"] = Field(
        description="Whether more training rows would probably help."
    )


class PlanDocument(Document):
    """`crivo plan`: how much more data a comparison needs."""

    answer: str = Field(description="The first line of the text output.")
    name: str = Field(description="The experiment.")
    reference: str = Field(description="What it is compared with.")
    primary: str = Field(description="The metric that decides.")
    verdict: str = Field(description=VERDICT)
    difference: Interval = Field(description="The difference, with the interval that decides.")
    clusters: float = Field(description="The number of clusters that count today.")
    needed: list[NeededPart] = Field(
        description="How many clusters would decide the comparison; empty if it is decided."
    )
    as_seen: Number = Field(
        description="How many clusters would decide it in four of five cases if the observed "
        "difference is the true one."
    )
    detectable: list[DetectablePart] = Field(description="What today's rows can show.")
    curve: CurvePart | None = Field(description="The learning curve, if it was requested.")


def plan_document(plan: Plan) -> PlanDocument:
    """Return the document of a plan."""
    one = plan.compared
    values: dict[str, Any] = {
        "answer": answer(plan),
        "name": one.pair.record.name,
        "reference": one.pair.reference.name,
        "primary": one.name,
        "verdict": one.difference.verdict,
        "difference": _interval(one.difference.value, one.difference.interval),
        "clusters": plan.clusters,
        "needed": [vars(each) for each in plan.needed],
        "as_seen": plan.as_seen,
        "detectable": [vars(each) for each in plan.detectable],
        "curve": None if plan.curve is None else _curve(plan.curve),
    }
    return PlanDocument.made_of("plan", values)


def _interval(value: float, limits: Any) -> dict[str, float]:
    return {"value": value, "low": limits.low, "high": limits.high}


def _curve(curve: LearningCurve) -> dict[str, Any]:
    return {
        "metric": curve.metric,
        "points": [vars(point) for point in curve.points],
        "gain": _interval(curve.gain, curve.limits),
        "conclusion": curve.conclusion,
    }
