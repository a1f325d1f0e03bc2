"""Resolves a conflict of git's in `dvc.lock`, stage by stage.

An entry that one side changed is kept, and the metrics that git tracks follow it. One that both
sides changed is dropped: `dvc repro` runs that stage, or finds its result in DVC's run cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crivo.core.artifacts import write_text
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, parse_yaml
from crivo.core.results import result
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK

Entries = dict[str, dict[str, Any]]
# How git numbers the versions of a file in conflict.
BASE, OURS, THEIRS = "1", "2", "3"


@result
class Resolved:
    """How a conflict in `dvc.lock` was resolved."""

    kept: dict[str, str]
    """Where each stage's entry comes from: `both`, `ours` or `theirs`."""
    left_out: tuple[str, ...]
    """The stages that `dvc repro` must run."""
    files: tuple[str, ...]
    """The files in git that match their stages."""
    open: tuple[str, ...]
    """The files in conflict that `dvc repro` writes again."""


def resolve_lock(folder: Path = Path()) -> Resolved:
    """Resolve the conflict in a project's `dvc.lock`.

    CrivoError: there is none, or another file has to be resolved first.
    """
    repository = open_repository(folder)
    unmerged = _unmerged(repository)
    if LOCK not in unmerged:
        raise CrivoError(
            f"{LOCK} is in no conflict, so there is nothing to do; `crivo resolve` serves in the "
            "middle of a `git merge`, `git rebase` or `git pull` that stopped."
        )
    sides = {side: _entries(repository, blob) for side, blob in unmerged.pop(LOCK).items()}
    outs = {out["path"] for entries in sides.values() for out in _outs(entries)}
    if others := sorted(unmerged.keys() - outs):
        raise CrivoError(
            f"Resolve these first, as they decide which results are right: {', '.join(others)}. "
            "Then `git add` them and run `crivo resolve` again."
        )
    entries, kept = _one_sided(*(sides.get(side, {}) for side in (BASE, OURS, THEIRS)))
    files = _bring_metrics(repository, entries, unmerged)
    resolved = [path for path in unmerged if path in files]
    _write(repository.project / LOCK, entries)
    repository.git("add", "--", *(repository.prefix + path for path in (LOCK, *resolved)))
    return Resolved(
        kept={name: whose for name, whose in kept.items() if name in entries},
        left_out=tuple(name for name in {**sides[OURS], **sides[THEIRS]} if name not in entries),
        files=tuple(files),
        open=tuple(sorted(unmerged.keys() - {*resolved})),
    )


def _unmerged(repository: Repository) -> dict[str, dict[str, str]]:
    """Return the project's files in conflict: of each, git's hash of each side's version."""
    listed = repository.git("ls-files", "--unmerged", "--full-name", "-z").split("\0")
    found: dict[str, dict[str, str]] = {}
    for line in filter(None, listed):
        about, _, path = line.partition("\t")
        _, blob, side = about.split(" ")
        found.setdefault(path.removeprefix(repository.prefix), {})[side] = blob
    return found


def _entries(repository: Repository, blob: str) -> Entries:
    try:
        values = parse_yaml(repository.git("cat-file", "blob", blob))
        return dict(values.get("stages") or {})
    except (ParseError, AttributeError) as error:
        raise CrivoError(
            f"A side's {LOCK} can't be read ({error}); take the other side's."
        ) from None


def _outs(entries: Entries) -> list[dict[str, Any]]:
    return [out for entry in entries.values() for out in entry.get("outs") or ()]


def _one_sided(base: Entries, ours: Entries, theirs: Entries) -> tuple[Entries, dict[str, str]]:
    """Return the entries that at most one side changed, and whose each of them is."""
    entries, whose = {}, {}
    for name in dict.fromkeys((*ours, *theirs)):
        old, one, other = (side.get(name) for side in (base, ours, theirs))
        if one == other:
            found, side = one, "both"
        elif one == old:
            found, side = other, "theirs"
        elif other == old:
            found, side = one, "ours"
        else:
            continue
        if found is not None:
            entries[name], whose[name] = found, side
    return entries, whose


def _bring_metrics(
    repository: Repository, entries: Entries, unmerged: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Let the files that git tracks be those of their stages; return those that are in order.

    A stage whose file neither the workspace nor a side has any more loses its entry.
    """
    tracked = set(repository.git("ls-files", "-z").split("\0"))
    in_order = []
    for name, entry in list(entries.items()):
        for out in entry.get("outs") or ():
            path, place = out["path"], repository.project / out["path"]
            if repository.prefix + path not in tracked:
                continue
            here = [place.read_bytes()] if place.is_file() else []
            sides = repository.objects([*unmerged.get(path, {}).values()])
            contents = [*here, *(blob.content for blob in sides if blob)]
            right = next((one for one in contents if _md5(one) == out.get("md5")), None)
            if right is None:
                entries.pop(name, None)
                continue
            if here != [right]:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(right)
            in_order.append(path)
    return in_order


def _md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def _write(place: Path, entries: Entries) -> None:
    from dvc.utils.serialize import dumps_yaml

    write_text(place, dumps_yaml({"schema": "2.0", "stages": entries}))
