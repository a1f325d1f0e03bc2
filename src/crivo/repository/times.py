"""How long models took to fit and to predict, kept in git by the hash of the model's file.

A trial that finds its model in DVC's cache has its times, too, and the trees that git records are
those of a run that nobody timed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from crivo.core.errors import CrivoError
from crivo.repository.git import Repository

KEPT_TIMES = "refs/crivo/times"

# By the hash of the model's file: seconds to `fit` it, and to `predict` one row among many.
Times = Mapping[str, Mapping[str, float]]


def read_measured(place: Path) -> dict[str, float]:
    """Return what stages noted in a file, see `crivo.runtime.timing`, and remove it.

    `fit`: seconds; `predict`: seconds per row, of the first rows that were predicted.
    """
    found: dict[str, float] = {}
    with suppress(OSError, ValueError, KeyError, TypeError, ZeroDivisionError):
        for line in place.read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            rows = 1 if one["what"] == "fit" else one["rows"]
            found.setdefault(str(one["what"]), float(one["seconds"]) / rows)
    place.unlink(missing_ok=True)
    return found


def kept_times(
    repository: Repository, models: Iterable[str] | None = None
) -> dict[str, dict[str, float]]:
    """Return the times that a repository keeps, all or those of some models."""
    found = {}
    for model, text in repository.texts_below(KEPT_TIMES, models).items():
        with suppress(ValueError, AttributeError):
            told: Any = json.loads(text)
            found[model] = {str(key): float(told[key]) for key in told}
    return found


def keep_times(repository: Repository, times: Times) -> None:
    """Keep times beside those that are kept; of two of the same, the older ones stay.

    Where git can't take them now, they are lost: the trial that they are of is recorded already.
    """
    kept = kept_times(repository, times)
    new = {model: {**told, **kept.get(model, {})} for model, told in times.items()}
    orders = [
        f"update {KEPT_TIMES}/{model} {repository.write_blob(json.dumps(told, sort_keys=True))}"
        for model, told in new.items()
        if told and told != kept.get(model)
    ]
    if orders:
        with suppress(CrivoError):
            repository.update_references(orders)
