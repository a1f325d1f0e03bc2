"""Makes documents of what the library's functions return."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.commands.documents.base import VERSION
from crivo.commands.documents.checks import EvaluateDocument
from crivo.commands.documents.experiments import ConfirmDocument, DiffDocument, IncumbentDocument
from crivo.evaluation.evaluate import Result
from crivo.evaluation.incumbent import Incumbent
from crivo.evaluation.summary import intervals_table
from crivo.experiments import Comparison, Confirmation, PredictionDiff
from crivo.experiments.text import as_json


def compared(comparison: Comparison) -> dict[str, Any]:
    """Return the values of the document of a comparison."""
    return {"version": VERSION, "command": "compare", **json.loads(as_json(comparison))}


def confirm_document(confirmation: Confirmation) -> ConfirmDocument:
    """Return the document of a confirmation."""
    values = {
        "answer": confirmation.answer,
        "outcome": confirmation.outcome,
        "validation": compared(confirmation.valid),
        "test": compared(confirmation.test),
    }
    return ConfirmDocument.made_of("confirm", values)


def evaluate_document(result: Result, output: Path | None) -> EvaluateDocument:
    """Return the document of an evaluation, and where its files are."""
    values = {
        "about": result.about,
        "metrics": records(intervals_table(result.evaluation)),
        "warnings": list(result.evaluation.warnings),
        "output": None if output is None else str(output),
    }
    return EvaluateDocument.made_of("evaluate", values)


def diff_document(diff: PredictionDiff) -> DiffDocument:
    """Return the document of two experiments compared row by row."""
    rows = diff.rows.drop(columns=["id"]).astype(object)
    rows.insert(0, "id", diff.rows["id"].astype(str))
    values = {
        "one": diff.one,
        "other": diff.other,
        "made": records(diff.made),
        "counts": {str(name): int(count) for name, count in diff.counts.items()},
        "net": dict(diff.net),
        "rows": records(rows),
        "slices": records(diff.slices.rename_axis("slice").reset_index()),
    }
    return DiffDocument.made_of("diff", values)


def incumbent_document(incumbent: Incumbent | None) -> IncumbentDocument:
    """Return the document of the incumbent, or of none."""
    if incumbent is None:
        none: dict[str, Any] = {
            "name": None,
            "revision": None,
            "how_chosen": "",
            "about": {},
            "metrics": [],
        }
        return IncumbentDocument.made_of("incumbent show", none)
    metrics = incumbent.intervals[["value", "low", "high"]].rename_axis("metric").reset_index()
    values = {
        "name": incumbent.name,
        "revision": incumbent.revision,
        "how_chosen": incumbent.how_chosen,
        "about": incumbent.about,
        "metrics": records(metrics),
    }
    return IncumbentDocument.made_of("incumbent show", values)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table's rows; what is missing is None, a moment is a text."""
    return [
        {str(name): _plain(value) for name, value in row.items()}
        for row in table.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    if isinstance(value, pd.Timestamp | pd.Timedelta | pd.Period | pd.Interval):
        return str(value)
    return None if value is None or value is pd.NaT or value is pd.NA else value
