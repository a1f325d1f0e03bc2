"""The budget for trials on the same rows: a number of them, or a running time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from crivo.comparison.choice import choose
from crivo.comparison.families import Family
from crivo.core.errors import CrivoError
from crivo.records.history import History
from crivo.records.record import usable
from crivo.repository.kept import keep_seconds, kept_seconds

FORM = re.compile(r"(\d+(?:\.\d+)?)\s*(min|h)?")
MINUTES = {"min": 1, "h": 60}


class BudgetUsedUp(CrivoError):
    """The trials so far have used the budget up."""


class Used(NamedTuple):
    """What the trials on the reference's rows have used so far."""

    trials: int
    minutes: float


@dataclass(frozen=True)
class Budget:
    """How many trials, and how many minutes of running, there may be on the same rows."""

    trials: int | None = None
    minutes: float | None = None

    def require_room(self, history: History) -> None:
        """Raise BudgetUsedUp when the trials so far have used the budget up."""
        if self.trials is None and self.minutes is None:
            return
        used = used_so_far(history)
        if self.trials is not None and used.trials >= self.trials:
            raise BudgetUsedUp(
                f"The budget of {_trials(self.trials)} is used up: {_trials(used.trials)} on these "
                "rows so far. Stop, and decide with what is known."
            )
        if self.minutes is not None and used.minutes >= self.minutes:
            raise BudgetUsedUp(
                f"The budget of {self.minutes:g} minutes is used up: the trials on these rows ran "
                f"for {used.minutes:.1f}. Stop, and decide with what is known."
            )


def _trials(count: int) -> str:
    return f"{count} trial{'' if count == 1 else 's'}"


def parse_budget(texts: Sequence[str]) -> Budget:
    """Return the budget that texts say: `20` trials, `90min` or `3h` of running.

    >>> parse_budget(["20", "1.5h"])
    Budget(trials=20, minutes=90.0)
    """
    trials, minutes = None, None
    for text in texts:
        match = FORM.fullmatch(text.strip())
        if match is None or not (match[2] or match[1].isdigit()) or not float(match[1]):
            raise CrivoError(
                f"--budget is {text!r}; expected a number of trials such as 20, or a time such as "
                "90min or 3h."
            )
        if match[2]:
            minutes = float(match[1]) * MINUTES[match[2]]
        else:
            trials = int(match[1])
    return Budget(trials, minutes)


def used_so_far(history: History) -> Used:
    """Return what the trials on the rows of the incumbent, or of HEAD, have used.

    Equal predictions are one trial, as for the correction; each run counts with its minutes, if
    `crivo try` ran it. Trials count that were removed.
    """
    choice = choose(history, [])
    reference = choice.reference_of(choice.candidates[0])
    rows = reference.about["rows"] if reference else ""
    family = Family(
        history.counted,
        choice.reference_of,
        choice.among_of,
        remembered=history.remembered,
    )
    seconds = kept_seconds(history.repository)
    own = {one.origin.revision for one in history.counted if usable(one)
           and one.about["rows"] == rows}  # fmt: skip
    return Used(family.trials(rows).count, sum(seconds.get(one, 0) for one in own) / 60)


def keep_cost(history: History, name: str, seconds: float) -> None:
    """Keep how long a new trial took, if it was recorded."""
    for record in history.trials:
        if record.name == name and record.origin.parent == history.head:
            keep_seconds(history.repository, record.origin.revision, seconds)


def usual_seconds(history: History, model: str, last: int = 5) -> float | None:
    """Return how long the last trials of a model took, their median; None where none is kept."""
    kept = kept_seconds(history.repository)
    timed = [
        one.origin
        for one in history.counted
        if one.origin.revision in kept and one.settings.get("model") == model
    ]
    newest = sorted(timed, key=lambda one: one.seconds)[-last:]
    return median(kept[one.revision] for one in newest) if newest else None
