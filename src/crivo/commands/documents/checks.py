"""The documents of commands that check and evaluate: `check`, `gate`, `evaluate`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import Number


class FindingPart(Part):
    """A problem that a check found in the project."""

    code: str = Field(description="The check's code; checks.md lists them.")
    severity: Literal["error", "warning", "note"] = Field(
        description="An error makes results wrong, a warning may make them wrong, and a note is "
        "worth knowing."
    )
    subject: str = Field(description="What it is about: a file, a setting, a stage or a column.")
    message: str = Field(description="What is wrong, and what to do.")


class CheckPart(Part):
    """A check and its result."""

    code: str = Field(description="The check's code.")
    title: str = Field(description="What the check looks for.")
    state: Literal["found", "passed", "not applicable", "muted"] = Field(
        description="Whether the check found something, passed, doesn't apply or is muted."
    )
    reason: str = Field(description="Why the check doesn't apply, or why it is muted.")
    muted: list[FindingPart] = Field(description="What a muted check found.")


class CheckDocument(Document):
    """`crivo check`: the findings of the checks."""

    findings: list[FindingPart] = Field(
        description="All findings that aren't muted; empty if there are none."
    )
    checks: list[CheckPart] = Field([], description="All checks and their results.")


class LimitPart(Part):
    """A limit in params.yaml, and whether the result meets it."""

    name: str = Field(description="The name of the limited number.")
    limit: str = Field(description="The limit in words.")
    value: Number = Field(description="The number's value; null if it wasn't measured.")
    state: str = Field(description="`holds`, `violated` or `not measured`.")


class GateDocument(Document):
    """`crivo gate`: the limits, and whether the result meets them."""

    limits: list[LimitPart] = Field(description="The limits; empty if params.yaml sets none.")


class EvaluatedMetric(Part):
    """A metric of the model or of the baseline, or the difference between the two."""

    metric: str = Field(description="The metric's name.")
    of: str = Field(description="`model`, `baseline` or `difference`.")
    value: Number = Field(description="Its value.")
    se: Number = Field(description="Its standard error.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    verdict: str | None = Field(
        description="For a difference, the verdict that follows from its interval."
    )


class EvaluateDocument(Document):
    """`crivo evaluate`: the metrics of a file of predictions."""

    about: dict[str, object] = Field(description="What was evaluated, as in evaluation.json.")
    metrics: list[EvaluatedMetric] = Field(description="The metrics with their intervals.")
    warnings: list[str] = Field(description="The reasons to doubt the numbers.")
    output: str | None = Field(
        description="The folder with all files of the result; null if none was given."
    )
