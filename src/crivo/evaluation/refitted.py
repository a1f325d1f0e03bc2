"""Comparison of the refitted model with the trial's model on the same rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.evaluation import Evaluation
from crivo.modelfile.canonical import save_model

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


def refit_table(evaluation: Evaluation) -> pd.DataFrame:
    """Return a row per metric that has an interval: both values and their difference.

    Columns: `metric refitted refitted_low refitted_high`, the same of `trial` and `difference`.
    The intervals are at 95 % each. They describe and give no verdict: only one of the two models
    is compared with others. `evaluation`: the refitted model's, whose baseline is the trial's.
    """
    compared = evaluation.against_baseline
    columns: dict[str, Any] = {"metric": compared.index}
    for name, table, value in (
        ("refitted", evaluation.metrics, "value"),
        ("trial", evaluation.baseline, "value"),
        ("difference", compared, "difference"),
    ):
        rows = table.loc[compared.index]
        columns |= {name: rows[value], f"{name}_low": rows["low"], f"{name}_high": rows["high"]}
    return pd.DataFrame(columns).reset_index(drop=True)
