"""Past experiments as git holds them: settings, metrics, and the metrics without each cluster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from crivo.core.artifacts import EVALUATION, MODEL
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError
from crivo.evaluation.metrics import scales_of
from crivo.records.ledger import NO_LEDGER, Ledger
from crivo.records.reading import (
    INTERVAL,
    NO_SLICES,
    Numbers,
    SliceNumbers,
    Unusable,
    parse_about,
    parse_intervals,
    parse_jackknife,
    parse_settings,
    parse_slices,
    with_metrics,
)
from crivo.repository.commits import Kind, Origin
from crivo.repository.git import Blob
from crivo.repository.lock import LOCK, parse_lock
from crivo.repository.remembered import digest
from crivo.statistics.intervals import Estimate
from crivo.statistics.scale import Scale

FOLDER = PurePosixPath(EVALUATION.as_posix())
PARAMS = "params.yaml"
ABOUT = str(FOLDER / "evaluation.json")
INTERVALS = str(FOLDER / "intervals.csv")
JACKKNIFE = str(FOLDER / "jackknife.csv")
SLICES = str(FOLDER / "slices.csv")
PREDICTIONS = str(FOLDER / "predictions.parquet")
FILES = (PARAMS, LOCK, ABOUT, INTERVALS, JACKKNIFE, SLICES)

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Record:
    """An experiment, or a commit with an evaluation; its files are read when asked for.

    What a file says is empty where it can't be read; `check` says why that is. `ledger`: in which
    order evaluations became known.
    """

    origin: Origin
    files: Mapping[str, Blob] = field(repr=False)
    ledger: Ledger = field(default=NO_LEDGER, repr=False)

    @property
    def name(self) -> str:
        """The experiment's, branch's or tag's name, or the commit's short hash."""
        return self.origin.name

    @property
    def kind(self) -> Kind:
        """What kind of run it is."""
        return self.origin.kind

    @cached_property
    def evaluation(self) -> str:
        """What it is in a ledger: a model on some rows, by a trial, a repeated run or a commit."""
        about = {} if isinstance(self._about, Unusable) else self._about
        kind = "commit" if not self.origin.trial else "run" if self.kind == "seed" else "trial"
        return digest(kind, str(about.get("rows")), self.predictions)

    @cached_property
    def moment(self) -> tuple[int, int, str]:
        """What orders records: when they became known, or were recorded, and their names."""
        return self.ledger.place(self.evaluation), self.origin.seconds, self.name

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its evaluation from others; empty when it has none."""
        if ABOUT not in self.files and JACKKNIFE not in self.files:
            return ()
        told = (LOCK, ABOUT, INTERVALS, JACKKNIFE)
        return tuple(self.files[path].hash for path in told if path in self.files)

    @cached_property
    def _settings(self) -> dict[str, Any] | Unusable:
        return self._parsed(PARAMS, parse_settings)

    @cached_property
    def _about(self) -> dict[str, Any] | Unusable:
        return self._parsed(ABOUT, parse_about)

    @cached_property
    def _intervals(self) -> Numbers | Unusable:
        return self._parsed(INTERVALS, parse_intervals)

    @cached_property
    def _jackknife(self) -> Numbers | Unusable:
        return self._parsed(JACKKNIFE, parse_jackknife)

    @cached_property
    def _slices(self) -> SliceNumbers | Unusable:
        metric = self.about["primary"]
        return self._parsed(SLICES, lambda content: parse_slices(content, metric))

    @cached_property
    def _lock(self) -> dict[str, Any] | Unusable:
        return self._parsed(LOCK, parse_lock)

    def _parsed(self, path: str, parse: Callable[[bytes], T]) -> T | Unusable:
        """Return what a file says, or why that isn't known."""
        if path not in self.files:
            return Unusable(f"it was recorded without {path}")
        try:
            return parse(self.files[path].content)
        except ParseError as error:
            return Unusable(f"its {path} {error}")

    def with_values(
        self,
        about: Mapping[str, Any],
        intervals: pd.DataFrame,
        jackknife: pd.DataFrame,
        **more: Mapping[str, Any],
    ) -> Record:
        """Return the record with another evaluation than its files have.

        `more`: its `settings` and its `lock` as they are parsed, where those differ as well.
        """
        copy = replace(self)
        given = {f"_{name}": value for name, value in more.items()}
        vars(copy).update(
            {name: vars(self)[name] for name in ("_settings", "_lock") if name in vars(self)},
            _about=with_metrics(about),
            _intervals=Numbers.of(intervals.reindex(columns=INTERVAL)),
            _jackknife=Numbers.of(jackknife),
            **given,
        )
        return copy

    @property
    def settings(self) -> dict[str, Any]:
        """Its `params.yaml`; empty when there is none that can be read."""
        return {} if isinstance(self._settings, Unusable) else self._settings

    @property
    def about(self) -> dict[str, Any]:
        """What was evaluated and how; Unusable when that isn't known."""
        return _known(self._about)

    @property
    def split(self) -> str:
        """The split it was evaluated on, `valid` or `test`; else what its settings say."""
        told = self.settings.get("evaluate") or {}
        about = told if isinstance(self._about, Unusable) else self._about
        return str(about.get("split", "valid"))

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """The model's metrics: columns `value se low high`."""
        return _known(self._intervals).frame("metric")

    def interval(self, metric: str) -> dict[str, float]:
        """Return a metric's `value`, with `se`, `low` and `high` of its interval."""
        return self._interval_rows[metric]

    @cached_property
    def _interval_rows(self) -> dict[str, dict[str, float]]:
        found = _known(self._intervals)
        rows = zip(found.rows, found.values.tolist(), strict=True)
        return {metric: dict(zip(found.columns, row, strict=True)) for metric, row in rows}

    @cached_property
    def jackknife(self) -> pd.DataFrame:
        """The metrics without each cluster in turn; the baseline's are `baseline.<metric>`."""
        return _known(self._jackknife).frame("cluster")

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """The names of the clusters that were left out in turn."""
        return _known(self._jackknife).rows

    def deleted(self, metric: str) -> np.ndarray:
        """Return a metric without each cluster in turn."""
        return _known(self._jackknife).column(metric)

    @property
    def slices(self) -> pd.DataFrame:
        """Its slices (the index): `rows`, the primary metric, its interval, its verdict.

        Empty where there are none. `verdict` is against the rest of the rows.
        """
        return self.slice_numbers.frame() if self.slice_numbers else NO_SLICES

    @property
    def slice_numbers(self) -> SliceNumbers | None:
        """The same as arrays; None where there are none."""
        return _known(self._slices) if SLICES in self.files else None

    def slices_in(self, metric: str) -> pd.DataFrame:
        """Return its slices in another metric; empty where there are none."""
        found = self._parsed(SLICES, lambda content: parse_slices(content, metric))
        return _known(found).frame() if SLICES in self.files else NO_SLICES

    @property
    def lock(self) -> dict[str, Any]:
        """What DVC recorded of each stage; empty when there is nothing that can be read."""
        return {} if isinstance(self._lock, Unusable) else self._lock

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of each file that a stage read or wrote, by path."""
        stages = self.lock.values()
        parts = [part for stage in stages for part in (*stage["deps"], *stage["outs"])]
        return {part["path"]: part["md5"] for part in parts}

    @cached_property
    def predictions(self) -> str:
        """What tells its predictions from others': their hash."""
        known = self.hashes.get(PREDICTIONS)
        if known:
            return known
        return self.files[JACKKNIFE].hash if JACKKNIFE in self.files else self.origin.revision

    @property
    def model(self) -> str | None:
        """The hash of its model file."""
        return self.hashes.get(MODEL.as_posix())

    @property
    def model_bytes(self) -> int | None:
        """The size of its model file."""
        outs = self.lock.get("train", {}).get("outs", ())
        sizes = (out["size"] for out in outs if out["path"] == MODEL.as_posix())
        return next(sizes, None)

    def check(self) -> None:
        """Read all that is recorded; Unusable says what is missing or broken."""
        if self._problem is not None:
            raise self._problem

    @cached_property
    def _problem(self) -> Unusable | None:
        try:
            self._read_all()
        except Unusable as problem:
            return problem
        return None

    def _read_all(self) -> None:
        for part in (self._about, self._intervals, self._jackknife):
            _known(part)
        for path in (PARAMS, LOCK, SLICES):
            self.check_file(path)
        if self.about["primary"] not in self.measured_metrics:
            raise Unusable(
                f"its {INTERVALS} and {JACKKNIFE} lack its primary metric, {self.about['primary']}"
            )
        if self.about["primary"] not in self.metrics:
            raise Unusable(
                f"its {ABOUT} doesn't say which value of {self.about['primary']} is better"
            )

    def check_file(self, path: str) -> None:
        """Read `params.yaml`, `dvc.lock` or the slices if it has them; Unusable: it is broken."""
        if path in self.files:
            _known(getattr(self, {PARAMS: "_settings", LOCK: "_lock", SLICES: "_slices"}[path]))

    def estimate(self, metric: str) -> Estimate:
        """Return a metric and its value without each cluster in turn."""
        if metric not in self._estimates:
            value, deleted = self.interval(metric)["value"], self.deleted(metric)
            self._estimates[metric] = Estimate(
                value, deleted, self.effective_clusters, names=self.cluster_names
            )
        return self._estimates[metric]

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {}

    @property
    def effective_clusters(self) -> float | None:
        """How many equal clusters would say as much as its own; None in an old evaluation."""
        return self.about.get("effective_clusters")

    @property
    def in_order(self) -> bool:
        """Whether neighbouring clusters are neighbours in fact; blocks always are."""
        block = (self.settings.get("evaluate") or {}).get("block", 1)
        return bool(self.about.get("clusters_in_order", block > 1))

    @cached_property
    def clusters(self) -> float:
        """How many clusters count: the effective ones, all where they aren't known."""
        return self.estimate(self.about["primary"]).clusters

    @cached_property
    def measured_metrics(self) -> list[str]:
        """The metrics that have deleted values, so that they can be compared."""
        columns = set(_known(self._jackknife).columns)
        return [name for name in _known(self._intervals).rows if name in columns]

    @cached_property
    def metrics(self) -> dict[str, Scale]:
        """The metrics that can have a verdict, as they were recorded; the primary one first."""
        told = scales_of(self.about)
        names = sorted(self.measured_metrics, key=lambda name: name != self.about["primary"])
        return {name: told[name] for name in names if name in told}


def _known(value: T | Unusable) -> T:
    if isinstance(value, Unusable):
        raise value
    return value


def usable(record: Record) -> bool:
    """Whether a record holds what a comparison needs."""
    try:
        record.check()
    except Unusable:
        return False
    return True


def require(record: Record) -> Record:
    """Return a record that can be compared; CrivoError says why it can't."""
    try:
        record.check()
    except Unusable as reason:
        raise CrivoError(
            f"{record.name} can't be compared: {reason}. Run it again to have it evaluated."
        ) from None
    return record
