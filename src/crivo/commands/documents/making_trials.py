"""Makes the document of a trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from crivo.commands.documents.trials import TryDocument
from crivo.experiments import Comparison
from crivo.experiments.budget import Budget, used_so_far
from crivo.experiments.history import read_history
from crivo.experiments.text import answer
from crivo.repository.costs import kept_seconds


def try_document(
    comparison: Comparison, name: str, budget: Budget, folder: Path = Path()
) -> TryDocument:
    """Return the document of a trial that ran and was compared."""
    values: dict[str, Any] = {
        "outcome": "refused",
        "error": None,
        "stop": False,
        "experiment": name,
        "answer": answer(comparison),
        "reference": comparison.reference,
        "budget": _budget(budget, folder),
        "notes": list(comparison.notes),
    }
    if not comparison.refused.empty:
        reason = comparison.refused.iloc[0]
        return TryDocument.made_of(
            "try", {**values, "error": f"{reason['reason']}; {reason['advice']}"}
        )
    rows = comparison.table[comparison.table.index == name]
    row = (rows if len(rows) else comparison.candidates).iloc[0]
    return TryDocument.made_of("try", {**values, **_compared(comparison, row, folder)})


def _compared(comparison: Comparison, row: pd.Series, folder: Path) -> dict[str, Any]:
    verdict = "identical" if row["verdict"] == "reference" else row["verdict"]
    seconds = kept_seconds(read_history(folder).repository)
    return {
        "outcome": verdict,
        "revision": row["revision"],
        "message": row["message"],
        "changed": row["changed"],
        "primary": comparison.primary,
        "split": comparison.split,
        "value": {key: row[key] for key in ("value", "low", "high")},
        "difference": {
            "value": row["difference"],
            "low": row["difference_low"],
            "high": row["difference_high"],
        },
        "minimum_detectable": row["minimum_detectable"],
        "worse": row["worse"].split(", ") if row["worse"] else [],
        "trials": comparison.standing(row)._asdict(),
        "cost": {"seconds": seconds.get(row["revision"]), "model_bytes": row["model_bytes"]},
    }


def _budget(budget: Budget, folder: Path) -> dict[str, Any] | None:
    if budget == Budget():
        return None
    used = used_so_far(read_history(folder))
    return {
        "trials": budget.trials,
        "minutes": budget.minutes,
        "trials_used": used.trials,
        "minutes_used": used.minutes,
    }
