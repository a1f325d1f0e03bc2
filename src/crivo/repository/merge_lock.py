"""`crivo resolve`: resolves a merge conflict in `dvc.lock`, stage by stage.

An entry that one side changed is kept. One that both sides changed, or whose metrics in git aren't
those that it records, is dropped: `dvc repro` runs that stage, or finds its result in DVC's run
cache.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crivo.core.artifacts import write_text
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.results import result
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK
from crivo.repository.outputs import content_hash

Entries = dict[str, dict[str, Any]]
# How git numbers the versions of a file in conflict: of both sides' start, ours, theirs.
SIDES = ("1", "2", "3")


@result
class Resolved:
    """How a conflict in `dvc.lock` was resolved."""

    kept: dict[str, str]
    """Where each stage's entry comes from: `both`, `ours` or `theirs`."""
    left_out: tuple[str, ...]
    """The stages that `dvc repro` must run."""
    open: tuple[str, ...]
    """The files in conflict that `dvc repro` writes again."""


def resolve_lock(folder: Path = Path()) -> Resolved:
    """Resolve the conflict in a project's `dvc.lock`.

    CrivoError: there is none, or another file has to be resolved first.
    """
    from dvc.utils.serialize import dumps_yaml

    repository = open_repository(folder)
    unmerged = _unmerged(repository)
    if LOCK not in unmerged:
        raise CrivoError(
            f"{LOCK} has no conflict, so there is nothing to do; `crivo resolve` works in the "
            "middle of a `git merge`, `git rebase` or `git pull` that stopped."
        )
    blobs = unmerged.pop(LOCK)
    base, ours, theirs = (_entries(repository, blobs.get(side)) for side in SIDES)
    outs = {path for side in (base, ours, theirs) for one in side.values() for path in _outs(one)}
    if others := sorted(unmerged.keys() - outs):
        raise CrivoError(
            f"Resolve these first, as they decide which results are right: {', '.join(others)}. "
            "Then `git add` them and run `crivo resolve` again."
        )
    tracked = {*repository.files()}
    entries, kept = Entries(), dict[str, str]()
    for name in dict.fromkeys((*ours, *theirs)):
        old, mine, other = (side.get(name) for side in (base, ours, theirs))
        sides = {"both": mine == other, "theirs": mine == old, "ours": other == old}
        side = next((side for side, holds in sides.items() if holds), None)
        entry = other if side == "theirs" else mine
        if side is None or not entry:  # both changed it, or one removed it
            continue
        metrics = [(path, md5) for path, md5 in _outs(entry).items() if path in tracked]
        if all(content_hash(repository.project / path) == md5 for path, md5 in metrics):
            entries[name], kept[name] = entry, side
    text = dumps_yaml({"schema": "2.0", "stages": entries})
    write_text(repository.project / LOCK, text)
    repository.git("add", "--", repository.prefix + LOCK)
    left_out = tuple(name for name in {**ours, **theirs} if name not in entries)
    return Resolved(kept, left_out, tuple(sorted(unmerged)))


def _unmerged(repository: Repository) -> dict[str, dict[str, str]]:
    """Return the project's files in conflict: of each, git's hash of each side's version."""
    found: dict[str, dict[str, str]] = {}
    for line in repository.files("--unmerged"):
        about, _, path = line.partition("\t")
        _, blob, side = about.split(" ")
        found.setdefault(path, {})[side] = blob
    return found


def _entries(repository: Repository, blob: str | None) -> Entries:
    if blob is None:
        return {}
    try:
        values = parse_yaml(repository.git("cat-file", "blob", blob))
        return dict(values.get("stages") or {})
    except (ParseError, AttributeError) as error:
        raise CrivoError(
            f"One side's {LOCK} can't be read ({error}); take the other side's."
        ) from None


def _outs(entry: dict[str, Any]) -> dict[str, str]:
    return {out["path"]: out.get("md5", "") for out in entry.get("outs") or ()}
