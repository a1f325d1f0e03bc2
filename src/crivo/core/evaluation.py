"""`Context` and `Evaluation`: an evaluator block's input beside the predictions, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crivo.core.schema import Schema, Task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Context:
    """What an evaluator may use besides the predictions table.

    `classes` are in the order of the score columns; in a binary table, `score` is the probability
    of the class `positive`; `baseline` is the trivial baseline's predictions table for the same
    rows, in the same order.
    """

    task: Task
    classes: tuple[bool | int | float | str, ...] = ()
    positive: bool | int | float | str | None = None
    baseline: pd.DataFrame | None = None
    seed: int = 0

    @classmethod
    def of(cls, schema: Schema, baseline: pd.DataFrame | None = None, seed: int = 0) -> Context:
        """Return the context that a dataset's schema sets."""
        return cls(schema.task, schema.classes, schema.positive, baseline, seed)


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation.

    - `metrics` and `baseline` have one row per metric (the index) and the columns `value se low
      high`.
    - `against_baseline` has one row per metric and the columns `difference se low high verdict`.
    - `jackknife` contains all that a comparison needs: one row per left-out cluster (the index),
      one column per metric, and one per metric of the baseline (`baseline.<metric>`).
    - `warnings` are sentences to show beside the numbers.
    - `definition` is the fingerprint of the metric functions and settings.
    - `margin` is the largest difference in the primary metric that doesn't matter.
    - `effective_clusters` is the number of equal clusters that carry as much information as those
      of the jackknife; without it, each cluster counts as one.
    - `evaluated` contains the evaluated rows, from which slices and curves are computed.
    """

    metrics: pd.DataFrame
    baseline: pd.DataFrame
    against_baseline: pd.DataFrame
    jackknife: pd.DataFrame
    primary: str
    definition: str
    warnings: tuple[str, ...] = ()
    margin: float = 0.0
    effective_clusters: float | None = None
    evaluated: Any = None
