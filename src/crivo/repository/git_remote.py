"""The git remote of a clone: whether it has an experiment, and sending it there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository


@dataclass(frozen=True)
class GitRemote:
    """A git remote by its name; CrivoError when the clone has none of that name."""

    repository: Repository
    name: str

    def __post_init__(self) -> None:
        known = self.repository.git("remote").split()
        if self.name not in known:
            there = f"there is: {', '.join(known)}" if known else "this clone has none"
            raise CrivoError(
                f"There is no git remote {self.name!r}, {there}; add one with "
                f"`git remote add {self.name} ADDRESS`, or name another with --git-remote."
            )

    def has(self, ref: str, revision: str) -> bool:
        """Whether it has an experiment; CrivoError when it has another one of that name."""
        line = self._ask("ls-remote", "--quiet", self.name, ref).split()
        if not line or line[0] == revision:
            return bool(line)
        name = ref.rpartition("/")[2]
        raise CrivoError(
            f"{self.name} has another experiment {name}, started from the same commit; give this "
            f"one a name of its own with `dvc exp rename {name} NEW`, and share that."
        )

    def send(self, ref: str, revision: str) -> None:
        """Send an experiment there; another who sends the same at this moment does it as well."""
        try:
            self._ask("push", "--quiet", self.name, f"{ref}:{ref}")
        except CrivoError:
            if not self.has(ref, revision):
                raise

    def send_notes(self, refs: Sequence[str]) -> bool:
        """Send references that are never written over, and say whether it took them."""
        try:
            if refs:
                self._ask("push", "--quiet", self.name, *(f"{ref}:{ref}" for ref in refs))
        except CrivoError:
            return False
        return True

    def published(self, path: str) -> bool:
        """Whether it is known to have the last commit that changed a file of the project."""
        log = ("log", "-1", "--format=%H", "HEAD", "--", self.repository.prefix + path)
        commit = self.repository.git(*log).strip()
        within = ("for-each-ref", "--count=1", f"--contains={commit}", f"refs/remotes/{self.name}")
        return bool(commit and self.repository.git(*within))

    def _ask(self, *arguments: str) -> str:
        try:
            return self.repository.git(*arguments)
        except CrivoError as error:
            words = str(error).partition("failed: ")[2].splitlines()
            raise CrivoError(
                f"The git remote {self.name} can't be used: {words[0].rstrip('.')}; look at its "
                "address (`git remote -v`) and your access, and share again."
            ) from None
