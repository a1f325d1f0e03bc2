"""Commits as one file, in which a project travels to a worker and an experiment travels back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

# What is sent stands below this name, each under one of its own: several may be sent at once.
SENDING = "refs/crivo/sending"
# What a repository was made from.
SENT = "refs/crivo/sent"
QUIET = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance")


def write_bundle(
    repository: Repository, place: Path, revision: str, without: Sequence[str] = ()
) -> None:
    """Write a commit and what it is made from, `without` commits that the receiver has.

    CrivoError: the history isn't whole here.
    """
    if repository.shallow:
        raise CrivoError(
            "Workers get the project's history, and this clone has only a part of it; run `git "
            "fetch --unshallow` first."
        )
    ref = f"{SENDING}/{uuid4().hex}"
    repository.git("update-ref", ref, revision)
    try:
        excluded = [f"^{one}" for one in without]
        repository.git("bundle", "create", "--quiet", str(place), ref, *excluded)
    finally:
        repository.git("update-ref", "-d", ref)


def read_bundle(repository: Repository, place: Path, ref: str) -> None:
    """Bring the commit of a bundle under a name that isn't taken; CrivoError when it is."""
    (head,) = repository.lines("bundle", "list-heads", str(place))
    repository.git("fetch", *QUIET, str(place), f"{head.partition(' ')[2]}:{ref}")


def repository_from(place: Path, folder: Path, prefix: str) -> Repository:
    """Make a repository in a folder from a bundle, with the bundle's commit checked out."""
    repository = Repository(folder, prefix)
    folder.mkdir(parents=True, exist_ok=True)
    repository.git("init", "--quiet")
    read_bundle(repository, place, SENT)
    repository.git("checkout", "--quiet", "--detach", SENT)
    return repository
