"""What each trial took, kept in git beside the references that keep the trials themselves.

A reference for each trial points to a number: nothing is committed, two trials that end at once
don't meet, and `git fetch origin 'refs/crivo/*:refs/crivo/*'` brings a colleague's.
"""

from __future__ import annotations

from contextlib import suppress

from crivo.repository.git import Repository

COSTS = "refs/crivo/costs"


def keep_seconds(repository: Repository, revision: str, seconds: float) -> None:
    """Keep how many seconds the trial took that a commit records."""
    blob = repository.write_blob(f"{seconds:.3f}\n")
    repository.git("update-ref", f"{COSTS}/{revision}", blob)


def kept_seconds(repository: Repository) -> dict[str, float]:
    """Return the seconds of each trial whose cost is kept, by the commit that records it."""
    found = {}
    for revision, text in repository.texts_below(COSTS).items():
        with suppress(ValueError):
            found[revision] = float(text)
    return found
