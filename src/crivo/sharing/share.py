"""Shares an experiment: its data first, then its reference in git, then the proof of both."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.experiments.history import History, keep_trials, read_history, reference
from crivo.experiments.records import Record
from crivo.repository.cache_raw import store_raw
from crivo.repository.dvc_project import open_dvc
from crivo.repository.dvc_remote import Lacking, Storage, find_storage
from crivo.repository.experiment_files import (
    Contents,
    StoredFile,
    check_readable,
    contents,
    lost,
    named,
)
from crivo.repository.git_remote import GitRemote
from crivo.repository.notes import note_refs
from crivo.repository.remote_config import CONFIG, Configured, configured

NOT_KEPT = (
    "{git} took {name} and doesn't have it: its server drops references below refs/exps; ask who "
    "runs it, or name another git remote with --git-remote."
)
COUNTED_LESS = (
    "{git} keeps {there} of {trials} trials, as its server drops references below refs/crivo: a "
    "colleague's comparison counts the others only if they are shared too; ask who runs it."
)


@dataclass(frozen=True)
class Shared:
    """An experiment that is wholly on a git remote and in a DVC remote.

    `files` and `size` (bytes) are all its stored files; `uploaded` counts those that the remote
    lacked. `notes` are sentences about what a colleague has to do besides. `trials`: how many
    trials a colleague can count, this one with them.
    """

    name: str
    ref: str
    git_remote: str
    storage: str
    url: str
    files: int
    size: int
    uploaded: int
    notes: tuple[str, ...] = ()
    trials: int = 0


def share(
    name: str,
    *,
    remote: str | None = None,
    git_remote: str = "origin",
    quick: bool = False,
    folder: Path = Path(),
) -> Shared:
    """Push an experiment's reference and all its data, and prove that both are there.

    `remote` is a DVC remote, the default one unless named. Every file is read back from it; with
    `quick` those that were there before are compared by their size. The reference goes last, so
    that it never names data that are missing. CrivoError says what would be missing on the other
    side.
    """
    history = read_history(folder)
    record = find_experiment(history, name)
    git = GitRemote(history.repository, git_remote)
    repo = open_dvc(history.repository.project)
    storage = find_storage(repo, remote)
    revision = record.origin.revision
    known = configured(git.repository, storage.name, revision, default=remote is None)
    ref = reference(record)
    git.has(ref, revision)
    check_readable(git.repository, revision, record.name)
    store_raw(repo)
    experiment_data = contents(repo, revision, record.name)
    places = by_storage(storage, experiment_data.files)
    lacking = {place: look(place, files, quick) for place, files in places.items()}
    uploaded = bring(lacking, record.name)
    prove(places, lacking, record.name)
    keep_trials(history)
    known_trials = len({one.origin.revision for one in (*history.trials, *history.removed)})
    trials = git.send_trials()
    send_reference(git, ref, revision, record.name)
    return Shared(
        name=record.name, ref=ref, git_remote=git_remote, storage=storage.name, url=storage.url,
        files=len({file.md5 for file in experiment_data.files}),
        size=total_size(storage, experiment_data.files),
        uploaded=uploaded,
        trials=trials,
        notes=(
            *notes(known, storage, experiment_data, git),
            *remarks(lacking, quick),
            *uncounted(git.name, trials, known_trials),
            *send_notes(git, revision),
        ),
    )  # fmt: skip


def send_reference(git: GitRemote, ref: str, revision: str, name: str) -> None:
    """Push an experiment's reference, unless it is there; CrivoError when it isn't kept."""
    if not git.has(ref, revision):
        git.send(ref, revision)
    if not git.has(ref, revision):
        raise CrivoError(NOT_KEPT.format(git=git.name, name=name))


def find_experiment(history: History, name: str) -> Record:
    """Return an experiment by its name; CrivoError for none, and for a commit."""
    record = history.find(name)
    if not record.origin.trial:
        raise CrivoError(
            f"{name} is a commit, not an experiment; share it with `dvc push` and "
            "`git push`, its branch being checked out."
        )
    return record


def by_storage(chosen: Storage, files: Sequence[StoredFile]) -> dict[Storage, list[StoredFile]]:
    """Return the files by the remote they go to: the chosen one, unless an output names its own."""
    places: dict[Storage, list[StoredFile]] = {}
    for file in files:
        place = find_storage(chosen.repo, file.remote) if file.remote else chosen
        places.setdefault(place, []).append(file)
    return places


def look(place: Storage, files: Sequence[StoredFile], quick: bool) -> Lacking:
    """Return what a remote lacks before anything is uploaded."""
    return place.lacking(files, () if quick else {file.md5 for file in files})


def bring(lacking: Mapping[Storage, Lacking], name: str) -> int:
    """Upload what the remotes lack, and return how many files that were."""
    missing = [
        file.path
        for place, lack in lacking.items()
        for file in lack.files
        if not place.cached(file).exists()
    ]
    if missing:
        raise CrivoError(lost(missing, name))
    for place, lack in lacking.items():
        place.upload(lack.files)
    return sum(len({file.md5 for file in lack.files}) for lack in lacking.values())


# How often, and after how many seconds, the remote is asked again for what did not arrive whole.
LOOKS, PAUSE = 4, 0.5


def prove(
    places: Mapping[Storage, Sequence[StoredFile]], lacking: Mapping[Storage, Lacking], name: str
) -> None:
    """Ask the remotes for every file again, and read what was uploaded.

    CrivoError when a file is not there, or has another content.
    """
    for place, files in places.items():
        uploaded = {file.md5 for file in lacking[place].files}
        absent = place.lacking(files, uploaded).files
        for _ in range(LOOKS):
            if absent:  # another share may be writing the same file at this moment
                time.sleep(PAUSE)
                absent = place.lacking(absent, {file.md5 for file in absent}).files
        if absent:
            paths = named([file.path for file in absent])
            raise CrivoError(
                f"{paths} did not arrive whole in {place.name} although no error was "
                "reported; look at the remote's free space, permissions and disk, and share "
                f"{name} again."
            )


def total_size(storage: Storage, files: Sequence[StoredFile]) -> int:
    """Return the size of the stored files that this clone's cache has."""
    places = {storage.cached(file) for file in files}
    return sum(place.stat().st_size for place in places if place.exists())


def remarks(lacking: Mapping[Storage, Lacking], quick: bool) -> list[str]:
    """Return what was found on the remotes, in sentences."""
    told = [
        f"{named([file.path for file in lack.damaged])} was damaged in {place.name}, and was "
        "uploaded again; look at its disk."
        for place, lack in lacking.items()
        if lack.damaged
    ]
    if quick:
        told.append("Files that were on the remote before were compared by their size (--quick).")
    return told


def uncounted(git: str, there: int, trials: int) -> list[str]:
    """Say that a git remote doesn't keep all trials that the comparison counts."""
    return [COUNTED_LESS.format(git=git, there=there, trials=trials)] if there < trials else []


def send_notes(git: GitRemote, revision: str) -> list[str]:
    """Send what people said of the experiment; return why a colleague won't have it."""
    refs = note_refs(git.repository, revision)
    if not refs or git.send_notes(refs):
        return []
    return [f"{git.name} didn't take its notes and its star: its server drops refs/crivo."]


def notes(
    known: Configured, storage: Storage, experiment_data: Contents, git: GitRemote
) -> list[str]:
    """Return what a colleague has to do or to know besides, in sentences."""
    add = f"`dvc remote add --local --default {storage.name} {storage.url}`"
    told = []
    if not known.committed:
        told.append(
            f"The remote {storage.name} is configured on this machine only: a colleague runs {add}."
        )
    elif not known.by_experiment:
        told.append(
            f"{storage.name} was configured after this experiment was recorded, and `dvc exp pull` "
            f"goes by the experiment's own configuration: before it a colleague runs {add}."
        )
    if known.committed and not git.published(CONFIG):
        told.append(
            f"The commit that configures {storage.name} is not on {git.name} yet: push its branch."
        )
    if experiment_data.kept_back:
        told.append(
            f"Not uploaded, because of `push: false`: {named(list(experiment_data.kept_back))}."
        )
    return told
