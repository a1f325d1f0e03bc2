"""The curves of a few experiments, from the plots that DVC's cache holds of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import Any, NamedTuple

from crivo.core.artifacts import EVALUATION
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, Rows, parse_csv
from crivo.records.record import Record
from crivo.repository.git import Repository

PLOTS = (EVALUATION / "plots").as_posix()

# A curve looks the same with so many points; a larger file is none of ours.
MAX_POINTS = 100
MAX_BYTES = 5_000_000


class Kind(NamedTuple):
    """A kind of curve: its file's name, the columns that it draws, what it is called."""

    name: str
    x: str
    y: str
    title: str


KINDS = (
    Kind("roc", "false_positive_rate", "true_positive_rate", "ROC curve"),
    Kind("precision_recall", "recall", "precision", "Precision and recall"),
    Kind("calibration", "mean_score", "observed_rate", "Calibration"),
    Kind("value_curve", "threshold", "value_per_1000", "Value over thresholds"),
    Kind("learning", "iteration", "loss", "Held-out loss while learning"),
)

Points = tuple[list[float], list[float]]


def curves_of(
    repository: Repository, records: Mapping[int, Record]
) -> tuple[list[dict[str, Any]], int]:
    """Return the curves by kind, with the points of experiments by their places in the table.

    And how many experiments' plots this clone's cache lacks.
    """
    cache = Cache(repository.project)
    found: dict[Kind, dict[str, Points]] = {}
    missing = 0
    for i, record in records.items():
        with suppress(CrivoError):  # a project without DVC's folder has no cache
            curves = _curves(cache, record)
            missing += curves is None
            for kind, points in (curves or {}).items():
                found.setdefault(kind, {})[str(i)] = points
    return [one._asdict() | {"of": found[one]} for one in KINDS if one in found], missing


def _curves(cache: Cache, record: Record) -> dict[Kind, Points] | None:
    """Return an experiment's curves; None where the cache lacks them."""
    digest = record.hashes.get(PLOTS)
    listing = cache.listing(digest) if digest else None
    if listing is None:
        return None
    places = {kind: cache.place(listing.get(f"{kind.name}.csv") or "none") for kind in KINDS}
    found = {}
    for kind, place in places.items():
        if not place.is_file() or place.stat().st_size > MAX_BYTES:
            continue
        with suppress(ParseError, OSError, ValueError):
            points = _points(parse_csv(place.read_bytes()), kind)
            if points[0]:
                found[kind] = points
    return found


def _points(table: Rows, kind: Kind) -> Points:
    x, y = (table.columns.index(name) for name in (kind.x, kind.y))
    pairs = [(float(row[x]), float(row[y])) for row in table.rows]
    kept = thinned([pair for pair in pairs if all(map(isfinite, pair))])
    return [_short(one) for one, _ in kept], [_short(one) for _, one in kept]


def thinned(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return at most 100 of the points, evenly by their places, the first and the last with them.

    >>> len(thinned([(i, i) for i in range(1001)])), thinned([(0, 1), (1, 2)])
    (100, [(0, 1), (1, 2)])
    """
    if len(pairs) <= MAX_POINTS:
        return list(pairs)
    last = len(pairs) - 1
    return [pairs[round(i * last / (MAX_POINTS - 1))] for i in range(MAX_POINTS)]


def _short(value: float) -> float:
    return float(f"{value:.4g}")
