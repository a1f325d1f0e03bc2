"""Makes all results of the stage evaluate from a predictions table: metrics, plots, checks, report.

`crivo evaluate` uses the same for predictions of another system. Metrics are computed in `assess`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, astuple, dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from crivo.core.blocks import Context, Evaluation
from crivo.core.findings import Check, Finding, Silent
from crivo.core.predictions import period_starts
from crivo.core.tasks import TASKS, TaskType
from crivo.evaluation.assess import (
    intervals_table,
    provenance,
    short_metrics,
    slice_metrics,
)
from crivo.evaluation.caveats import block_advice, unused_dependence
from crivo.evaluation.curves import CURVES
from crivo.evaluation.errors import error_tables
from crivo.evaluation.incumbent import Incumbent
from crivo.evaluation.metrics import Metric
from crivo.evaluation.plain import PlainResult, plain_result
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.report import Subject, to_html, to_markdown
from crivo.evaluation.result_checks import RESULT_CHECKS, Results, own_checks
from crivo.evaluation.slices import Slice, column_slices, slice_table, weak_segments
from crivo.evaluation.tasks import Evaluated
from crivo.evaluation.thresholds import OperatingPoint, value_curve, value_table


@dataclass(frozen=True, eq=False)
class Result:
    """Evaluated predictions, what is known of them, and their results, computed when needed.

    `measured`: the evaluator's result; `metric_settings`: the evaluator's settings. `dataset`,
    `model`: their names; `baseline`: the name of the trivial model, if there is one; `split`: the
    split of the rows. `predicting`: the schema, the clusters and blocks of the prepared `rows`;
    `features`: the model's inputs, in the order of the rows. `facts`: the facts about the run in
    `evaluation.json`; `curves`: tables of curves of the model; `training`: its metrics on training
    rows; `row_findings`: the findings of the checks of rows; `settings`: the model's settings;
    `checks`: the names of a team's own checks.
    """

    predictions: pd.DataFrame
    context: Context
    measured: Evaluation
    operating_point: OperatingPoint
    metric_settings: Mapping[str, Any]
    predicting: Predicting
    _: KW_ONLY
    dataset: str
    model: str
    baseline: str | None = None
    split: str = "file"
    rows: pd.DataFrame | None = None
    features: pd.DataFrame | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    curves: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    row_findings: pd.DataFrame | None = None
    incumbent: Incumbent | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    checks: Sequence[str] = ()

    @cached_property
    def evaluated(self) -> Evaluated:
        """The predictions with their rows, clusters and losses, as an evaluator measured them."""
        known: Evaluated | None = self.measured.evaluated
        if known is not None and known.predictions is self.predictions:
            return known
        return Evaluated(self.predictions, self.context)

    @cached_property
    def evaluation(self) -> Evaluation:
        """The evaluator's result, with all warnings."""
        unused = unused_dependence(self.predictions, self.predicting.schema, self.beside[0])
        sought = self.operating_point.warning(map(str, self.measured.metrics.index))
        found = [*self.measured.warnings, self._advised[1], unused, *sought]
        return replace(self.measured, warnings=tuple(filter(None, found)))

    @cached_property
    def beside(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Raw columns and features of the predicted rows; no columns if they aren't known.

        The raw columns don't include id and target, which the predictions have.
        """
        if self.rows is None:
            nothing = pd.DataFrame(index=self.predictions.index)
            return nothing, nothing
        schema = self.predicting.schema
        ids = pd.Index(self.rows[schema.id].astype("str"))
        places = ids.get_indexer(pd.Index(self.predictions["id"]))
        raw = self.rows.drop(columns=[schema.id, schema.target])
        features = raw[[]] if self.features is None else self.features
        one, other = (table.iloc[places].reset_index(drop=True) for table in (raw, features))
        return one, other

    @cached_property
    def shown(self) -> list[Metric]:
        """The metrics of slices, the primary one first."""
        return slice_metrics(self.evaluated, self.measured, self.metric_settings)

    @cached_property
    def about(self) -> dict[str, Any]:
        """What was evaluated, and how: the content of `evaluation.json`."""
        facts = provenance(self.evaluation, self.evaluated, self.split)
        if self._advised[1]:
            facts["advised_block"] = self._advised[0]
        facts["findings"] = [astuple(one) for one in self.checked]
        return facts | dict(self.facts)

    @cached_property
    def headline(self) -> dict[str, Any]:
        """The numbers of `metrics.json`; its verdict is against the incumbent if there is one."""
        ends = {"": "value_per_1000", "_low": "low", "_high": "high"}
        value = self.tables["value"].to_dict("records")
        model = (row for row in value if row["of"] == "model")
        worth = {f"value_per_1000{end}": row[name] for row in model for end, name in ends.items()}
        verdict = self.against_incumbent
        if not verdict and self.baseline:
            verdict = {"verdict_against": self.baseline}
        return short_metrics(self.evaluation) | worth | verdict

    @cached_property
    def against_incumbent(self) -> dict[str, Any]:
        """The verdict against the incumbent; empty if there is none."""
        if self.incumbent is None:
            return {}
        return self.incumbent.verdict(self.evaluation, self.about)

    @cached_property
    def _advised(self) -> tuple[int, str]:
        """How many periods should form a block, and the warning if there are fewer."""
        known = self.predicting.settings
        if known.cluster not in self.beside[0]:
            return 1, ""
        shown = [one for one in self.shown if one.name in self.measured.metrics.index]
        units = self.beside[0][known.cluster]
        units = period_starts(units, known.period) if known.period else units
        return block_advice(self.evaluated, shown, units, known.block)

    @property
    def warnings(self) -> list[str]:
        """The warnings, and the reason if there is no verdict against the incumbent."""
        incumbent = self.incumbent
        caution = incumbent.caution(self.evaluation, self.about["rows"]) if incumbent else ""
        return [*self.evaluation.warnings, *([caution] if caution else [])]

    @cached_property
    def checked(self) -> list[Finding | Silent]:
        """The findings of the checks of results, and the checks that found nothing."""
        results = Results(
            self.predictions,
            self.context,
            intervals_table(self.evaluation),
            short_metrics(self.evaluation),
            self.training,
            self.model == self.baseline,
            self.beside[0],
        )
        return [found for one in self._checks for found in one.review(results)]

    @cached_property
    def _checks(self) -> list[Check[Results]]:
        return [*RESULT_CHECKS.values(), *own_checks(self.checks)]

    @cached_property
    def all_checked(self) -> list[Any]:
        """The outcomes of the checks of rows, as rows of their table, and of results."""
        table = self.row_findings
        return [*(() if table is None else table.itertuples(index=False)), *self.checked]

    @cached_property
    def titles(self) -> dict[str, str]:
        """The titles of the checks by their codes; those of rows from the table of findings."""
        known, rows = {one.code: one.title for one in self._checks}, self.row_findings
        if rows is not None and "title" in rows:  # an earlier version wrote none
            known |= dict(rows[["code", "title"]].to_numpy())
        return known

    @cached_property
    def segments(self) -> tuple[list[Slice], pd.DataFrame]:
        """Segments that seem to be weak, and a line for each."""
        return weak_segments(self.evaluated, self.shown, self.beside[1])

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Slices and weak segments, the value of acting, and rows to look at, by file name."""
        (found, segments), declared = self.segments, list(column_slices(self.predictions))
        slices = slice_table(self.evaluated, self.shown, declared)
        errors = error_tables(self.evaluated, self.beside[0], [*declared, *found])
        return {
            "slices": slices if segments.empty else pd.concat([slices, segments]),
            "value": value_table(self.evaluated, self.operating_point),
            **{f"errors/{name}": table for name, table in errors.items()},
        }

    @cached_property
    def plots(self) -> dict[str, pd.DataFrame]:
        """The tables of the plots by file name."""
        tables = {name: curve(self.evaluated) for name, curve in CURVES.items()} | dict(self.curves)
        return tables | {"value_curve": value_curve(self.evaluated, self.operating_point)}

    @cached_property
    def plain(self) -> PlainResult:
        """The result as a number that everybody understands."""
        return plain_result(
            self.evaluated, self.evaluation, self.operating_point, self.metric_settings
        )

    @property
    def task(self) -> type[TaskType]:
        """The task."""
        return TASKS[self.about["task"]]

    @property
    def is_external(self) -> bool:
        """Whether the predictions come from a file, so that their origin isn't known."""
        return bool(self.about.get("environment", "unknown") == "unknown")

    @cached_property
    def subject(self) -> Subject:
        """The subject of the predictions, in the words of the data's owners."""
        schema, currency = self.predicting.schema, self.operating_point.value.currency
        about = schema.target, schema.classes, schema.positive, schema.words
        return Subject(*about, currency, self.baseline)

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the explanations or plots; None if it has no rows."""
        found = self.tables.get(name, self.plots.get(name))
        return None if found is None or found.empty else found

    @cached_property
    def files(self) -> dict[str, Any]:
        """The content of each file, by its name below metrics/evaluation."""
        return {
            "predictions.parquet": self.predictions,
            "jackknife.csv": self.evaluation.jackknife.reset_index(),
            "intervals.csv": intervals_table(self.evaluation),
            **{f"{name}.csv": table for name, table in self.tables.items()},
            **{f"plots/{name}.csv": table for name, table in self.plots.items()},
            "metrics.json": self.headline,
            "threshold.json": self.operating_point.to_json(),
            "evaluation.json": self.about,
            "report.html": to_html(self),
            "report.md": to_markdown(self),
        }
