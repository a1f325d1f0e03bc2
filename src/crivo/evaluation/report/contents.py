"""What a report is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import NOT_APPLICABLE, PASSED
from crivo.evaluation.limits import CheckedLimit
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report.subject import Subject
from crivo.evaluation.thresholds import Threshold

NO_SLICES = pd.DataFrame({name: [] for name in ("slice", "kind", "verdict", "difference")})


@dataclass(frozen=True)
class Report:
    """What a report is made of.

    `about`: what was evaluated, as `evaluation.json` holds it; `chosen`: the chosen blocks by
    kind; `settings`: those of the model; `subject`: what the predictions are about; `plain`: the
    result in a number that everybody understands; `threshold`: the one in use.

    `plots`: the plots' tables; `tables`: those of the explanations by file name (`slices`, `value`,
    `errors/worst` …); `headline`: the numbers of metrics.json; `incumbent`: the verdict against it,
    empty where there is none; `limits`: whether they hold; `checked`: what became of the checks,
    None where none was made; `files`: those that stand beside the page.
    """

    evaluation: Evaluation
    about: Mapping[str, Any]
    chosen: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    subject: Subject = field(default_factory=Subject)
    plain: PlainResult | None = None
    threshold: Threshold | None = None
    plots: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    headline: Mapping[str, Any] = field(default_factory=dict)
    incumbent: Mapping[str, Any] = field(default_factory=dict)
    limits: Sequence[CheckedLimit] = ()
    checked: pd.DataFrame | None = None
    files: tuple[str, ...] = ()

    @cached_property
    def found(self) -> pd.DataFrame | None:
        """The findings of the checks; None where none was made."""
        if self.checked is None:
            return None
        return self.checked[~self.checked["severity"].isin([PASSED, NOT_APPLICABLE])]

    @property
    def task(self) -> str:
        """The name of the task."""
        return str(self.about.get("task"))

    @cached_property
    def slices(self) -> pd.DataFrame:
        """The declared slices; the line of all rows would repeat the metrics."""
        table = self.tables.get("slices", NO_SLICES)
        return table[table["kind"].isin(["column", "further"])]

    @cached_property
    def segments(self) -> pd.DataFrame:
        """The suspected weak segments."""
        table = self.tables.get("slices", NO_SLICES)
        return table[table["kind"] == "segment"]

    @property
    def all_rows(self) -> Mapping[str, Any]:
        """What slices are measured by, for all rows; empty where there are no slices."""
        table = self.tables.get("slices", NO_SLICES)
        whole = table[table["kind"] == "all"]
        return {str(name): value for name, value in whole.iloc[0].items()} if len(whole) else {}

    def plot(self, name: str) -> pd.DataFrame | None:
        """Return a plot's table; None where the task doesn't have it."""
        table = self.plots.get(name)
        return None if table is None or table.empty else table

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the explanations; None where it has no rows."""
        table = self.tables.get(name)
        return None if table is None or table.empty else table
