"""Successive halving: trials that learn in steps are stopped early when others are better.

Nine trials at a time run for a ninth of their steps, the best third of them for a third, and the
best third of those to their end. What doesn't learn in steps runs to its end at once. A trial that
is stopped is an experiment whose name says so; it is never compared with whole ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import Any

from crivo.core.registry import find_block
from crivo.experiments.search.driver import Driver, Limits, Running
from crivo.experiments.search.journal import Proposal
from crivo.experiments.search.known import key_of
from crivo.experiments.searches import KeptTrial

# How many trials are compared at a time, and which one of how many goes on.
SIZE, KEEP = 9, 3
# The parts of its steps after which a trial is compared.
SHARES = (1 / 9, 1 / 3)


@dataclass(frozen=True)
class Early:
    """What became of a trial after some of its steps; `goodness` is None for a failure."""

    steps: int
    goodness: float | None
    trial: KeptTrial


def steps_of(settings: Mapping[str, Any]) -> tuple[str, int] | None:
    """Return the setting that says the chosen model's steps, and how many; None: it has none."""
    model = settings["model"]
    name = find_block("model", model).steps
    if name is None:
        return None
    whole = (settings["models"].get(model) or {}).get(name)
    return (f"models.{model}.{name}", int(whole)) if whole and whole >= SIZE else None


class HalvingDriver(Driver):
    """Runs trials by nines, and tells those of one nine in their order."""

    def run(self, limits: Limits) -> None:
        """Go on from what the journal holds until the limits."""
        proposals = self.take_up()
        untold = [one.number for one in proposals if one.outcome is None]
        start = (untold[0] if untold else self.asked) // SIZE * SIZE
        while True:
            batch = proposals[start : start + SIZE]
            while len(batch) < SIZE and self.may_ask(limits):
                batch.append(self._ask())
            if all(one.outcome is not None for one in batch):
                return
            self._run_batch(batch)
            start += SIZE

    def _run_batch(self, batch: Sequence[Proposal]) -> None:
        early: dict[int, Early] = {}
        going = list(batch)
        for share in SHARES:
            going = self._after(going, share, early)
        self.queue.clear()
        for one in going:
            self.queue.append(self.begin(one))
        for one in batch:
            whole = self.queue.popleft() if one.number not in early else None
            if one.outcome is not None:
                continue
            if whole is not None:
                self.tell(whole)
            else:
                self._tell_early(early[one.number])

    def _after(
        self, going: Sequence[Proposal], share: float, early: dict[int, Early]
    ) -> list[Proposal]:
        """Run trials for a share of their steps; note in `early` those that end, return others."""
        running = {one.number: found for one in going if (found := self._begin_early(one, share))}
        made: list[Early] = []
        for one, steps in running.values():
            self.wait_for(one, [other for other, _ in running.values()])
            goodness, trial = self.outcome(one)
            if trial.state == "done":
                self.parts.setdefault(trial.number, []).append(trial.revision)
            made.append(Early(steps, goodness, trial))
        order = sorted(
            made, key=lambda one: (one.goodness is None, -(one.goodness or 0), one.trial.number)
        )
        good = [one for one in order if one.goodness is not None]
        best = {one.trial.number for one in good[: ceil(len(good) / KEEP)]}
        early |= {one.trial.number: one for one in made if one.trial.number not in best}
        return [one for one in going if one.number not in early]

    def _begin_early(self, proposal: Proposal, share: float) -> tuple[Running, int] | None:
        """Have a trial run for a share of its steps, and return how many; None: it has none."""
        settings = self.journal.space.settings(proposal.values)
        found = steps_of(settings)
        if found is None:
            return None
        key, whole = found
        steps = max(1, round(whole * share))
        changed = {**proposal.values, key: steps}
        early = self.journal.space.settings(changed)
        known = self.known.find(early, stopped=True)
        one = Running(proposal, key_of(early), known, early=True)
        one.failure = "" if known else self._failures.get(one.key, "")
        if not known and not one.failure:
            name_of = partial(self.trials.stopped_name_of, settings, steps, whole)
            self.submit(one, name_of, changed)
        return one, steps

    def _tell_early(self, one: Early) -> None:
        if one.goodness is None:
            self.journal.tell(one.trial.number, None, vars(one.trial))
            self.told(one.trial)
            return
        trial = replace(one.trial, state="stopped")
        self.journal.stop(trial.number, one.goodness, one.steps, vars(trial))
        self.told(trial)
