"""Chooses the experiments to compare and their references, and says which are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import cached_property

from crivo.comparison.families import chosen_among
from crivo.comparison.incumbent import incumbent_among, incumbent_record
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.records.cached import Store, evaluate_again
from crivo.records.comparability import (
    Refusal,
    is_part,
    other_definition,
    other_measured,
    other_rows,
    refused_part,
    unknown,
)
from crivo.records.history import History, reference
from crivo.records.record import Record, require, usable
from crivo.records.searches import made_by
from crivo.records.settings import plain
from crivo.repository.lock import flat

VERDICTS = ("better", "worse", "equivalent", "undecided", "identical")

SPAN = re.compile(r"(\d+) *(min|h|d|w)")
SPANS = {"min": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True)
class Filters:
    """Which experiments are selected: all that is given must hold.

    `where`: `key=value`, a setting or what else `--where` takes; `patterns`: of names, as a
    shell's. They choose what is shown or removed; all trials stay in the correction.
    """

    where: Sequence[str] = ()
    patterns: Sequence[str] = ()

    @cached_property
    def _given(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for text in self.where:
            key, _, value = text.partition("=")
            if not (key and value):
                raise CrivoError(f"--where is {text!r}; expected key=value.")
            found.setdefault(key, []).append(value)
        return found

    @property
    def verdicts(self) -> list[str]:
        """The verdicts to select once all are given; empty for any."""
        return self._given.get("verdict", [])

    def select(self, history: History, records: Iterable[Record]) -> list[Record]:
        """Return those of a history's records that are selected, whatever their verdict.

        CrivoError: no experiment has such a setting, no search that name, or a value is no time
        or verdict.
        """
        records = list(records)
        tests = [_test(key, values, history, records) for key, values in self._given.items()]
        if self.patterns:
            tests.append(self._is_named)
        return [one for one in records if all(test(one) for test in tests)]

    def _is_named(self, one: Record) -> bool:
        names = one.name, reference(one)
        return any(fnmatchcase(name, pattern) for name in names for pattern in self.patterns)


def _test(
    key: str, values: Sequence[str], history: History, records: Sequence[Record]
) -> Callable[[Record], bool]:
    """Return whether a record has what was given for a key; of several values the last counts."""
    value = values[-1]
    if key == "author":
        return lambda one: value.lower() in one.origin.author.lower()
    if key == "since":
        first = moment(value)
        return lambda one: one.origin.when >= first
    if key == "before":
        last = moment(value)
        return lambda one: one.origin.when <= last
    if key == "search":
        made = made_by(history.ledger, values)
        return lambda one: one.origin.revision in made
    if key == "verdict":
        if wrong := [word for word in values if word not in VERDICTS]:
            expected = ", ".join(VERDICTS)
            raise CrivoError(f"--where verdict is {wrong[0]!r}; expected one of {expected}.")
        return lambda one: True
    if records and not any(_values(one, key) for one in records):
        known = sorted({name for one in records for name in flat(one.settings)})
        hint = did_you_mean(key, known) or "."
        raise CrivoError(f"--where {key}: no experiment has such a setting{hint}")
    return lambda one: value in _values(one, key)


def _values(record: Record, key: str) -> list[str]:
    settings = flat(record.settings).items()
    return [plain(item) for name, item in settings if f".{name}".endswith(f".{key}")]


def moment(text: str) -> datetime:
    """Return the moment that a date (`2024-05-01`) or a span before now (`3d`, `2w`) means.

    >>> moment("2024-05-01") < moment("1w") < moment("3d") < moment("12h") < moment("30min")
    True
    """
    try:
        if span := SPAN.fullmatch(text):
            return datetime.now(UTC) - timedelta(**{SPANS[span[2]]: int(span[1])})
        timestamp = datetime.fromisoformat(text)
    except (ValueError, OverflowError):  # not a date, or farther away than there are dates
        raise CrivoError(
            f"{text!r} isn't a time; expected a date such as 2024-05-01, or 30min, 12h, 3d, 2w."
        ) from None
    return timestamp.astimezone()


@dataclass(frozen=True)
class Choice:
    """The candidates, what they are compared with, and a note on how that was chosen.

    `among`: the predictions of the models that the reference was chosen among, its own with them.
    """

    candidates: tuple[Record, ...]
    reference: Record
    among: frozenset[str]
    note: str


def choose(
    history: History, names: Sequence[str], *, against: str | None = None, as_named: bool = False
) -> Choice:
    """Return what is to be compared with what.

    Without names: all experiments, branches and tags that were evaluated on validation rows;
    test rows never choose. Without `against`, the reference is the incumbent; without one, the
    first of several names, or the commit that is checked out.
    `as_named`: the reference was named before any result on these rows was seen.
    """
    chosen = tuple(dict.fromkeys(history.find(name) for name in names))
    candidates = chosen or tuple(_open_to_choice(history))
    if not candidates:
        raise CrivoError(nothing_yet(history))
    reference, note = _reference(history, chosen, against)
    if not chosen and (own := reference.settings.get("dataset")):  # others can't be compared
        candidates = tuple(one for one in candidates if one.settings.get("dataset") in (None, own))
    among = frozenset([reference.predictions])
    if not as_named:
        kept = incumbent_among(history, reference) if against is None else None
        among = kept or chosen_among(history, reference)
    return Choice(candidates, reference, among, note)


def reference_of_trial(history: History, against: str | None = None) -> Record:
    """Return what a trial to come will be compared with; CrivoError when there is nothing."""
    return _reference(history, (), against)[0]


def nothing_yet(history: History) -> str:
    """Say that there is no experiment to compare, and how there can be one."""
    first = "" if history.commits else "run `dvc repro` and commit its results; then "
    text = f"There are no experiments to compare yet; {first}`crivo try key=value` makes one."
    if history.repository.git("remote"):
        text += " `crivo fetch` fetches those that were shared."
    if history.repository.shallow:
        text += " This clone is shallow; `git fetch --unshallow` fetches older commits."
    return text


def _open_to_choice(history: History) -> list[Record]:
    """Return what may be chosen: experiments by their names, then branches and tags.

    That is nothing evaluated on test rows, no fold, which has rows of its own, and no point
    of a learning curve.
    """
    # Git has them by the hashes of their parents.
    trials = sorted(history.trials, key=lambda one: (one.name, one.origin.seconds))
    return [
        record
        for record in (*trials, *history.tips)
        if record.split != "test" and record.kind != "fold" and not is_part(record)
    ]


def _reference(
    history: History, named: Sequence[Record], against: str | None
) -> tuple[Record, str]:
    if against is not None:
        return require(history.find(against)), ""
    incumbent = incumbent_record(history)
    if incumbent is not None:
        rows = {one.about["rows"] for one in named if usable(one)}
        if len(named) < 2 or incumbent.about["rows"] in rows:
            return require(incumbent), ""
    if len(named) > 1:
        note = f"The incumbent, {incumbent.name}, was evaluated on other rows" if incumbent else ""
        return require(named[0]), f"{note}; the reference is {named[0].name}." if note else ""
    head = history.find("HEAD")
    if [one.key for one in named] == [head.key]:  # it isn't compared with itself
        before = history.parent(head)
        if before is not None and usable(before):
            return before, f"The reference is {before.name}, from which {head.name} was made."
    if not usable(head):
        raise CrivoError(
            f"{head.name}, which is checked out, has no evaluation to compare with; "
            "name a reference with --against REV, or run `dvc repro` and commit its results."
        )
    return head, ""


@dataclass(frozen=True)
class Pair:
    """A record and its reference, evaluated on the same rows by the same definition.

    `again`: the stored predictions had to be evaluated again.
    """

    record: Record
    reference: Record
    again: bool = False

    @property
    def itself(self) -> bool:
        """Whether the record is its own reference."""
        return self.record.origin.revision == self.reference.origin.revision


def pair(record: Record, reference: Record, store: Store) -> Pair | Refusal:
    """Return a record beside its reference, a usable one, or why it can't be compared."""
    if refusal := unknown(record):
        return refusal
    for one in (record, reference):
        if is_part(one):
            return refused_part(one)
    if refusal := other_rows(record, reference):
        return refusal
    if other_definition(record, reference):
        return _evaluated_again(record, reference, store)
    if refusal := other_measured(record, reference):
        return refusal
    return Pair(record, reference)


def _evaluated_again(record: Record, reference: Record, store: Store) -> Pair | Refusal:
    """Evaluate the record's stored predictions as today's code and the reference's settings say."""
    try:
        again = evaluate_again(store, record, reference.settings)
        if other_definition(again, reference):
            reference = evaluate_again(store, reference, reference.settings)
    except CrivoError as error:
        return Refusal("its metrics were defined differently", str(error).rstrip("."))
    primary = reference.about["primary"]
    if primary not in again.measured_metrics:  # which metrics there are depends on the predictions
        return Refusal(
            f"its predictions don't give {primary}, the primary metric of {reference.name}",
            "compare only models that give probabilities, or choose a primary metric that labels "
            "give, too (evaluators.standard.primary: accuracy)",
        )
    return Pair(again, reference, again=True)
