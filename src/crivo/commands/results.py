"""The results of `crivo try` and `crivo search` for programs, and their exit status."""

from __future__ import annotations

from dataclasses import field
from math import nan
from typing import Literal

from crivo.comparison.result import ComparisonResult, Limits, Rule
from crivo.core.results import Number, result
from crivo.records.searches import SearchTrial
from crivo.trials.search.result import SearchGain
from crivo.trials.search.space import SearchEdge

Outcome = Literal[
    "better", "worse", "equivalent", "identical", "undecided", "refused", "failed"
]  # fmt: skip
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

    trials: int | None
    """The largest number of trials; null if none was given."""
    minutes: Number
    """The longest time in minutes; null if none was given."""
    trials_used: int
    """The number of trials so far."""
    minutes_used: float
    """How many minutes they ran, as far as this is known."""


@result
class TryResult:
    """The result of a trial; if nothing ran, or if it failed, only the first three fields tell."""

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
    """What a reader must know in addition."""


@result
class SearchReport:
    """The trials of a search, and whether the best of them is better."""

    outcome: Outcome
    """The verdict on the best trial; `refused`; or `failed`, if no trial has a result."""
    error: str | None
    """Why it was refused or failed, and what to do."""
    stop: bool = False
    """As for `crivo try`; false, because a search has no budget."""
    search: str = ""
    """The search's name."""
    finished: bool = False
    """Whether all requested trials were run."""
    sampler: str = ""
    """`tpe`, `random` or `grid`."""
    seed: int = 0
    """The seed of the proposals."""
    space: dict[str, str] = field(default_factory=dict)
    """The settings that were searched, each with its range as it was given."""
    trials: tuple[SearchTrial, ...] = ()
    """The trials, in the order in which they were proposed."""
    best: str | None = None
    """The experiment of the best trial."""
    revision: str | None = None
    """The commit that records this experiment."""
    gain: SearchGain | None = None
    """The gain of the best trial; null if there was no selection."""
    edges: tuple[SearchEdge, ...] = ()
    """Settings of the best trial at an end of their range; better values may lie beyond it."""
    comparison: ComparisonResult | None = None
    """The best trial compared with the reference."""
    applied: str = ""
    """What --apply did."""
    notes: tuple[str, ...] = ()
    """What a reader must know in addition."""
