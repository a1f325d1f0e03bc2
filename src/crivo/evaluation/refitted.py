"""The refitted model's file, and what the evaluated model was fitted on."""

from __future__ import annotations

from typing import Any

from crivo.core import artifacts
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
