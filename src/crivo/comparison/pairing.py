"""Pairs an experiment with its reference, evaluated alike, or refuses and says why."""

from __future__ import annotations

from dataclasses import dataclass

from crivo.core.errors import CrivoError
from crivo.records.cached import Store, evaluate_again, on_shared_rows
from crivo.records.comparability import (
    Refusal,
    is_part,
    other_definition,
    other_measured,
    other_rows,
    refused_part,
    stopped_early,
    unknown,
)
from crivo.records.record import Record


@dataclass(frozen=True)
class Pair:
    """A record and its reference, evaluated on the same rows by the same definition.

    `rows` is the fingerprint of the rows that the reference was evaluated on; `shared` tells that
    the two are evaluated on a part of them, which `note` tells; `again`: that the stored
    predictions had to be evaluated again.
    """

    record: Record
    reference: Record
    rows: str
    shared: bool = False
    note: str = ""
    again: bool = False

    @property
    def itself(self) -> bool:
        """Whether the record is its own reference."""
        return self.record.origin.revision == self.reference.origin.revision


def pair(
    record: Record, reference: Record | None, store: Store, common_rows: bool
) -> Pair | Refusal:
    """Return a record beside its reference, or why it can't be compared."""
    if reference is None:
        return Refusal("its parent is not in this clone", "name a reference: --against REV")
    if refusal := unknown(record):
        return refusal
    if refusal := unknown(reference):
        reason = f"{reference.name}, its reference, has its {refusal.reason}"
        return Refusal(reason, "name another reference: --against REV")
    if refusal := _not_whole(record, reference):
        return refusal
    if refusal := other_rows(record, reference):
        if common_rows and record.split == reference.split:
            return _on_shared_rows(record, reference, store)
        return refusal
    if other_definition(record, reference):
        return _evaluated_again(record, reference, store)
    if refusal := other_measured(record, reference):
        return refusal
    return Pair(record, reference, reference.about["rows"])


def _not_whole(record: Record, reference: Record) -> Refusal | None:
    parts = [refused_part(one) for one in (record, reference) if is_part(one)]
    return parts[0] if parts else stopped_early(record, reference)


def _on_shared_rows(record: Record, reference: Record, store: Store) -> Pair | Refusal:
    try:
        shared = on_shared_rows(store, record, reference)
    except CrivoError as error:
        return Refusal("other rows", str(error).rstrip("."))
    note = shared.sentence(reference.about["primary"])
    return Pair(shared.record, shared.reference, reference.about["rows"], True, note)


def _evaluated_again(record: Record, reference: Record, store: Store) -> Pair | Refusal:
    """Evaluate the record's stored predictions as today's code and the reference's settings say."""
    rows = reference.about["rows"]
    try:
        again = evaluate_again(store, record, reference.settings)
        if other_definition(again, reference):
            reference = evaluate_again(store, reference, reference.settings)
    except CrivoError as error:
        return Refusal("its metrics were defined differently", str(error).rstrip("."))
    return Pair(again, reference, rows, again=True)
