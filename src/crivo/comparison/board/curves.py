"""The curves of a few experiments, from the plots that DVC's cache holds of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import NamedTuple

from crivo.core.artifacts import EVALUATION
from crivo.core.cache import Cache
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError, Rows, parse_csv
from crivo.records.record import Record
from crivo.repository.git import Repository

PLOTS = (EVALUATION / "plots").as_posix()
REPORT = (EVALUATION / "report.html").as_posix()

# A curve looks the same with so many points; a larger file is none of ours.
MAX_POINTS = 100
MAX_BYTES = 5_000_000


class Kind(NamedTuple):
    """A kind of curve: its file's name, what it is called, the columns that it draws."""

    name: str
    title: str
    x: str
    y: str


KINDS = (
    Kind("roc", "ROC curve", "false_positive_rate", "true_positive_rate"),
    Kind("precision_recall", "Precision and recall", "recall", "precision"),
    Kind("calibration", "Calibration", "mean_score", "observed_rate"),
    Kind("value_curve", "Value over thresholds", "threshold", "value_per_1000"),
    Kind("learning", "Held-out loss while learning", "iteration", "loss"),
)

Points = tuple[list[float], list[float]]


@dataclass(frozen=True)
class Curves:
    """The curves by kind, of each the points by the experiment's place.

    `missing`: how many experiments' plots this clone's cache lacks.
    """

    found: Mapping[Kind, Mapping[str, Points]] = field(default_factory=dict)
    missing: int = 0


def curves_of(repository: Repository, records: Mapping[int, Record]) -> Curves:
    """Return the curves of some experiments, by their places in the table."""
    cache = Cache(repository.project)
    found: dict[Kind, dict[str, Points]] = {}
    missing = 0
    for i, record in records.items():
        with suppress(CrivoError):  # a project without DVC's folder has no cache
            curves = _curves(cache, record)
            missing += curves is None
            for kind, points in (curves or {}).items():
                found.setdefault(kind, {})[str(i)] = points
    return Curves({kind: found[kind] for kind in KINDS if kind in found}, missing)


def stored_report(repository: Repository, record: Record) -> bytes | None:
    """Return an experiment's report from the cache; None where the cache lacks it."""
    place = Cache(repository.project).place(record.hashes.get(REPORT) or "none")
    return place.read_bytes() if place.is_file() else None


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
