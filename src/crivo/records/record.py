"""`Record`: a past experiment as git holds it: settings, metrics, jackknife values, losses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

import numpy as np

from crivo.core.artifacts import EVALUATION, MODEL
from crivo.core.errors import CrivoError
from crivo.core.parsing import ParseError
from crivo.evaluation.allowances import loss_values
from crivo.evaluation.metrics import scales_of
from crivo.records.ledger import NO_LEDGER, Ledger
from crivo.records.reading import (
    Jackknife,
    Slice,
    Unusable,
    parse_about,
    parse_intervals,
    parse_jackknife,
    parse_settings,
    parse_slices,
    with_metrics,
)
from crivo.repository.commits import Kind, Origin
from crivo.repository.git import GitObject
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
# What tells a result from others, and all that a record is read from.
RESULT = (LOCK, ABOUT, INTERVALS, JACKKNIFE)
FILES = (PARAMS, *RESULT, SLICES)
# What a stage made, and the incumbent, which changes no prediction.
MADE = ("data/prepared/", "data/features/", "models/", "metrics/")


PARSERS: Mapping[str, Callable[[bytes], Any]] = {
    PARAMS: parse_settings,
    LOCK: parse_lock,
    ABOUT: parse_about,
    INTERVALS: parse_intervals,
    JACKKNIFE: parse_jackknife,
}


@dataclass(frozen=True, eq=False)
class Record:
    """An experiment, or a commit with an evaluation; its files are read when asked for.

    `said`: what files say, as far as they were read, or why that isn't known. `ledger`: in which
    order evaluations became known.
    """

    origin: Origin
    files: Mapping[str, GitObject] = field(repr=False)
    ledger: Ledger = field(default=NO_LEDGER, repr=False)
    said: dict[str, Any] = field(default_factory=dict, repr=False)

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
        kind = "commit" if not self.origin.trial else "run" if self.kind == "seed" else "trial"
        return digest(kind, str(self._or_nothing(ABOUT).get("rows")), self.predictions)

    @cached_property
    def moment(self) -> tuple[int, int, str]:
        """What orders records: when they became known, or were recorded, and their names."""
        return self.ledger.place(self.evaluation), self.origin.seconds, self.name

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its evaluation from others; empty when it has none."""
        if ABOUT not in self.files and JACKKNIFE not in self.files:
            return ()
        return tuple(self.files[path].hash for path in RESULT if path in self.files)

    def content(self, path: str) -> Any:
        """Return what a file says; Unusable: it is missing or can't be read."""
        if path not in self.said:
            self.said[path] = self._parsed(path)
        if isinstance(self.said[path], Unusable):
            raise self.said[path]
        return self.said[path]

    def _parsed(self, path: str) -> Any:
        if path not in self.files:
            return Unusable(f"it was recorded without {path}")
        try:
            return PARSERS[path](self.files[path].content)
        except ParseError as error:
            return Unusable(f"its {path} {error}")

    def _or_nothing(self, path: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = self.content(path)
        except Unusable:
            return {}
        return found

    def with_values(
        self,
        about: Mapping[str, Any],
        intervals: Mapping[str, Mapping[str, float]],
        jackknife: Jackknife,
        more: Mapping[str, Any] | None = None,
    ) -> Record:
        """Return the record with another evaluation than its files have.

        `more`: what its settings and its lock say, by their paths, where those differ as well.
        """
        kept = {path: self.said[path] for path in (PARAMS, LOCK) if path in self.said}
        evaluation = {ABOUT: with_metrics(about), INTERVALS: intervals, JACKKNIFE: jackknife}
        return replace(self, said={**kept, **evaluation, **(more or {})})

    @property
    def settings(self) -> dict[str, Any]:
        """Its `params.yaml`; empty when there is none that can be read."""
        return self._or_nothing(PARAMS)

    @property
    def about(self) -> dict[str, Any]:
        """What was evaluated and how; Unusable when that isn't known."""
        told: dict[str, Any] = self.content(ABOUT)
        return told

    @property
    def split(self) -> str:
        """The split it was evaluated on, `valid` or `test`; else what its settings say."""
        told = self._or_nothing(ABOUT) or self.settings.get("evaluate") or {}
        return str(told.get("split", "valid"))

    @property
    def intervals(self) -> dict[str, dict[str, float]]:
        """The model's metrics: of each its `value`, and `se`, `low` and `high` of its interval."""
        found: dict[str, dict[str, float]] = self.content(INTERVALS)
        return found

    @property
    def jackknife(self) -> Jackknife:
        """The metrics without each cluster in turn; the baseline's are `baseline.<metric>`."""
        found: Jackknife = self.content(JACKKNIFE)
        return found

    def slices(self, metric: str) -> list[Slice]:
        """Return its slices with a metric; none where they can't be read."""
        with suppress(KeyError, ParseError):
            return parse_slices(self.files[SLICES].content, metric)
        return []

    @property
    def lock(self) -> dict[str, Any]:
        """What DVC recorded of each stage; empty when there is nothing that can be read."""
        return self._or_nothing(LOCK)

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of each file that a stage read or wrote, by path."""
        stages = self.lock.values()
        parts = [part for stage in stages for part in (*stage["deps"], *stage["outs"])]
        return {part["path"]: part["md5"] for part in parts}

    def inputs(self, *, without: str | None = None) -> dict[str, str]:
        """Return the hash of each file that its stages read and that none made: code, lock, data.

        `without`: a stage that doesn't count.
        """
        stages = (stage for name, stage in self.lock.items() if name != without)
        read = [part for stage in stages for part in stage.get("deps", ())]
        return {part["path"]: part["md5"] for part in read if not part["path"].startswith(MADE)}

    @cached_property
    def predictions(self) -> str:
        """What tells its predictions from others': their hash."""
        known = self.hashes.get(PREDICTIONS)
        if known:
            return known
        return self.files[JACKKNIFE].hash if JACKKNIFE in self.files else self.origin.revision

    def predicts_as(self, other: Record) -> bool:
        """Whether it makes the predictions of another record of the same rows.

        Of one model with one result, the tables of predictions may differ in their slices.
        """
        if self.predictions == other.predictions:
            return True
        known = self.model is not None and JACKKNIFE in self.files and JACKKNIFE in other.files
        same = known and self.model == other.model
        return same and self.files[JACKKNIFE].hash == other.files[JACKKNIFE].hash

    @property
    def model(self) -> str | None:
        """The hash of its model file."""
        return self.hashes.get(MODEL.as_posix())

    @property
    def model_bytes(self) -> int | None:
        """The size of its model file."""
        outs = self.lock.get("train", {}).get("outs", ())
        return next((out["size"] for out in outs if out["path"] == MODEL.as_posix()), None)

    @cached_property
    def problem(self) -> Unusable | None:
        """What is missing or broken, so that it can't be compared; None for nothing."""
        try:
            for path in (ABOUT, INTERVALS, JACKKNIFE, *self.files):
                if path in PARSERS:
                    self.content(path)
        except Unusable as problem:
            return problem
        primary = self.about["primary"]
        if primary not in self.measured_metrics:
            return Unusable(f"its {INTERVALS} and {JACKKNIFE} lack its primary metric, {primary}")
        if primary not in self.metrics:
            return Unusable(f"its {ABOUT} doesn't say which value of {primary} is better")
        return None

    def estimate(self, metric: str) -> Estimate:
        """Return a metric and its value without each cluster in turn."""
        if metric not in self._estimates:
            own = self.intervals[metric]
            self._estimates[metric] = Estimate(
                own["value"],
                self.jackknife.metrics[metric],
                self.effective_clusters,
                names=self.jackknife.clusters,
                exact=(own["low"], own["high"]),
                in_order=self.in_order,
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
    def losses(self) -> np.ndarray:
        """The losses of up to 1,000 of its rows; none in an old evaluation."""
        return loss_values(self.about.get("losses", ""))

    @cached_property
    def clusters(self) -> float:
        """How many clusters count: the effective ones, all where they aren't known."""
        return self.estimate(self.about["primary"]).clusters

    @property
    def units(self) -> tuple[float, str]:
        """How many clusters there are, or rows where no column names clusters, and which."""
        rows, settings = self.about.get("n_rows"), self.settings.get("evaluate") or {}
        if settings.get("cluster") is None and rows:
            return float(rows), "rows"
        return float(self.about.get("n_clusters") or round(self.clusters)), "clusters"

    @cached_property
    def measured_metrics(self) -> list[str]:
        """The metrics that have deleted values, so that they can be compared."""
        return [name for name in self.intervals if name in self.jackknife.metrics]

    @cached_property
    def metrics(self) -> dict[str, Scale]:
        """The metrics that can have a verdict, as they were recorded; the primary one first."""
        told = scales_of(self.about)
        names = sorted(self.measured_metrics, key=lambda name: name != self.about["primary"])
        return {name: told[name] for name in names if name in told}


def usable(record: Record) -> bool:
    """Whether a record holds what a comparison needs."""
    return record.problem is None


def require(record: Record) -> Record:
    """Return a record that can be compared; CrivoError says why it can't."""
    if record.problem is not None:
        raise CrivoError(
            f"{record.name} can't be compared: {record.problem}. Run it again to have it evaluated."
        )
    return record
