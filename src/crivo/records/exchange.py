"""Exchange between clones through git remotes: experiments, counted trials, ledgers.

What others sent is fetched where it is missing, and nothing of this clone is written over. A ledger
has one writer: another clone's is fetched anew, and a clone that was copied takes a new name.
"""

from __future__ import annotations

import logging
import re
from contextlib import suppress

from crivo.core.errors import CrivoError
from crivo.core.wording import a_few, counted
from crivo.records.ledger import own_ledger, take_new_name
from crivo.repository.commits import EXPERIMENTS, KEPT, LEDGERS
from crivo.repository.git import Repository
from crivo.repository.git_remote import GitRemote, remotes

log = logging.getLogger(__name__)

OURS = "refs/crivo"
# Below `EXPERIMENTS` DVC keeps its own business, too.
EXPERIMENT = re.compile(rf"{EXPERIMENTS}/[0-9a-f]{{2}}/[0-9a-f]{{38,62}}/([^/]+)")
NAMED = 5


def fetch_shared(repository: Repository, *starts: str) -> list[str]:
    """Fetch what others shared from all git remotes, and say what came.

    `starts`: where it lies, such as `refs/crivo/trials`; experiments and all of crivo's unless
    given. A remote that can't be asked is a warning.
    """
    said = []
    for git in remotes(repository):
        try:
            said.append(_fetch(git, starts or (EXPERIMENTS, OURS)))
        except CrivoError as error:
            log.warning("What others shared wasn't fetched. %s", error)
    return [sentence for sentence in said if sentence]


def _fetch(git: GitRemote, starts: tuple[str, ...]) -> str:
    found = git.references(*(f"{start}/*" for start in starts))
    there = {ref: one for ref, one in found.items() if ref.startswith(OURS) or _experiment(ref)}
    here = git.repository.hashes(there)
    own, _ = own_ledger(git.repository)
    new = [ref for ref in there if here[ref] is None]
    others = [ref for ref in there if here[ref] not in (None, there[ref])]
    git.fetch([*new, *(ref for ref in others if ref.startswith(f"{LEDGERS}/") and ref != own)])
    experiments = [name for name in map(_experiment, new) if name]
    said = []
    if trials := sum(ref.startswith(f"{KEPT}/") for ref in new) or len(experiments):
        names = f" ({a_few(experiments, NAMED)})" if experiments else ""
        said.append(
            f"{counted(len(experiments), 'experiment')}{names} came from {git.name}, and the "
            f"number of trials is {trials} higher from now on."
        )
    if names := a_few([name for name in map(_experiment, others) if name], NAMED):
        said.append(
            f"{git.name} has other experiments with your names ({names}), which were not fetched; "
            "rename yours with `dvc exp rename`, and fetch again."
        )
    return " ".join(said)


def _experiment(ref: str) -> str:
    """Return the name of an experiment by its reference; empty for what is none."""
    found = EXPERIMENT.fullmatch(ref)
    return found[1] if found else ""


def send_ledger(git: GitRemote) -> None:
    """Send this clone's ledger; where another clone wrote below its name, it takes a new one."""
    repository = git.repository
    ref, text = own_ledger(repository)
    there = git.references(ref).get(ref, "")
    if there and not text.startswith(_text(repository, there)):
        take_new_name(repository)
        (ref, text), there = own_ledger(repository), ""
    if text:
        blob = repository.git("hash-object", "-w", "--stdin", given=text).strip()
        with suppress(CrivoError):  # a server may take no references but branches
            git.push(f"--force-with-lease={ref}:{there}", f"{blob}:{ref}")
            # So git keeps it, and the remote's copy is known as this clone's.
            repository.git("update-ref", ref, blob)


def _text(repository: Repository, blob: str) -> str:
    """Return what was sent as a ledger; no ledger begins with what a clone has never had."""
    (found,) = repository.objects([blob])
    return found.content.decode(errors="replace") if found else "\0"


def tell_shared(repository: Repository) -> None:
    """Send the trials that are known by now to the remotes where this clone shared before."""
    ref, _ = own_ledger(repository)
    if not repository.hashes([ref])[ref]:
        return
    for git in remotes(repository):
        try:
            if git.references(ref):
                git.send_trials()
                send_ledger(git)
        except CrivoError as error:
            log.warning("Others don't know of this yet; `crivo share` tells them. %s", error)


def unknown_trials(repository: Repository) -> str:
    """Say that trials can't be known which no branch carries, in a clone that has none."""
    known = repository.git("for-each-ref", "--count=1", EXPERIMENTS, KEPT)
    if known or not remotes(repository):
        return ""
    return (
        "This clone has no experiments, so trials that its branches don't carry aren't counted. "
        "`crivo fetch` fetches the shared trials."
    )
