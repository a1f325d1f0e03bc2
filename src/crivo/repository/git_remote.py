"""The git remote of a clone: whether it has an experiment, and sending it there."""

from __future__ import annotations

import time
from dataclasses import dataclass

from crivo.core.errors import CrivoError
from crivo.repository.commits import EXPERIMENTS, KEPT
from crivo.repository.git import Repository

# What a colleague fetches to count the same trials.
SHARED = "refs/crivo/*:refs/crivo/*"
# A remote that asks for a password would wait for a human; ssh gives up on one that is silent.
UNATTENDED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=10",
}
# How often, and after how many seconds, a push that met another one at the remote is tried again.
TRIES, PAUSE = 4, 0.5
MET_ANOTHER = ("cannot lock ref", "failed to update ref")


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

    def send_trials(self) -> int:
        """Send the kept references of all trials, and return how many of them are there now."""
        self.push(f"{KEPT}/*:{KEPT}/*")
        there = {*self._ask("ls-remote", "--quiet", self.name, f"{KEPT}/*").splitlines()}
        form = "--format=%(objectname)%09%(refname)"
        return len(there & {*self.repository.lines("for-each-ref", form, KEPT)})

    def takes(self, *specs: str) -> bool:
        """Send references, and say whether it took them."""
        try:
            self.push(*specs)
        except CrivoError:
            return False
        return True

    def published(self, path: str) -> bool:
        """Whether it is known to have the last commit that changed a file of the project."""
        log = ("log", "-1", "--format=%H", "HEAD", "--", self.repository.prefix + path)
        commit = self.repository.git(*log).strip()
        within = ("for-each-ref", "--count=1", f"--contains={commit}", f"refs/remotes/{self.name}")
        return bool(commit and self.repository.git(*within))

    def push(self, *specs: str) -> None:
        """Send references; CrivoError when it doesn't take them.

        Git refuses those that another push sets at the same moment, so these are tried again.
        """
        for left in reversed(range(TRIES)):
            try:
                self._ask("push", "--quiet", self.name, *specs)
                return
            except CrivoError as error:
                met = any(words in str(error.__cause__) for words in MET_ANOTHER)
                if not (left and met):
                    raise
                time.sleep(PAUSE)

    def _ask(self, *arguments: str) -> str:
        try:
            return self.repository.git(*arguments)
        except CrivoError as error:
            words = str(error).partition("failed: ")[2].splitlines()
            raise CrivoError(
                f"The git remote {self.name} can't be used: {words[0].rstrip('.')}; look at its "
                "address (`git remote -v`) and your access, and share again."
            ) from error


def shared_experiments(repository: Repository) -> tuple[frozenset[str], str]:
    """Return the commits of the experiments that git's remotes have, and which can't be asked."""
    found: set[str] = set()
    silent = []
    for name in repository.git("remote").split():
        try:
            text = repository.git(
                "ls-remote", "--quiet", name, f"{EXPERIMENTS}/*", environment=UNATTENDED
            )
        except CrivoError:
            silent.append(name)
            continue
        found |= {line.split("\t")[0] for line in text.splitlines()}
    if not silent:
        return frozenset(found), ""
    note = f"{' and '.join(silent)} can't be asked now: what is shared there stays there"
    return frozenset(found), f"{note}, and may be removed here."
