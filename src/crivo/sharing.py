"""`crivo share`: uploads an experiment's data, then its reference in git, and checks both."""

from __future__ import annotations

from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.counted import COMMIT
from crivo.records.exchange import send_ledger
from crivo.records.history import History, keep_trials, read_history, reference
from crivo.repository.dvc_project import open_dvc
from crivo.repository.dvc_remote import contents, find_storage, notes_on_configuration, store_raw
from crivo.repository.git_remote import GitRemote


@result
class Shared:
    """An experiment that was completely uploaded to a git remote and a DVC remote."""

    name: str
    """The experiment."""
    ref: str
    """The experiment's reference in git."""
    git_remote: str
    """The git remote."""
    storage: str
    """The DVC remote."""
    url: str
    """The address of the DVC remote."""
    files: int
    """The number of the experiment's stored files."""
    size: int
    """Their size in bytes."""
    uploaded: int
    """How many of these files the remote lacked."""
    notes: tuple[str, ...] = ()
    """What else a colleague must do."""
    trials: int = 0
    """The number of trials on the git remote; whoever fetches them counts them, too."""


def share(
    name: str, *, remote: str | None = None, git_remote: str = "origin", folder: Path = Path()
) -> Shared:
    """Push an experiment's reference and all its data, and check that both arrived.

    `remote` is a DVC remote, the default one unless named. What was sent is read back; other
    files are compared by their size. The reference goes last, so that it never names data that
    are missing. CrivoError says what would be missing on the other side.
    """
    history = read_history(folder)
    record = history.find(name)
    if not record.origin.trial:
        raise CrivoError(
            f"{name} is a commit, not an experiment; share it with `dvc push` and `git push` while "
            "its branch is checked out."
        )
    git = GitRemote(history.repository, git_remote)
    repo = open_dvc(history.repository.project)
    storage = find_storage(repo, remote)
    revision, ref = record.origin.revision, reference(record)
    notes = notes_on_configuration(storage, history.repository, revision)
    git.has(ref, revision)
    store_raw(repo)
    files = contents(repo, revision, record.name)
    uploaded = 0
    for own in {one.remote for one in files}:  # an output may name a remote of its own
        part = [one for one in files if one.remote == own]
        uploaded += (find_storage(repo, own) if own else storage).send(part, record.name)
    keep_trials(history)
    trials = git.send_trials()
    send_ledger(git)
    _send_reference(git, ref, revision, record.name)
    notes += _not_taken(git, history, trials)
    if history.count_on():
        notes.append(COMMIT)
    places = {storage.cached(file) for file in files}
    return Shared(
        name=record.name,
        ref=ref,
        git_remote=git_remote,
        storage=storage.name,
        url=storage.url,
        files=len(files),
        size=sum(place.stat().st_size for place in places if place.exists()),
        uploaded=uploaded,
        notes=tuple(notes),
        trials=trials,
    )


def _send_reference(git: GitRemote, ref: str, revision: str, name: str) -> None:
    """Push an experiment's reference, unless it is there; CrivoError when it isn't kept."""
    if not git.has(ref, revision):
        git.push(f"{ref}:{ref}")
    if not git.has(ref, revision):
        raise CrivoError(
            f"{git.name} accepted {name} but doesn't have it: its server drops references below "
            "refs/exps; ask whoever runs it, or name another git remote with --git-remote."
        )


def _not_taken(git: GitRemote, history: History, there: int) -> list[str]:
    """Return what a colleague won't have, in sentences."""
    trials = len(history.kept | {one.origin.revision for one in history.trials})
    if there >= trials:
        return []
    return [
        f"{git.name} keeps {there} of {trials} trials, because its server drops references "
        "below refs/crivo: a colleague has neither their numbers nor notes and stars. Ask "
        "whoever runs it."
    ]
