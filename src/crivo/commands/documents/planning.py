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
    """With how many clusters a comparison is decided with a chance."""

    chance: float = Field(description="The chance.")
    clusters: Number = Field(description="How many; null for more than a hundred times as many.")
    times: Number = Field(description="How many times those of today.")


class DetectablePart(Part):
    """The smallest difference that some rows show in four of five cases."""

    rows: Literal["validation", "test"] = Field(description="Which rows.")
    clusters: Number = Field(description="How many clusters they are of; null where unknown.")
    spent: float = Field(description="The part of the error of 0.05 that a verdict may spend.")
    difference: Number = Field(description="The difference; null where it isn't known.")
    note: str = Field(description="Why it isn't known.")


class PointPart(Part):
    """A point of the learning curve."""

    fraction: float = Field(description="The fraction of the training rows.")
    experiment: str = Field(description="The experiment that was fitted on it.")
    value: Number = Field(description="The metric.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end.")


class CurvePart(Part):
    """How the primary metric grows with the training rows."""

    metric: str = Field(description="The metric.")
    points: list[PointPart] = Field(description="Its points, the smallest fraction first.")
    gain: Interval = Field(
        description="How much better twice the rows make it at the end of the curve."
    )
    conclusion: Literal["yes", "no", "hardly", "unknown"] = Field(
        description="Whether more training rows would probably help."
    )


class PlanDocument(Document):
    """`crivo plan`: how much more data a comparison needs."""

    answer: str = Field(description="The first line that people see.")
    name: str = Field(description="The experiment.")
    reference: str = Field(description="What it is compared with.")
    primary: str = Field(description="The metric that decides.")
    verdict: str = Field(description=VERDICT)
    difference: Interval = Field(description="The difference, with the interval that decides.")
    clusters: float = Field(description="How many clusters count today.")
    needed: list[NeededPart] = Field(description="How many would decide; empty if it is decided.")
    as_seen: Number = Field(
        description="How many decide in four of five cases if the difference seen is the true one."
    )
    detectable: list[DetectablePart] = Field(description="What the rows at hand can show.")
    curve: CurvePart | None = Field(description="The learning curve, if it was asked for.")


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
