"""How long the answer for one row takes, on this machine and at this moment."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import perf_counter

from crivo.core import artifacts
from crivo.prediction.bundle import load_predictor

REPEATS = 20


def milliseconds_per_row(root: Path = Path()) -> float:
    """Return the median time that the trained model of a project takes for one raw row.

    A validation row is used; the first call, which loads libraries, doesn't count.
    """
    predictor = load_predictor(root)
    row = artifacts.read_table(root / artifacts.prepared("valid"), predictor.columns).head(1)
    predictor.predict(row)
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        predictor.predict(row)
        times.append(perf_counter() - start)
    return 1000 * median(times)
