"""The curves of a few experiments, from the plots that DVC's cache holds of them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.artifacts import EVALUATION
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.records.record import Record
from crivo.repository.git import Repository

PLOTS = (EVALUATION / "plots").as_posix()
# A curve looks the same with so many points.
MAX_POINTS = 100
# Each kind's file, the columns that it draws, and what it is called.
KINDS = (
    ("roc", "false_positive_rate", "true_positive_rate", "ROC curve"),
    ("precision_recall", "recall", "precision", "Precision and recall"),
    ("calibration", "mean_score", "observed_rate", "Calibration"),
    ("value_curve", "threshold", "value_per_1000", "Value over thresholds"),
    ("learning", "iteration", "loss", "Held-out loss while learning"),
)


def curves_of(
    repository: Repository, records: Mapping[int, Record]
) -> tuple[list[dict[str, Any]], int]:
    """Return the curves by kind, with the points of experiments by their places in the table.

    And how many experiments' plots this clone's cache lacks.
    """
    cache = Cache(repository.project)
    listings = {i: _listing(cache, record) for i, record in records.items()}
    found = []
    for name, x, y, title in KINDS:
        of = {}
        for i, listing in listings.items():
            with suppress(KeyError, OSError, ValueError):  # no such file, or one of another form
                place = cache.place((listing or {})[f"{name}.csv"])
                of[str(i)] = points(pd.read_csv(place)[[x, y]])
        if of:
            found.append({"name": name, "x": x, "y": y, "title": title, "of": of})
    return found, sum(listing is None for listing in listings.values())


def _listing(cache: Cache, record: Record) -> dict[str, str] | None:
    with suppress(CrivoError):  # a project without DVC's folder has no cache
        return cache.listing(record.hashes.get(PLOTS) or "none")
    return None


def points(table: pd.DataFrame) -> list[list[float]]:
    """Return the columns of at most 100 rows, evenly by their places, the ends with them.

    >>> [len(column) for column in points(pd.DataFrame({"x": range(1001), "y": range(1001)}))]
    [100, 100]
    """
    known = table.astype(float).replace([np.inf, -np.inf], np.nan).dropna()
    places = np.linspace(0, len(known) - 1, min(len(known), MAX_POINTS)).round().astype(int)
    return known.iloc[places].map(lambda value: float(f"{value:.4g}")).T.to_numpy().tolist()
