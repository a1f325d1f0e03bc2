"""The result of `crivo try --json`, and the exit status of a verdict."""

from __future__ import annotations

from math import nan

from crivo.comparison.result import ComparisonResult
from crivo.core.results import Number, result
from crivo.trials.search.result import Outcome

# What `crivo try --json` exits with.
STATUS: dict[Outcome, int] = {
    "better": 0, "worse": 1, "equivalent": 1, "identical": 1, "undecided": 2, "refused": 3,
    "failed": 3,
}  # fmt: skip


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
    seconds: Number = nan
    """How long it ran, in seconds; null if this wasn't recorded."""
    comparison: ComparisonResult | None = None
    """The trial compared with the reference: `experiments` contains only the trial."""


def try_result(name: str, compared: ComparisonResult, seconds: float) -> TryResult:
    """Return the result of a trial that ran and was compared."""
    if compared.refused:
        why = compared.refused[0]
        error = f"{why.reason}; {why.advice}"
        return TryResult("refused", error, False, name, seconds, compared)
    verdict = compared.experiments[0].verdict
    outcome: Outcome = "identical" if verdict == "reference" else verdict
    return TryResult(outcome, None, False, name, seconds, compared)
