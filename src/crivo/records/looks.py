"""Counts the looks at the test rows: the experiments and commits evaluated on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from crivo.core.results import result
from crivo.records.history import History
from crivo.records.record import usable


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


def looks_in(history: History) -> list[Look]:
    """Return each known look at the test rows, the oldest first: who opened them, when, with what.

    The number is a lower bound: looks in other clones that were never pushed aren't known.
    """
    known = (*history.trials, *history.removed)
    opened = [record for record in known if record.split == "test"]
    seen = {record.predictions for record in opened}
    commits = [record for record in reversed(history.commits) if record.split == "test"]
    # A commit that keeps an experiment's result, or another commit's, is the same look.
    once = {record.predictions: record for record in commits}
    opened += [record for record in once.values() if record.predictions not in seen]
    opened.sort(key=lambda record: (record.origin.seconds, record.name))
    return [
        Look(
            one.name,
            one.origin.author,
            one.origin.when,
            one.about["rows"] if usable(one) else None,
            one.predictions,
        )
        for one in opened
    ]


def looks_sentence(looks: Sequence[Look]) -> str:
    """Return the looks as a sentence: how many at least, and by whom.

    The same predictions show nothing new, so they count once.

    >>> looks_sentence([])
    'Nobody has looked at the test rows, as far as this clone knows.'
    """
    if not looks:
        return "Nobody has looked at the test rows, as far as this clone knows."
    first = {one.predictions: one.author for one in reversed(looks)}
    times = {1: "once", 2: "twice"}.get(len(first), f"{len(first)} times")
    people = Counter(reversed(first.values())).most_common()
    by = people[0][0] if len(people) == 1 else ", ".join(f"{name} {n}" for name, n in people)
    return f"The test rows have been opened at least {times} (by {by})."
