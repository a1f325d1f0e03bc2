"""Reads stored predictions and tables of past experiments from DVC's cache; evaluates them again.

Comparing needs none of this. It serves what the small files in git can't: evaluating again
with another definition, and looking at single rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Context
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema
from crivo.evaluation.assess import provenance
from crivo.evaluation.tasks import Evaluated
from crivo.records.reading import Jackknife
from crivo.records.record import PREDICTIONS, Record
from crivo.records.settings import chosen_block
from crivo.repository.git import Repository


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
        """Return a record's predictions table."""
        return self.table(record, PREDICTIONS)

    def schema(self, record: Record) -> Schema:
        """Return the schema of a record's rows."""
        return artifacts.read_schema(self.path(record, artifacts.SCHEMA.as_posix()))

    def prepared(self, record: Record) -> pd.DataFrame:
        """Return the raw columns of the rows that a record was evaluated on."""
        return self.table(record, artifacts.prepared(record.split).as_posix())


def stored_content(repository: Repository, record: Record, path: str) -> bytes | None:
    """Return a record's file, from git or from DVC's cache; None where neither has it."""
    if (content := repository.content(record.origin.revision, path)) is not None:
        return content
    place = Cache(repository.project).place(record.hashes.get(path) or "none")
    return place.read_bytes() if place.is_file() else None


def evaluate_again(store: Store, record: Record, settings: dict[str, Any]) -> Record:
    """Return a record evaluated by today's code with these settings from its stored predictions."""
    predictions = store.predictions(record)
    return evaluated(record, predictions, Context.of(store.schema(record)), settings)


def evaluated(
    record: Record, predictions: pd.DataFrame, context: Context, settings: dict[str, Any]
) -> Record:
    """Return a record with the evaluation of these predictions, as the settings say, as its own."""
    evaluator = chosen_block("evaluator", settings)
    try:
        evaluation = evaluator.evaluate(predictions, context)
    except CrivoError:
        raise
    except Exception as error:  # a table from another time, or from anybody
        raise CrivoError(
            f"the stored predictions can't be evaluated ({type(error).__name__}: {error}); run "
            "the experiment again."
        ) from error
    about = record.about | provenance(evaluation, Evaluated(predictions, context), record.split)
    # As files hold them, so that equal models have equal numbers.
    metrics, deleted = (
        one.map(lambda value: float(f"{value:.{artifacts.DIGITS}g}"))
        for one in (evaluation.metrics, evaluation.jackknife)
    )
    jackknife = Jackknife.of(deleted.index, deleted.columns, deleted.to_numpy())
    return record.with_values(artifacts.rounded(about), metrics.to_dict("index"), jackknife)
