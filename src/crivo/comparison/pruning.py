"""`crivo prune`: removes experiments that nothing else needs, and brings them back (`--undo`).

The order is such that a kill leaves nothing half-removed: each trial is kept for the correction
and for an undo, and stands in the table of trials, before its reference goes; all references go at
once. Files of DVC's cache stay, for `dvc gc`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from crivo.comparison.choice import Filters
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import incumbent_record
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.results import result
from crivo.records.counted import count_on
from crivo.records.history import History, keep_trials, read_history, reference
from crivo.records.ledger import REMOVED, add, entry
from crivo.records.noted import noted
from crivo.records.record import Record
from crivo.repository.commits import reached_by_names
from crivo.repository.git_remote import shared_experiments

# Keeps what the workspace, any commit of a branch or tag, or an experiment needs.
FREE_SPACE = "dvc gc --workspace --all-commits --all-experiments"


@result
class RemovedExperiment:
    """An experiment that was removed, or would be removed."""

    name: str
    """Its name."""
    revision: str
    """The commit that records it; git keeps it so that the removal can be undone."""
    when: datetime
    """When it was recorded, in UTC."""


@result
class KeptExperiment:
    """An experiment that is kept although it was selected."""

    name: str
    """Its name."""
    reason: str
    """Why it is kept."""


@result
class Pruned:
    """The experiments that were (or would be) removed, and the selected ones that are kept."""

    done: bool
    """Whether the experiments were removed; false with --dry-run."""
    removed: tuple[RemovedExperiment, ...]
    """The experiments that were removed, or would be removed."""
    kept: tuple[KeptExperiment, ...]
    """The selected experiments that are kept."""
    left: int
    """How many experiments are left."""
    notes: tuple[str, ...]
    """Further notes for the reader."""
    free_space: str = FREE_SPACE
    """The command that deletes unneeded files from DVC's cache: all files that neither this
    workspace nor any branch, tag or experiment needs."""


def plan_pruning(selection: Filters, folder: Path = Path()) -> Pruned:
    """Return what a selection would remove, and why the rest of it stays; nothing is changed."""
    history = read_history(folder)
    for pattern in selection.patterns:
        if not Filters(patterns=[pattern]).select(history, history.trials):
            near = did_you_mean(pattern, [one.name for one in history.trials]) or "."
            raise CrivoError(f"There is no experiment {pattern!r} to remove{near}")
    found = selection.select(history, history.trials)
    if selection.verdicts and found:
        compared = compare(folder=folder, history=history)
        verdicts = {one.revision: one.verdict for one in compared.candidates}
        found = [one for one in found if verdicts.get(one.origin.revision) in selection.verdicts]
    return _sorted(history, found)


def prune(plan: Pruned, folder: Path = Path()) -> Pruned:
    """Remove what a plan says; an undo brings the experiments back.

    What may no longer go, as somebody shared or noted it since the plan was made, stays.
    """
    history, planned = read_history(folder), {one.revision for one in plan.removed}
    there = {one.origin.revision: one for one in history.trials if one.origin.revision in planned}
    now = _sorted(history, there.values())
    records = [there[one.revision] for one in now.removed]
    if records:
        keep_trials(history)
        refs = {one.origin.revision: reference(one) for one in records}
        moment, repository = time.time(), history.repository
        add(repository, *(entry(REMOVED, key, ref, moment) for key, ref in refs.items()))
        count_on(repository.project, records)
        repository.update_references(f"delete {ref} {key}" for key, ref in refs.items())
    return replace(now, done=True, kept=(*plan.kept, *now.kept))


def _sorted(history: History, found: Iterable[Record]) -> Pruned:
    """Return which experiments may go, and which stay although they were selected."""
    shared, note = shared_experiments(history.repository)
    incumbent = incumbent_record(history)
    said, reached = noted(history), reached_by_names(history.repository)
    named = {one.key: one.name for one in reversed(history.commits)}
    opened = {one.model for one in history.records if one.split == "test"} - {None}
    removed, kept = list[RemovedExperiment](), list[KeptExperiment]()
    for one in found:
        revision = one.origin.revision
        reasons = {
            "an evaluation on the test rows": one.split == "test",
            "the incumbent": incumbent is not None and revision == incumbent.origin.revision,
            f"its result is on {named.get(one.key)}": one.key in named,
            "on a branch or tag": revision in reached,
            "confirmed on the test rows": one.model in opened,
            "noted or starred": revision in said,
            "shared": revision in shared,
        }
        if reason := next((reason for reason, holds in reasons.items() if holds), ""):
            kept.append(KeptExperiment(one.name, reason))
        else:
            removed.append(RemovedExperiment(one.name, revision, one.origin.when))
    left = len(history.trials) - len(removed)
    return Pruned(False, tuple(removed), tuple(kept), left, (note,) if note else ())


@result
class Undone:
    """Which experiments were restored."""

    restored: tuple[str, ...]
    """The names of the restored experiments; their settings and metrics are back, too."""
    taken: tuple[str, ...]
    """Those that weren't restored, because other experiments have their names now."""


def undo_pruning(folder: Path = Path()) -> Undone:
    """Bring back what the last removal in this clone removed; CrivoError when there is none.

    Where all of its names are taken, the removal before it comes back.
    """
    history = read_history(folder)
    repository = history.repository
    here = {one.of: one.seconds for one in history.ledger.own if one.kind == REMOVED}
    gone = [one for one in history.removed if one.origin.revision in here.keys() & history.kept]
    if not gone:
        raise CrivoError(
            "There is nothing to undo: no experiment is missing that `crivo prune` removed in this "
            "clone."
        )
    now = repository.hashes({reference(one) for one in gone})
    free = [here[one.origin.revision] for one in gone if now[reference(one)] is None]
    if not free:
        raise CrivoError(
            "Nothing was restored: other experiments from the same commits have these names (such "
            f"as {gone[0].name}); rename those with `dvc exp rename NAME NEW`, and run this again."
        )
    last = [one for one in gone if here[one.origin.revision] >= max(free)]
    back = {reference(one): one for one in last if now[reference(one)] is None}
    taken = tuple(one.name for one in last if now[reference(one)] is not None)
    repository.update_references(f"create {ref} {one.origin.revision}" for ref, one in back.items())
    return Undone(tuple(one.name for one in back.values()), taken)
