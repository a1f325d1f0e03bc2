"""Experiments that were removed: kept by references of their own, so that they can come back.

`refs/crivo/pruned/STAMP/ab/cdef…/NAME` keeps each commit, and git collects none of them. These
references may come from another clone: a file in git's folder says which removals are this clone's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from crivo.repository.commits import EXPERIMENTS, HASH
from crivo.repository.git import Repository

PRUNED = "refs/crivo/pruned"
FORM = "%(refname) %(objectname)"
# The stamps of the removals made here, in git's own folder: no fetch and no push has it.
HERE = "crivo-removals"


class Removed(NamedTuple):
    """A removed experiment: when it was removed, the reference it had, its commit."""

    stamp: str
    ref: str
    revision: str

    @property
    def name(self) -> str:
        """Its name."""
        return self.ref.rpartition("/")[2]

    @property
    def kept(self) -> str:
        """The reference that keeps it."""
        return f"{PRUNED}/{self.stamp}/{self.ref.removeprefix(f'{EXPERIMENTS}/')}"


def new_stamp() -> str:
    """Return a name for a removal that is made now; names sort by time."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")


def removed_experiments(repository: Repository) -> list[Removed]:
    """Return what was removed and can come back, the first removal first."""
    found = []
    for line in repository.lines("for-each-ref", f"--format={FORM}", PRUNED):
        name, _, revision = line.partition(" ")
        stamp, *parts = name.removeprefix(f"{PRUNED}/").split("/")
        if len(parts) == 3 and HASH.fullmatch(parts[0] + parts[1]):
            found.append(Removed(stamp, "/".join([EXPERIMENTS, *parts]), revision))
    return found


def removed_here(repository: Repository) -> frozenset[str]:
    """Return the stamps of the removals that were made in this clone."""
    try:
        return frozenset(repository.shared_place(HERE).read_text(encoding="utf-8").split())
    except FileNotFoundError:
        return frozenset()


def keep_removed(repository: Repository, removed: Sequence[Removed]) -> None:
    """Keep experiments that are about to be removed here."""
    with repository.shared_place(HERE).open("a", encoding="utf-8") as file:
        file.writelines(f"{stamp}\n" for stamp in sorted({one.stamp for one in removed}))
    repository.update_references(f"create {one.kept} {one.revision}" for one in removed)


def remove(repository: Repository, removed: Iterable[Removed]) -> None:
    """Remove the experiments' own references: all of them, or none if one has changed."""
    repository.update_references(f"delete {one.ref} {one.revision}" for one in removed)


def restore(repository: Repository, removed: Sequence[Removed]) -> list[Removed]:
    """Give removed experiments their references back; return those whose names are taken."""
    now = repository.hashes(one.ref for one in removed)
    taken = [one for one in removed if now[one.ref] not in (None, one.revision)]
    orders = [f"create {one.ref} {one.revision}" for one in removed if now[one.ref] is None]
    if orders:
        repository.update_references(orders)
    return taken


def forget(repository: Repository, removed: Iterable[Removed]) -> None:
    """Keep removed experiments no longer, as they are back."""
    repository.update_references(f"delete {one.kept} {one.revision}" for one in removed)
