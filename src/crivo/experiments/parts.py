"""Experiments on a part of the training rows: points of a learning curve, and no candidates."""

from __future__ import annotations

from crivo.experiments.comparability import Refusal
from crivo.experiments.records import Record


def fraction_of(record: Record) -> float:
    """Return the fraction of the training rows that a record's model was fitted on."""
    value = (record.settings.get("train") or {}).get("fraction", 1.0)
    return float(value) if isinstance(value, int | float) else 1.0


def is_part(record: Record) -> bool:
    """Whether a record is a point of a learning curve: no trial, and never the best."""
    return fraction_of(record) < 1


def refused_part(record: Record) -> Refusal:
    """Return why such a record isn't compared."""
    return Refusal(
        f"its model was fitted on {fraction_of(record):g} of the training rows, as a point of a "
        "learning curve",
        "`crivo plan NAME --learning-curve` shows it",
    )
