"""The documents of commands that check and evaluate: `check`, `gate`, `evaluate`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import Number


class FindingPart(Part):
    """One thing that is wrong with the project."""

    code: str = Field(description="The check's code; checks.md lists them.")
    severity: Literal["error", "warning", "note"] = Field(
        description="An error makes results wrong, a warning may, a note is worth knowing."
    )
    subject: str = Field(description="Where: a file, a setting, a stage, a column.")
    message: str = Field(description="What is wrong, and what to do.")


class CheckPart(Part):
    """What became of a check."""

    code: str = Field(description="The check's code.")
    title: str = Field(description="What it looks for.")
    state: Literal["found", "passed", "not applicable", "muted"] = Field(
        description="Whether it found something, and whether that counts."
    )
    reason: str = Field(description="Why it doesn't apply, or why it is muted.")
    muted: list[FindingPart] = Field(description="What it found although it is muted.")


class CheckDocument(Document):
    """`crivo check`: what was found."""

    findings: list[FindingPart] = Field(
        description="What was found and isn't muted; empty for nothing."
    )
    checks: list[CheckPart] = Field([], description="All checks that were made.")


class LimitPart(Part):
    """A limit in params.yaml, and whether the result meets it."""

    name: str = Field(description="The number that is limited.")
    limit: str = Field(description="The limit in words.")
    value: Number = Field(description="The number's value; null if it wasn't measured.")
    state: str = Field(description="holds, violated, or not measured.")


class GateDocument(Document):
    """`crivo gate`: the limits."""

    limits: list[LimitPart] = Field(description="The limits; empty if params.yaml sets none.")


class EvaluatedMetric(Part):
    """A metric of the model, of the baseline, or the difference of the two."""

    metric: str = Field(description="The metric's name.")
    of: str = Field(description="model, baseline or difference.")
    value: Number = Field(description="Its value.")
    se: Number = Field(description="Its standard error.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    verdict: str | None = Field(description="Of a difference: what its interval says.")


class EvaluateDocument(Document):
    """`crivo evaluate`: the metrics of a file of predictions."""

    about: dict[str, object] = Field(description="What was evaluated, as in evaluation.json.")
    metrics: list[EvaluatedMetric] = Field(description="The metrics with their intervals.")
    warnings: list[str] = Field(description="What makes the numbers doubtful.")
    output: str | None = Field(description="The folder that all files were written to.")
