"""Removes experiments that nobody needs, but for what others rest on, and brings them back.

The order is such that a kill leaves nothing half-removed: each trial is kept for the correction
and for an undo, and stands in the table of removed trials, before its reference goes; all
references go at once. Files of DVC's cache stay, for `dvc gc`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from crivo.comparison.choice import Filters, any_fits
from crivo.comparison.compare import compare
from crivo.comparison.incumbent import incumbent_record
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.history import History, keep_trials, read_history, reference
from crivo.records.noted import noted
from crivo.records.record import Record
from crivo.records.removed import (
    Removed,
    count_removed,
    note_removal,
    read_counted,
    removals,
    uncount,
)
from crivo.repository.commits import reached_by_names
from crivo.repository.git import Repository
from crivo.repository.git_remote import shared_experiments

# Keeps what the workspace, any commit of a branch or tag, or an experiment needs.
FREE_SPACE = "dvc gc --workspace --all-commits --all-experiments"

GONE = "somebody removed or replaced it in the meantime"


@result
class RemovedExperiment:
    """An experiment that was removed, or would be."""

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
    """The experiments that were removed, or would be, and those that are kept."""

    done: bool
    """Whether the experiments were removed; false with --dry-run."""
    removed: tuple[RemovedExperiment, ...]
    """The experiments that were removed, or would be."""
    kept: tuple[KeptExperiment, ...]
    """The selected experiments that are kept."""
    left: int
    """How many experiments are left."""
    notes: tuple[str, ...]
    """What a reader must know in addition."""
    free_space: str = FREE_SPACE
    """The command that deletes what neither the workspace, a commit of a branch or tag, nor an
    experiment needs, from DVC's cache."""


def plan_pruning(selection: Filters, folder: Path = Path()) -> Pruned:
    """Return what a selection would remove; nothing is changed."""
    history = read_history(folder)
    found = [one for one in history.trials if selection.take(one)]
    if selection.verdicts and found:
        compared = compare(folder=folder, history=history)
        verdicts = {one.revision: one.verdict for one in compared.candidates}
        found = [one for one in found if verdicts.get(one.origin.revision) in selection.verdicts]
    return _pruned(history, *_kept_back(history, found))


def _pruned(
    history: History, going: Sequence[Record], kept: Mapping[str, str], note: str
) -> Pruned:
    removed = [RemovedExperiment(one.name, one.origin.revision, one.origin.when) for one in going]
    return Pruned(
        done=False,
        removed=tuple(removed),
        kept=tuple(KeptExperiment(*one) for one in kept.items()),
        left=len(history.trials) - len(going),
        notes=(note,) if note else (),
    )


def _kept_back(
    history: History, selected: Sequence[Record]
) -> tuple[list[Record], dict[str, str], str]:
    """Return which of some experiments may go now, why the others stay, and what isn't known."""
    shared, note = shared_experiments(history.repository)
    reason_of = _reasons(history, shared)
    kept = {one.origin.revision: reason for one in selected if (reason := reason_of(one))}
    going = [one for one in selected if one.origin.revision not in kept]
    needed = _needed_by_others(history, going)
    going = [one for one in going if one.origin.revision not in needed]
    names = {one.name: (kept | needed).get(one.origin.revision, "") for one in selected}
    return going, {name: reason for name, reason in names.items() if reason}, note


def _reasons(history: History, shared: Collection[str]) -> Callable[[Record], str | None]:
    """Return what says why an experiment stays although it was selected; None: it may go."""
    incumbent = incumbent_record(history)
    said, reached = noted(history), reached_by_names(history.repository)
    named = {one.key: one.name for one in reversed((*history.tips, *history.older))}
    opened = {one.model for one in history.records if one.split == "test"} - {None}

    def reason(record: Record) -> str | None:
        revision = record.origin.revision
        reasons = {
            "an evaluation on the test rows": record.split == "test",
            "the incumbent": incumbent is not None and revision == incumbent.origin.revision,
            f"its result is on {named.get(record.key)}": record.key in named,
            "on a branch or tag": revision in reached,
            "confirmed on the test rows": record.model in opened,
            "noted or starred": revision in said,
            "shared": revision in shared,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    return reason


def _needed_by_others(history: History, going: Sequence[Record]) -> dict[str, str]:
    """Return the experiments among those that others were started from, with the reason."""
    gone = {one.origin.revision for one in going}
    needed: dict[str, str] = {}
    stack = [one for one in history.trials if one.origin.revision not in gone]
    while stack:
        one = stack.pop()
        parent = one.origin.parent
        if parent in gone and parent not in needed:
            needed[parent] = f"{one.name} was started from it"
            stack += [other for other in going if other.origin.revision == parent]
    return needed


def prune(plan: Pruned, folder: Path = Path()) -> Pruned:
    """Remove what a plan says.

    What may no longer go, as somebody shared it or started another from it since the plan was
    made, stays, and stands in `kept`. An undo brings the experiments back.
    """
    history = read_history(folder)
    repository = history.repository
    now = {one.origin.revision: one for one in history.trials}
    there = [now[one.revision] for one in plan.removed if one.revision in now]
    gone = {one.name: GONE for one in plan.removed if one.revision not in now}
    records, late, note = _kept_back(history, there)
    if records:
        going = [Removed(reference(one), one.origin.revision) for one in records]
        keep_trials(history)
        note_removal(repository, going)
        count_removed(repository.project, records)
        repository.update_references(f"delete {one.ref} {one.revision}" for one in going)
    kept = {one.name: one.reason for one in plan.kept} | gone | late
    return replace(_pruned(history, records, kept, note), done=True)


@result
class Undone:
    """Which experiments were restored."""

    restored: tuple[str, ...]
    """The experiments that were restored, with their metrics."""
    taken: tuple[str, ...]
    """Those that weren't restored, because other experiments have their names now."""
    lacking: tuple[str, ...]
    """The restored experiments whose models or predictions aren't in the cache."""
    others: tuple[str, ...] = ()
    """The experiments that stay removed, because another clone removed them."""


def undo_pruning(patterns: Sequence[str] = (), folder: Path = Path()) -> Undone:
    """Bring back what the last removal in this clone removed; CrivoError when there is none.

    `patterns`: bring back what has these names, whoever removed it and when.
    """
    history = read_history(folder)
    repository = history.repository
    here, others = _removed(history)
    last = max((stamp for stamp, _ in here), default="")
    wanted = [one for stamp, one in here if patterns or stamp == last]
    if patterns:
        wanted = [one for one in [*others, *wanted] if any_fits((one.name, one.ref), patterns)]
    # Of those that had one name and parent, the last.
    wanted = [*{one.ref: one for one in wanted}.values()]
    if not wanted:
        raise CrivoError(_nothing_to_undo(patterns, others))
    now = repository.hashes(one.ref for one in wanted)
    back = [one for one in wanted if now[one.ref] is None]
    taken = [one.name for one in wanted if now[one.ref] is not None]
    if not back:
        raise CrivoError(
            f"Nothing was restored: there are other experiments named {taken[0]} and so on, "
            "started from the same commits; rename them with `dvc exp rename`."
        )
    uncount(repository.project, (one.revision for one in back))
    repository.update_references(f"create {one.ref} {one.revision}" for one in back)
    revisions = {one.revision for one in back}
    records = [one for one in read_history(folder).trials if one.origin.revision in revisions]
    return Undone(
        tuple(one.name for one in back),
        tuple(taken),
        tuple(_lacking_files(repository, records)),
        tuple(dict.fromkeys(one.name for one in others if one not in back)),
    )


def _removed(history: History) -> tuple[list[tuple[str, Removed]], list[Removed]]:
    """Return what was removed here, with what went in one go, and what another clone removed."""
    there = {one.origin.revision for one in history.trials}
    here = [
        (stamp, one) for stamp, one in removals(history.repository) if one.revision not in there
    ]
    own = {one.revision for _, one in here}
    told = {one.origin.revision for one in read_counted(history.repository.project)} - own
    kept = [one for one in history.removed if one.origin.revision in told & history.kept]
    return here, [Removed(reference(one), one.origin.revision) for one in kept]


def _nothing_to_undo(patterns: Sequence[str], others: Sequence[Removed]) -> str:
    if patterns:
        return f"No removed experiment is called {' or '.join(patterns)}, so nothing was restored."
    if not others:
        return "There is nothing to undo: `crivo prune` has removed no experiment here."
    return (
        f"There is nothing to undo: `crivo prune` has removed no experiment in this clone. "
        f"{others[-1].name} and so on ({len(others)} in all) were removed in another one; `crivo "
        "prune --undo NAME` restores those that you name."
    )


def _lacking_files(repository: Repository, records: Sequence[Record]) -> list[str]:
    """Return the names of the records of which neither git nor the cache has all outputs."""
    if not (repository.project / ".dvc").is_dir():
        return []
    cache = Cache(repository.project)
    missing: dict[str, list[str]] = {}
    for one in records:
        outs = [part for stage in one.lock.values() for part in stage.get("outs", ())]
        lost = [part["path"] for part in outs if not cache.has(str(part.get("md5", "")))]
        start = f"{one.origin.revision}:{repository.prefix}"
        missing[one.name] = [f"{start}{path}" for path in lost]
    in_git = repository.hashes(name for names in missing.values() for name in names)
    return [name for name, names in missing.items() if not all(map(in_git.get, names))]
