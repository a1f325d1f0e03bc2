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
    """The trial's place among the trials on the same rows."""

    trial: int = Field(description="The trial's number, counted from 1.")
    trials: int = Field(description="The number of trials, including this one.")
    planned: int | None = Field(
        description="The number of planned trials; null if there is no plan."
    )
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="The part of 0.05 that is left for all further trials.")


class Cost(Part):
    """The cost of a trial."""

    seconds: Number = Field(
        description="How long it ran, in seconds; null if this wasn't recorded."
    )
    model_bytes: int | None = Field(description="The size of the model file in bytes.")


class BudgetLeft(Part):
    """The budget of the trials on these rows, and how much of it they have used."""

    trials: int | None = Field(description="The largest number of trials; null if none was given.")
    minutes: Number = Field(description="The longest time in minutes; null if none was given.")
    trials_used: int = Field(description="The number of trials so far.")
    minutes_used: float = Field(description="How many minutes they ran, as far as this is known.")


class TryDocument(Document):
    """`crivo try`: the result of a trial.

    If nothing ran, or if the trial failed, only the first three of these fields are present.
    """

    outcome: Outcome = Field(
        description="The verdict on the primary metric; `refused`, if nothing ran or the result "
        "can't be compared; or `failed`."
    )
    error: str | None = Field(description="Why it was refused or failed, and what to do.")
    stop: bool = Field(
        description="Whether the budget is used up, so that no further trial will run."
    )
    experiment: str | None = Field(None, description="The experiment's name.")
    revision: str | None = Field(None, description="The commit that records the experiment.")
    message: str = Field("", description="The hypothesis.")
    answer: str = Field("", description="The first line of the text output.")
    reference: str = Field("", description="What the trial was compared with.")
    changed: str = Field("", description="The settings and files that differ from the reference's.")
    primary: str = Field("", description="The metric that decides.")
    split: str = Field(
        "", description="The split of the rows: `valid`, unless the settings say `test`."
    )
    value: Interval | None = Field(None, description="The primary metric with its own interval.")
    difference: Interval | None = Field(
        None, description="The difference from the reference, with the interval that decides."
    )
    minimum_detectable: Number = Field(
        None,
        description="The smallest difference that this comparison detects in four of five cases.",
    )
    worse: list[str] = Field([], description="The other metrics whose verdict is worse.")
    trials: TrialsSoFar | None = Field(
        None, description="The trial's place among the trials on these rows."
    )
    cost: Cost | None = Field(None, description="The cost of the trial.")
    budget: BudgetLeft | None = Field(None, description="The budget; null if none was given.")
    notes: list[str] = Field([], description="What a reader must know in addition.")
