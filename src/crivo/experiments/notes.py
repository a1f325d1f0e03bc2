"""What a reader must know beside a comparison's table, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from crivo.experiments.choice import Choice
from crivo.experiments.history import History
from crivo.experiments.looks import looks_sentence
from crivo.experiments.naming import is_fold, without_fold
from crivo.experiments.pairing import Pair
from crivo.experiments.parts import is_part
from crivo.repository.git_remote import SHARED


def notes_of(
    history: History,
    choice: Choice,
    pairs: Sequence[Pair],
    looks: pd.DataFrame,
    planned: str | None,
    everything: bool,
) -> list[str]:
    """Return what a reader must know beside the table."""
    notes = [choice.note, _chosen(choice, pairs), *(one.note for one in pairs)]
    again = [one.record.name for one in pairs if one.again]
    if again:
        notes.append(
            f"Evaluated again, because their metrics were defined differently: {_list(again)}."
        )
    if planned:
        notes.append(f"The correction counts the named experiments only: {planned.strip()}.")
    if everything:
        notes += _unlisted(history, looks)
    if not looks.empty or any(one.reference.split == "test" for one in pairs):
        notes.append(looks_sentence(looks))
    notes.append(_not_counted(history, pairs))
    if history.shallow:
        notes.append(
            "This clone is shallow: older trials and looks at the test rows may be missing from "
            "the counts; `git fetch --unshallow` fetches them."
        )
    return [note for note in notes if note]


def _chosen(choice: Choice, pairs: Sequence[Pair]) -> str:
    """Say that the reference was chosen by its result, if there is one for all and it was."""
    references = {one.reference.predictions: one.reference for one in pairs}
    if len(references) != 1:
        return ""
    (reference,) = references.values()
    count = len(choice.among_of(reference))
    if count < 2:
        return ""
    return (
        f"{reference.name} counts as chosen among {count} models on these rows, so each trial is "
        "compared with all of them."
    )


def _not_counted(history: History, pairs: Sequence[Pair]) -> str:
    """Say that trials may be missing that were made where an experiment comes from."""
    names = [
        one.record.name
        for one in pairs
        if one.record.origin.trial and one.record.origin.revision not in history.kept
    ]
    remotes = history.repository.git("remote").split() if names else []
    if not remotes:
        return ""
    remote = "origin" if "origin" in remotes else remotes[0]
    return (
        f"If you fetched {_list(names)}, trials on these rows may be missing from the count; "
        f"`git fetch {remote} '{SHARED}'` fetches those that were shared. You then get the same "
        "answer."
    )


def _list(names: Sequence[str], most: int = 4) -> str:
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def _unlisted(history: History, looks: pd.DataFrame) -> list[str]:
    """Say which experiments were left out, when all were asked for."""
    notes = []
    folds = {without_fold(one.name) for one in history.trials if is_fold(one.name)}
    if folds:
        notes.append(
            f"Folds of {_list(sorted(folds))} aren't listed, because each fold has other rows; "
            "`crivo repeat REV --folds N` summarises them."
        )
    parts = sum(is_part(one) for one in history.trials)
    if parts:
        notes.append(
            f"{parts} on parts of the training rows aren't listed and don't count as trials; "
            "`crivo plan NAME --learning-curve` shows them."
        )
    if not looks.empty:
        notes.append(f"{len(looks)} evaluated on test rows aren't listed: test rows don't choose.")
    return notes
