"""Stored predictions and tables of past experiments, from the clone's DVC cache alone.

Comparing needs none of this. It serves what the small files in git can't: evaluating again
with another definition, comparing on shared rows, and looking at single rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation
from crivo.core.schema import Schema
from crivo.evaluation.assess import provenance
from crivo.evaluation.tasks import Evaluated
from crivo.records.record import PREDICTIONS, Record
from crivo.records.settings import chosen_block
from crivo.repository.git import Repository

# Below this share of common rows two experiments are about different things.
MIN_SHARED_FRACTION = 0.95

NEEDED = ("id", "target", "prediction", "cluster", "weight")


@dataclass(frozen=True)
class Store:
    """The files that DVC cached, by the record that made them."""

    repository: Repository

    @cached_property
    def _cache(self) -> Cache:
        return Cache(self.repository.project)

    def path(self, record: Record, name: str) -> Path:
        """Return where the cache holds a record's file; CrivoError when it doesn't."""
        digest = record.hashes.get(name)
        if not digest:
            raise CrivoError(f"{record.name} was recorded without {name}; run it again.")
        place = self._cache.place(digest)
        if not place.exists():
            trial = record.origin.trial
            bring = f"dvc exp pull origin {record.name}" if trial else "dvc fetch --all-commits"
            raise CrivoError(
                f"{name} of {record.name} is not in this clone's DVC cache; `{bring}` fetches it "
                "if it was pushed; otherwise run the experiment again."
            )
        return place

    def table(self, record: Record, name: str) -> pd.DataFrame:
        """Return a Parquet file of a record as a table."""
        return artifacts.read_table(self.path(record, name))

    def predictions(self, record: Record) -> pd.DataFrame:
        """Return a record's predictions table; CrivoError when it is none."""
        table = self.table(record, PREDICTIONS)
        missing = [name for name in NEEDED if name not in table]
        if missing:
            raise CrivoError(
                f"{PREDICTIONS} of {record.name} lacks columns: {', '.join(missing)}; run it again."
            )
        return table

    def schema(self, record: Record) -> Schema:
        """Return the schema of a record's rows."""
        return artifacts.read_schema(self.path(record, artifacts.SCHEMA.as_posix()))

    def prepared(self, record: Record) -> pd.DataFrame:
        """Return the raw columns of the rows that a record was evaluated on."""
        return self.table(record, artifacts.prepared(record.split).as_posix())


def evaluate_again(store: Store, record: Record, settings: dict[str, Any]) -> Record:
    """Return a record evaluated by today's code with these settings from its stored predictions."""
    predictions = store.predictions(record)
    return evaluated(record, predictions, Context.of(store.schema(record)), settings)


def evaluate(predictions: pd.DataFrame, context: Context, settings: dict[str, Any]) -> Evaluation:
    """Return the evaluation of a predictions table by the evaluator that the settings choose."""
    evaluator = chosen_block("evaluator", settings)
    try:
        return evaluator.evaluate(predictions, context)
    except CrivoError:
        raise
    except Exception as error:  # a table from another time, or from anybody
        raise CrivoError(
            f"the stored predictions can't be evaluated ({type(error).__name__}: {error}); run "
            "the experiment again."
        ) from error


def evaluated(
    record: Record, predictions: pd.DataFrame, context: Context, settings: dict[str, Any]
) -> Record:
    """Return a record with the evaluation of these predictions in place of its own."""
    evaluation = evaluate(predictions, context, settings)
    about = record.about | provenance(evaluation, Evaluated.of(predictions, context), record.split)
    return record.with_values(artifacts.rounded(about), evaluation.metrics, evaluation.jackknife)


@dataclass(frozen=True)
class Shared:
    """Two records evaluated on the rows they share, and what was left out."""

    record: Record
    reference: Record
    rows: int
    left_out: int
    left_out_value: float

    def sentence(self, metric: str) -> str:
        """Say how many rows are shared, and how the reference does on those left out."""
        text = f"{self.record.name} and {self.reference.name} share {self.rows:,} rows"
        if not self.left_out:
            return f"{text}, all that {self.reference.name} was evaluated on."
        return (
            f"{text}; on the {self.left_out:,} rows left out, {self.reference.name} has "
            f"{metric} {self.left_out_value:.3g}."
        )


def on_shared_rows(store: Store, record: Record, reference: Record) -> Shared:
    """Return both records evaluated on their common ids with equal targets.

    The clusters are the reference's. CrivoError when less than 95 % of either are shared.
    """
    one, other = store.predictions(record), store.predictions(reference)
    both = other[["id", "target"]].merge(one[["id", "target"]], on=["id", "target"])
    share = len(both) / max(len(one), len(other), 1)
    if share < MIN_SHARED_FRACTION:
        raise CrivoError(
            f"{record.name} and {reference.name} share {100 * share:.0f} % of their rows; a "
            f"comparison needs {100 * MIN_SHARED_FRACTION:.0f} %. Run one of them again on the "
            "other's rows."
        )
    inside = other["id"].isin(both["id"])
    other, left = other[inside], other[~inside]
    one = (
        one[one["id"].isin(both["id"])]
        .sort_values("id")
        .assign(cluster=other.sort_values("id")["cluster"].to_numpy())
    )
    context, settings = Context.of(store.schema(reference)), reference.settings
    return Shared(
        evaluated(record, one, context, settings),
        evaluated(reference, other, context, settings),
        len(both),
        len(left),
        _value(left, context, settings, reference.about["primary"]),
    )


def _value(rows: pd.DataFrame, context: Context, settings: dict[str, Any], metric: str) -> float:
    if rows.empty:
        return float("nan")
    return float(evaluate(rows, context, settings).metrics["value"][metric])
