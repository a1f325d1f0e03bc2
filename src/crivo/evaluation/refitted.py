"""Comparison of the refitted model with the trial's model on the same rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.evaluation import Evaluation
from crivo.core.schema import Task
from crivo.evaluation.metrics import metrics_of
from crivo.modelfile.canonical import save_model
from crivo.statistics.intervals import Estimate, difference, interval

# What `evaluation.json` says of a refitted model.
FITTED_ON = {"fitted_on": "training and validation rows"}
NOT_REFITTED = {"fitted_on": "training rows"}


def write_refitted(model: Any | None) -> dict[str, Any]:
    """Write `models/refit`, with a model if there is a refitted one; return facts of what is used.

    They are what the evaluated model was fitted on, and the size of its file.
    """
    artifacts.remake_folder(artifacts.REFIT)
    fitted_on = NOT_REFITTED if model is None else FITTED_ON
    artifacts.write_json(artifacts.REFIT / "fitted_on.json", fitted_on)
    if model is None:
        return fitted_on | artifacts.size_in_mb(artifacts.MODEL)
    save_model(artifacts.REFIT_MODEL, model)
    return fitted_on | artifacts.size_in_mb(artifacts.REFIT_MODEL)


def refit_table(both: Sequence[Evaluation], task: Task) -> pd.DataFrame:
    """Return a row per metric that has an interval: both values and their difference.

    Columns: `metric refitted refitted_low refitted_high`, the same of `trial` and `difference`.
    The intervals are at 95 % each. They describe and give no verdict: only one of the two models
    is compared with others. `both`: the evaluation of the refitted model and that of the trial's.
    """
    (refitted, trial), known, rows = both, metrics_of(task), []
    for name in refitted.jackknife.columns.intersection(trial.jackknife.columns):
        if name not in known:
            continue
        one, other = (_estimate(each, name) for each in (refitted, trial))
        gained = difference(known[name], one, other)
        limits = interval(gained)
        rows.append(
            {"metric": name}
            | _ends("refitted", refitted, name)
            | _ends("trial", trial, name)
            | {"difference": gained.value}
            | {"difference_low": limits.low, "difference_high": limits.high}
        )
    return pd.DataFrame(rows)


def _estimate(evaluation: Evaluation, name: str) -> Estimate:
    value, deleted = float(evaluation.metrics["value"][name]), evaluation.jackknife[name]
    return Estimate(value, deleted.to_numpy(), evaluation.effective_clusters)


def _ends(of: str, evaluation: Evaluation, name: str) -> dict[str, float]:
    value, low, high = (float(evaluation.metrics[end][name]) for end in ("value", "low", "high"))
    return {of: value, f"{of}_low": low, f"{of}_high": high}
