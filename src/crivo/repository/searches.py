"""What a search did, kept in git beside the references that keep its trials.

A reference for each search points to a text: nothing is committed, and `git fetch origin
'refs/crivo/*:refs/crivo/*'` brings a colleague's. Its name ends in a mark that no other search
has, as two people may give theirs one name, and a fetch would put one in the other's place.
"""

from __future__ import annotations

from typing import NamedTuple

from crivo.repository.git import Repository

SEARCHES = "refs/crivo/searches"


class Key(NamedTuple):
    """A search by its name and its mark; those from before there were marks have none."""

    name: str
    mark: str

    def __str__(self) -> str:
        """The last part of its reference."""
        return f"{self.name}@{self.mark}" if self.mark else self.name


def keep_search(repository: Repository, key: Key, text: str) -> None:
    """Keep a search's text, in place of what was kept of it before."""
    repository.git("update-ref", f"{SEARCHES}/{key}", repository.write_blob(f"{text}\n"))


def pack_objects(repository: Repository) -> None:
    """Have git pack what a long search has written, if by git's own rule (`gc.auto`) it is much.

    Each trial writes about 17 objects. Where git can't pack them now, nothing is lost.
    """
    repository.git("gc", "--auto", "--quiet", check=False)


def kept_searches(repository: Repository) -> dict[Key, str]:
    """Return the texts of all searches."""
    found = {}
    for name, text in repository.texts_below(SEARCHES).items():
        first, _, mark = name.partition("@")
        found[Key(first, mark)] = text.decode(errors="replace")
    return found
