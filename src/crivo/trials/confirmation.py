"""`crivo confirm`: evaluates a chosen experiment on the test rows, and says if its gain held.

Its verdict allows for all experiments that were opened there.
"""

from __future__ import annotations

import logging
from pathlib import Path

from crivo.comparison.compare import compare
from crivo.comparison.result import ComparisonResult
from crivo.comparison.text import difference_text
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.records.counted import COMMIT
from crivo.records.exchange import fetch_shared, tell_shared
from crivo.records.history import History, keep_trials, read_history
from crivo.records.record import Record, usable
from crivo.records.settings import valid_name
from crivo.repository.commits import KEPT, LEDGERS
from crivo.repository.git import open_repository
from crivo.trials.plan import on_validation_rows
from crivo.trials.trial import Run, runs_of

log = logging.getLogger(__name__)

# The test rows' verdict -> what became of a gain that the validation rows showed.
FATE = {
    "better": "held",
    "equivalent": "too small to matter",
    "undecided": "not confirmed",
    "worse": "reversed",
    "identical": "identical",
}


@result
class Confirmed:
    """Whether a gain held on the test rows."""

    answer: str
    """The first line of the text output."""
    outcome: str
    """`held`, `too small to matter`, `not confirmed`, `reversed`, `identical` or `no gain to
    confirm`."""
    validation: ComparisonResult
    """The comparison on validation rows."""
    test: ComparisonResult
    """The comparison on test rows."""
    notes: tuple[str, ...] = ()
    """Further steps."""


def confirm(
    revision: str, *, against: str | None = None, anyway: bool, folder: Path = Path()
) -> Confirmed:
    """Evaluate a chosen experiment on the test rows, and say whether its gain held.

    Without a gain on the validation rows nothing is opened and CrivoError says so; `anyway` opens
    the test rows all the same, and that look counts like any other.

    The model is the one that was chosen, its code and settings are those it was made with, and
    the look at the test rows is on record as an experiment. The reference (the incumbent, or
    `against`) is opened there too when it never was. The correction counts every model that
    was ever opened on these rows. With `evaluate.refit` both models are fitted again on training
    and validation rows first.

    Models that others opened are fetched from the git remotes first; remotes where this clone has
    shared before are told of this one.
    """
    keep_trials(read_history(folder))  # before those that come now
    fetch_shared(open_repository(folder), KEPT, LEDGERS)  # what others opened counts
    history = read_history(folder)
    chosen, other, valid = on_validation_rows(history, revision, against, "confirm")
    refit = is_refitted(chosen)
    word = valid.candidates[0].verdict
    closed = any(on_test(history, one, refit) is None for one in (chosen, other))
    if closed and word != "better" and not anyway:
        raise CrivoError(
            f"{chosen.name} shows no gain over {other.name} on the validation rows (it is {word}), "
            "so the test rows were not opened: there is nothing to confirm. `--anyway` opens "
            "them, and that look counts."
        )
    opened, baseline = (_open(history, one, refit) for one in (chosen, other))
    history = read_history(folder)
    keep_trials(history)
    notes = (COMMIT,) if history.count_on() else ()
    tell_shared(history.repository)
    test = compare([opened], against=baseline, as_named=True, folder=folder)
    if not test.candidates:
        raise CrivoError(
            f"{chosen.name} and {other.name} can't be compared on test: "
            f"{' '.join(one.reason for one in test.refused) or 'they are the same model'}."
        )
    outcome = FATE[test.candidates[0].verdict] if word == "better" else "no gain to confirm"
    return Confirmed(_answer(valid, test, outcome), outcome, valid, test, notes)


def _answer(valid: ComparisonResult, test: ComparisonResult, outcome: str) -> str:
    """Return the first line: did the gain hold?"""
    models = "one model was" if test.trials == 1 else f"{test.trials} models were"
    return (
        f"{outcome}: {_shown(test)} vs {valid.reference} on test, {_shown(valid)} on validation; "
        f"{models} evaluated on these test rows besides {valid.reference}; "
        f"{test.rule(test.candidates[0])}"
    )


def _shown(comparison: ComparisonResult) -> str:
    (one,) = comparison.candidates
    return f"{one.verdict}, {comparison.primary} {difference_text(one)}"


def _open(history: History, record: Record, refit: bool) -> str:
    """Return the commit of a record's evaluation on test rows; run it if there is none."""
    known = on_test(history, record, refit)
    if known is not None:
        log.info("%s was evaluated on the test rows before: %s.", record.name, known.name)
        return known.origin.revision
    # Both alike, or the refit would be a part of the difference.
    changes = [] if is_refitted(record) == refit else [f"evaluate.refit={str(refit).lower()}"]
    changes = ["evaluate.split=test", *changes]
    run = Run("test", valid_name(f"{record.name}-test"), tuple(changes), "on the test rows")
    (look,) = runs_of(history, record, [run])
    return look.origin.revision


def is_refitted(record: Record) -> bool:
    """Whether a record's settings ask for a refit before the test rows are opened."""
    return bool((record.settings.get("evaluate") or {}).get("refit"))


def on_test(history: History, record: Record, refit: bool) -> Record | None:
    """Return the record of the same model, refitted or not, evaluated on the test rows, or None."""
    for one in history.records:
        same = record.model and one.model == record.model and is_refitted(one) == refit
        if one.split == "test" and same and usable(one):
            return one
    return None
