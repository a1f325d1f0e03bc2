"""The git remotes of a clone: which experiments they have, and sending them there."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crivo.core.errors import CrivoError
from crivo.repository.commits import EXPERIMENTS, KEPT
from crivo.repository.git import Repository

# A remote that asks for a password would wait for a human; ssh gives up on one that is silent.
UNATTENDED = {"GIT_TERMINAL_PROMPT": "0"}
SSH = "ssh -o BatchMode=yes -o ConnectTimeout=10"
# How often, and after how many seconds, a push that met another one at the remote is tried again.
TRIES, PAUSE = 4, 0.5
MET_ANOTHER = ("cannot lock ref", "failed to update ref")
# What git says of references that a server would take, but can't write.
NOT_SET = (*MET_ANOTHER, "unpacker error")


@dataclass(frozen=True)
class GitRemote:
    """A git remote by its name; `environment`: variables for the commands of git that reach it."""

    repository: Repository
    name: str
    environment: Mapping[str, str] = field(default_factory=dict)

    def references(self, *patterns: str) -> dict[str, str]:
        """Return what its references that fit a pattern point to."""
        lines = self._ask("ls-remote", "--quiet", self.name, *patterns).splitlines()
        return {ref: found for found, ref in (line.split("\t") for line in lines)}

    def fetch(self, refs: Sequence[str]) -> None:
        """Fetch references under their own names."""
        if refs:
            # One that is written over is no commit, which git needs no leave for.
            options = ("--quiet", "--no-tags", "--no-prune", "--no-write-fetch-head", "--stdin")
            given = "".join(f"{ref}:{ref}\n" for ref in refs)
            self._ask("fetch", *options, self.name, given=given)

    def has(self, ref: str, revision: str) -> bool:
        """Whether it has an experiment; CrivoError when it has another one of that name."""
        found = self.references(ref).get(ref)
        if found in (None, revision):
            return found is not None
        name = ref.rpartition("/")[2]
        raise CrivoError(
            f"{self.name} has another experiment {name}, started from the same commit; give this "
            f"one a different name with `dvc exp rename {name} NEW`, and share it."
        )

    def send_trials(self) -> int:
        """Send the kept references of all trials, and return how many of them are there now."""
        self.push(f"{KEPT}/*:{KEPT}/*")
        there = self.references(f"{KEPT}/*")
        here = self.repository.hashes(there)
        return sum(here[ref] == revision for ref, revision in there.items())

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

    def _ask(self, *arguments: str, given: str = "") -> str:
        try:
            return self.repository.git(*arguments, environment=self.environment, given=given)
        except CrivoError as error:
            said = str(error).partition("failed: ")[2].splitlines()
            told = (line.removeprefix("remote:").strip(" .=") for line in said)
            words = next((line for line in told if line and not line.startswith("To ")), "")
            if "[remote rejected]" in str(error) and not any(one in str(error) for one in NOT_SET):
                raise CrivoError(
                    f"The server of {self.name} refuses {EXPERIMENTS} or {KEPT} ({words}); ask "
                    "whoever runs it to accept such references, or name another git remote."
                ) from error
            raise CrivoError(
                f"The git remote {self.name} can't be used: {words}; check its name "
                "and address (`git remote -v`) and your access, then run this again."
            ) from error


def remotes(repository: Repository) -> list[GitRemote]:
    """Return all git remotes of a clone, to be asked without a human who answers them."""
    own = os.environ.get("GIT_SSH_COMMAND")
    own = own or repository.git("config", "core.sshCommand", check=False)
    environment = UNATTENDED | ({} if own else {"GIT_SSH_COMMAND": SSH})
    return [GitRemote(repository, name, environment) for name in repository.git("remote").split()]


def shared_experiments(repository: Repository) -> tuple[frozenset[str], str]:
    """Return the commits of the experiments that the git remotes have, and which can't be asked."""
    found: set[str] = set()
    silent = []
    for git in remotes(repository):
        try:
            found |= {*git.references(f"{EXPERIMENTS}/*").values()}
        except CrivoError:
            silent.append(git.name)
    if not silent:
        return frozenset(found), ""
    note = f"{' and '.join(silent)} can't be reached: experiments that are shared there stay there"
    return frozenset(found), f"{note}, and may be removed here."
