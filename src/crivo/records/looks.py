"""Looks at the test rows: counts the experiments and commits evaluated on them."""

from __future__ import annotations

from datetime import datetime

import pandas as pd

from crivo.core.results import result, table_of
from crivo.records.history import History
from crivo.records.record import Record, usable


@result
class Look:
    """A known look at the test rows."""

    name: str
    """The experiment or commit that looked."""
    author: str
    """The person who looked."""
    when: datetime
    """When they looked, in UTC."""
    rows: str | None
    """The fingerprint of the rows; null if it is lost."""
    predictions: str
    """The hash of the predictions."""


def looks_in(history: History) -> pd.DataFrame:
    """Return each known look at the test rows, the oldest first: who opened them, when, with what.

    The number is a lower bound: looks in other clones that were never pushed aren't known.
    """
    known = (*history.trials, *history.removed)
    opened = [record for record in known if record.split == "test"]
    seen = {record.predictions for record in opened}
    for record in (*history.tips, *history.older):
        # A commit that keeps an experiment's result is the same look.
        if record.split == "test" and record.predictions not in seen:
            seen.add(record.predictions)
            opened.append(record)
    opened.sort(key=lambda record: (record.origin.seconds, record.name))
    return table_of(Look, [_look(record) for record in opened])


def _look(record: Record) -> Look:
    rows = record.about["rows"] if usable(record) else None
    origin = record.origin
    return Look(record.name, origin.author, origin.when, rows, record.predictions)


def looks_sentence(looks: pd.DataFrame) -> str:
    """Return the looks as a sentence: how many at least, and by whom.

    The same predictions show nothing new, so they count once.

    >>> looks_sentence(table_of(Look, []))
    'Nobody has looked at the test rows, as far as this clone knows.'
    """
    if looks.empty:
        return "Nobody has looked at the test rows, as far as this clone knows."
    looks = looks.drop_duplicates("predictions")
    times = {1: "once", 2: "twice"}.get(len(looks), f"{len(looks)} times")
    people = [f"{name} {count}" for name, count in looks["author"].value_counts().items()]
    by = looks["author"].iloc[0] if len(people) == 1 else ", ".join(people)
    return f"The test rows have been opened at least {times} (by {by})."
