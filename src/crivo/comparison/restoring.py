"""Brings back experiments that were removed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from crivo.comparison.pruning import any_fits
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.counted import uncount
from crivo.records.history import read_history
from crivo.records.record import Record
from crivo.repository.git import Repository
from crivo.repository.removed import Removed, forget, removed_experiments, removed_here, restore


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
    removed, here = removed_experiments(repository), removed_here(repository)
    others = [one for one in removed if one.stamp not in here]
    if patterns:
        last = _newest(one for one in removed if any_fits(one.name, patterns))
    else:
        stamp = max((one.stamp for one in removed if one.stamp in here), default="")
        last = [one for one in removed if one.stamp == stamp]
    if not last:
        raise CrivoError(_nothing_to_undo(patterns, others))
    taken = restore(repository, last)
    back = [one for one in last if one not in taken]
    if not back:
        raise CrivoError(
            f"Nothing was restored: there are other experiments named {taken[0].name} and so on, "
            "started from the same commits; rename them with `dvc exp rename`."
        )
    uncount(repository.project, (one.revision for one in back))
    forget(repository, back)
    after = read_history(folder)
    revisions = {one.revision for one in back}
    records = [one for one in after.trials if one.origin.revision in revisions]
    lacking = _lacking_files(history.repository, records)
    return Undone(
        tuple(one.name for one in back),
        tuple(one.name for one in taken),
        tuple(lacking),
        tuple(dict.fromkeys(one.name for one in others if one not in back)),
    )


def _newest(removed: Iterable[Removed]) -> list[Removed]:
    """Return the last removed of each reference."""
    return list({one.ref: one for one in removed}.values())


def _nothing_to_undo(patterns: Sequence[str], others: Sequence[Removed]) -> str:
    if patterns:
        return f"No removed experiment is called {' or '.join(patterns)}, so nothing came back."
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
