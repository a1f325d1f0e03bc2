"""The document of `crivo try`, and the exit status that goes with it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part
from crivo.commands.documents.experiments import Number

Outcome = Literal[
    "better", "worse", "equivalent", "identical", "undecided", "refused", "failed"
]  # fmt: skip

# What `crivo try --json` exits with.
STATUS: dict[Outcome, int] = {
    "better": 0, "worse": 1, "equivalent": 1, "identical": 1, "undecided": 2, "refused": 3,
    "failed": 3,
}  # fmt: skip


class Interval(Part):
    """A number with the ends of its interval."""

    value: Number = Field(description="The number.")
    low: Number = Field(description="The lower end.")
    high: Number = Field(description="The upper end.")


class TrialsSoFar(Part):
    """Where a trial stands among those on the same rows."""

    trial: int = Field(description="Which trial it is, counted from 1.")
    trials: int = Field(description="How many there are, with this one.")
    planned: int | None = Field(description="How many were planned; null for no plan.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="What is left of 0.05 for all further trials.")


class Cost(Part):
    """What a trial cost."""

    seconds: Number = Field(description="How long it ran; null where that wasn't kept.")
    model_bytes: int | None = Field(description="The size of its model file.")


class BudgetLeft(Part):
    """The budget of the trials on these rows, as far as one was given, and what they used."""

    trials: int | None = Field(description="The budget's number of trials.")
    minutes: Number = Field(description="The budget's minutes of running.")
    trials_used: int = Field(description="How many trials there are.")
    minutes_used: float = Field(description="How many minutes they ran, as far as that is known.")


class TryDocument(Document):
    """`crivo try`: what became of a trial.

    Of a trial that was refused or failed, only the first three fields are there.
    """

    outcome: Outcome = Field(
        description="The verdict on the primary metric, or refused (nothing ran) or failed."
    )
    error: str | None = Field(description="Why it was refused or failed, and what to do.")
    stop: bool = Field(description="Whether the budget is used up: no further trial will run.")
    experiment: str | None = Field(None, description="The experiment's name.")
    revision: str | None = Field(None, description="The commit that records it.")
    message: str = Field("", description="The hypothesis.")
    answer: str = Field("", description="The first line that people see.")
    reference: str = Field("", description="What it was compared with.")
    changed: str = Field("", description="The settings and files that differ from the reference's.")
    primary: str = Field("", description="The metric that decides.")
    split: str = Field("", description="The rows: valid, unless the settings say test.")
    value: Interval | None = Field(None, description="The primary metric and its own interval.")
    difference: Interval | None = Field(
        None, description="Its difference from the reference, with the interval that decides."
    )
    minimum_detectable: Number = Field(
        None,
        description="The smallest difference that this comparison detects in four of five cases.",
    )
    worse: list[str] = Field([], description="The other metrics whose verdict is worse.")
    trials: TrialsSoFar | None = Field(None, description="Where it stands among the trials.")
    cost: Cost | None = Field(None, description="What it cost.")
    budget: BudgetLeft | None = Field(None, description="The budget; null if none was given.")
    notes: list[str] = Field([], description="What a reader must know besides.")
