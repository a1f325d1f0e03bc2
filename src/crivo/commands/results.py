"""The result of `crivo try` for programs, and the exit status of a verdict."""

from __future__ import annotations

from math import nan

from crivo.comparison.result import Limits, Rule
from crivo.core.results import Number, result
from crivo.trials.search.result import Outcome

# What `crivo try --json` exits with.
STATUS: dict[Outcome, int] = {
    "better": 0, "worse": 1, "equivalent": 1, "identical": 1, "undecided": 2, "refused": 3,
    "failed": 3,
}  # fmt: skip


@result
class Cost:
    """The cost of a trial."""

    seconds: Number
    """How long it ran, in seconds; null if this wasn't recorded."""
    model_bytes: int | None
    """The size of the model file in bytes."""


@result
class BudgetLeft:
    """The budget of the trials on these rows, and how much of it they have used."""

    trials: int
    """The largest number of trials."""
    trials_used: int
    """The number of trials so far."""


@result
class TryResult:
    """The result of a trial; if nothing ran or it failed, only the first three fields are set."""

    outcome: Outcome
    """The verdict on the primary metric; `refused`, if nothing ran or the result can't be compared;
    or `failed`."""
    error: str | None
    """Why it was refused or failed, and what to do."""
    stop: bool
    """Whether the budget is used up, so that no further trial will run."""
    experiment: str | None = None
    """The experiment's name."""
    revision: str | None = None
    """The commit that records the experiment."""
    message: str = ""
    """The hypothesis."""
    answer: str = ""
    """The first line of the text output."""
    reference: str = ""
    """What the trial was compared with."""
    changed: str = ""
    """The settings and files that differ from the reference's."""
    primary: str = ""
    """The metric that decides."""
    split: str = ""
    """The split of the rows: `valid`, unless the settings say `test`."""
    value: Limits | None = None
    """The primary metric with its own interval."""
    difference: Limits | None = None
    """The difference from the reference, with the interval that decides."""
    minimum_detectable: Number = nan
    """The smallest difference that this comparison detects in four of five cases."""
    worse: tuple[str, ...] = ()
    """The other metrics whose verdict is worse."""
    trials: Rule | None = None
    """The trial's place among the trials on these rows."""
    cost: Cost | None = None
    """The cost of the trial."""
    budget: BudgetLeft | None = None
    """The budget; null if none was given."""
    notes: tuple[str, ...] = ()
    """Further notes for the reader."""
