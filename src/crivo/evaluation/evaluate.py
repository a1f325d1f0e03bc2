"""A whole evaluation, from a predictions table to its files.

One function for all predictions: those of the model that the stage has trained, and those that
another system handed over in a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd

from crivo.core.blocks import Evaluator
from crivo.core.evaluation import Context, Evaluation
from crivo.core.findings import Finding, Silent, findings_table
from crivo.evaluation.background import Background
from crivo.evaluation.dependence import unused_dependence
from crivo.evaluation.explanations import Explanations, explain, slice_metrics
from crivo.evaluation.incumbent import allowance_missing, incomparable_reason, incumbent_verdict
from crivo.evaluation.outputs import check_results, output_files
from crivo.evaluation.plots import plots
from crivo.evaluation.serial import advised_block, block_warning
from crivo.evaluation.summary import provenance
from crivo.evaluation.thresholds import OperatingPoint


@dataclass(frozen=True)
class Result:
    """An evaluation, and all that follows from it; each part is worked out when asked for.

    `beside`: raw columns and features of the predicted rows.
    """

    predictions: pd.DataFrame
    context: Context
    evaluation: Evaluation
    operating_point: OperatingPoint
    background: Background
    beside: tuple[pd.DataFrame, pd.DataFrame]
    settings: Mapping[str, Any]
    advised_block: int | None = None

    @cached_property
    def about(self) -> dict[str, Any]:
        """What was evaluated, and how: the content of `evaluation.json`."""
        split = self.background.split
        evaluation_facts = provenance(self.evaluation, self.predictions, self.context, split)
        advice = {"advised_block": self.advised_block} if self.advised_block else {}
        cross_fitted = {"cross_fitted": True} if self.operating_point.cross_fitted else {}
        return evaluation_facts | advice | cross_fitted | dict(self.background.facts)

    @cached_property
    def explanations(self) -> Explanations:
        """What explains the evaluation: slices, weak segments, rows to look at, value."""
        raw, features = self.beside
        return explain(
            self.predictions,
            self.context,
            self.evaluation,
            settings=self.settings,
            operating_point=self.operating_point,
            raw=raw,
            features=features,
        )

    @cached_property
    def checked(self) -> list[Finding | Silent]:
        """What the checks of results found, and which of them found nothing."""
        known = self.background
        return check_results(self.predictions, self.evaluation, known.training, known.is_baseline)

    @property
    def doubts(self) -> list[Finding]:
        """What makes the evaluation doubtful."""
        return [one for one in self.checked if isinstance(one, Finding)]

    @property
    def warnings(self) -> list[str]:
        """What to beware of, in sentences; also what the verdict against the incumbent lacks."""
        incumbent = self.background.incumbent
        reason = incomparable_reason(self.evaluation, self.about["rows"], incumbent)
        reason = reason or allowance_missing(incumbent)
        return [*self.evaluation.warnings, *([reason] if reason else [])]

    @cached_property
    def files(self) -> dict[str, Any]:
        """The content of each file by its name below metrics/evaluation."""
        known = self.background
        tables = (known.row_findings, findings_table(self.checked))
        checked = pd.concat([table for table in tables if table is not None])
        return output_files(
            predictions=self.predictions,
            evaluation=self.evaluation,
            explanations=self.explanations,
            operating_point=self.operating_point,
            about=self.about,
            curves=plots(self.predictions, self.context) | dict(known.curves),
            chosen={"dataset": known.dataset, "model": known.model},
            baseline=known.baseline,
            incumbent=incumbent_verdict(self.evaluation, self.about["rows"], known.incumbent),
            limits=known.limits,
            checked=checked,
            schema=known.schema,
            settings=known.settings,
        )


def evaluate_predictions(
    evaluator: Evaluator,
    predictions: pd.DataFrame,
    context: Context,
    operating_point: OperatingPoint,
    background: Background,
) -> Result:
    """Return the evaluation of a predictions table, and all that can be said beside it.

    `context` has the baseline's predictions for the same rows, if there are any; `operating_point`
    is that of both.
    """
    settings = vars(evaluator)
    evaluation = evaluator.evaluate(predictions, context)
    beside = background.beside(predictions)
    advised, metric = 1, ""
    if background.block != 1 and background.cluster in beside[0]:
        known = slice_metrics(predictions, context, evaluation, settings)
        shown = [one for one in known if one.name in evaluation.metrics.index]
        units = beside[0][background.cluster]
        advised, metric = advised_block(predictions, context, shown, units)
    serial = block_warning(advised, metric, background.block)
    unused = unused_dependence(predictions, background.schema, background.rows)
    sought = operating_point.warning(map(str, evaluation.metrics.index))
    more = [*serial, *([unused] if unused else []), *sought]
    evaluation = replace(evaluation, warnings=(*evaluation.warnings, *more))
    return Result(
        predictions=predictions,
        context=context,
        evaluation=evaluation,
        operating_point=operating_point,
        background=background,
        beside=beside,
        settings=settings,
        advised_block=advised if serial else None,
    )
