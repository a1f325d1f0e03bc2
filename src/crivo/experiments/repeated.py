"""What running a recipe again gives: a row for each run, and the recipe as one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pandas as pd

from crivo.evaluation.tables import table_of
from crivo.experiments.numbers import bracket, decimals, number
from crivo.experiments.recipes import Recipe, RecipeDifference
from crivo.experiments.records import Record
from crivo.experiments.sequences import Standing


@dataclass(frozen=True)
class RunRow:
    """A run's metric with its interval, and the experiment that it is."""

    value: float
    low: float
    high: float
    name: str


@dataclass(frozen=True)
class RecipeRow:
    """A recipe's metric with its interval, and the `least` and `greatest` value of a run."""

    runs: int
    value: float
    low: float
    high: float
    least: float
    greatest: float


@dataclass(frozen=True)
class Against:
    """How a recipe differs from the reference's, or in a `note` why that isn't known."""

    table: pd.DataFrame = field(default_factory=lambda: table_of(RecipeDifference, {}))
    note: str = ""
    standing: Standing | None = None


@dataclass(frozen=True)
class Repetition:
    """A recipe over seeds or folds.

    `runs`: a row per seed or fold with the primary metric; `summary`: the recipe as one row:
    how many `runs`, the metric's `value` with its interval (over seeds: their mean, allowing
    for the choice of seeds; over folds: their mean, allowing for the training rows), and the
    `least` and `greatest` value of a run, which aren't a standard error. `against`: how it differs
    from the reference's recipe, a row per metric; empty when that was not repeated alike, which
    `note` says. `standing`: under what rule that verdict is given.
    """

    name: str
    primary: str
    of: str
    runs: pd.DataFrame
    summary: pd.DataFrame
    against: pd.DataFrame
    reference: str
    note: str = ""
    standing: Standing | None = None

    @property
    def answer(self) -> str:
        """The recipe in one line."""
        row = self.summary.iloc[0]
        digits = decimals((row["high"] - row["low"]) / 4)
        text = (
            f"{self.name} over {int(row['runs'])} {self.of}: {self.primary} "
            f"{number(row['value'], digits)} {bracket(row['low'], row['high'], digits)}, "
            f"single {self.of} {number(row['least'], digits)} to {number(row['greatest'], digits)}"
        )
        if self.against.empty:
            return text
        first = self.against.iloc[0]
        digits = decimals((first["difference_high"] - first["difference_low"]) / 4)
        limits = bracket(first["difference_low"], first["difference_high"], digits, sign=True)
        return (
            f"{text}; {first['verdict']} vs {self.reference}, as {self.claim}: "
            f"{number(first['difference'], digits, sign=True)} {limits}; {self.standing}"
        )

    @property
    def claim(self) -> str:
        """What the verdict is about: seeds leave the training rows as they are."""
        return "recipes trained on these rows" if self.of == "seeds" else "recipes"


def repetition_of(
    name: str,
    of: str,
    metric: str,
    runs: Mapping[str, Record],
    summary: RecipeRow,
    other: Recipe | Record | None,
    against: Against,
) -> Repetition:
    """Return a recipe over what its `runs` are named by."""
    return Repetition(
        name=name,
        primary=metric,
        of=of,
        runs=table_of(
            RunRow, {title: _run_row(one, metric) for title, one in runs.items()}
        ).rename_axis(of),
        summary=table_of(RecipeRow, {name: summary}).rename_axis("recipe"),
        against=against.table,
        reference=other.name if other else "",
        note=against.note,
        standing=against.standing,
    )


def _run_row(record: Record, metric: str) -> RunRow:
    own = record.interval(metric)
    return RunRow(own["value"], own["low"], own["high"], record.name)
