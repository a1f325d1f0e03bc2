"""What a search did, kept in git beside the references that keep its trials.

A reference for each search points to a text: nothing is committed, and `git fetch origin
'refs/crivo/*:refs/crivo/*'` brings a colleague's.
"""

from __future__ import annotations

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

SEARCHES = "refs/crivo/searches"


def begin_search(repository: Repository, name: str) -> bool:
    """Take a name for a search, with no text yet; return False when another process has it."""
    blob = repository.write_blob("{}\n")
    try:
        repository.update_references([f"create {SEARCHES}/{name} {blob}"])
    except CrivoError:
        if name in kept_searches(repository):
            return False
        raise
    return True


def keep_search(repository: Repository, name: str, text: str) -> None:
    """Keep a search's text under its name, in place of what was kept before."""
    repository.git("update-ref", f"{SEARCHES}/{name}", repository.write_blob(f"{text}\n"))


def pack_objects(repository: Repository) -> None:
    """Have git pack what a long search has written, if by git's own rule (`gc.auto`) it is much.

    Each trial writes about 17 objects. Where git can't pack them now, nothing is lost.
    """
    repository.git("gc", "--auto", "--quiet", check=False)


def kept_searches(repository: Repository) -> dict[str, str]:
    """Return the texts of all searches by their names."""
    found = repository.texts_below(SEARCHES)
    return {name: text.decode(errors="replace") for name, text in found.items()}
