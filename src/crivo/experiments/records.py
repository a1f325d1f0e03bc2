"""Past experiments as git holds them: settings, metrics, and the metrics without each cluster."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from math import nan
from pathlib import PurePosixPath
from typing import Any

import pandas as pd
import yaml
from ruamel.yaml import YAMLError

from crivo.core.artifacts import EVALUATION, MODEL
from crivo.core.errors import CrivoError
from crivo.core.params import load_yaml
from crivo.evaluation.intervals import Estimate
from crivo.experiments.git import Blob

FOLDER = PurePosixPath(EVALUATION.as_posix())
PARAMS = "params.yaml"
LOCK = "dvc.lock"
ABOUT = str(FOLDER / "evaluation.json")
INTERVALS = str(FOLDER / "intervals.csv")
JACKKNIFE = str(FOLDER / "jackknife.csv")
SLICES = str(FOLDER / "slices.csv")
PREDICTIONS = str(FOLDER / "predictions.parquet")
FILES = (PARAMS, LOCK, ABOUT, INTERVALS, JACKKNIFE, SLICES)

# What DVC writes when no message is given.
NO_MESSAGE = "dvc: commit experiment "

NEEDED = ("rows", "definition", "split", "task", "primary")


class Unusable(Exception):
    """A record that can't be compared; the message says what is missing or broken."""


@dataclass(frozen=True)
class Origin:
    """Where a record comes from: its name, its commit, who made it and when.

    `parent` is the commit that an experiment started from; `trial` tells an experiment of
    DVC's from a commit.
    """

    name: str
    revision: str
    parent: str | None
    author: str
    seconds: int
    message: str
    trial: bool = False

    @property
    def when(self) -> datetime:
        """The moment it was recorded."""
        return datetime.fromtimestamp(self.seconds, UTC)

    @property
    def hypothesis(self) -> str:
        """The message someone wrote; empty where DVC wrote one."""
        return "" if self.message.startswith(NO_MESSAGE) else self.message


@dataclass(frozen=True, eq=False)
class Record:
    """An experiment, or a commit with an evaluation; its files are read when asked for."""

    origin: Origin
    files: Mapping[str, Blob] = field(repr=False)

    @property
    def name(self) -> str:
        """The experiment's, branch's or tag's name, or the commit's short hash."""
        return self.origin.name

    @property
    def key(self) -> tuple[str, ...]:
        """What tells its evaluation from others; empty when it has none."""
        if ABOUT not in self.files and JACKKNIFE not in self.files:
            return ()
        told = (LOCK, ABOUT, INTERVALS, JACKKNIFE)
        return tuple(self.files[path].hash for path in told if path in self.files)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Its `params.yaml`; empty when there is none that can be read."""
        try:
            values = load_yaml(self._text(PARAMS))
        except (Unusable, YAMLError):
            return {}
        return values if isinstance(values, dict) else {}

    @cached_property
    def about(self) -> dict[str, Any]:
        """What was evaluated and how; Unusable when that isn't known."""
        try:
            about = json.loads(self._text(ABOUT))
            missing = [name for name in NEEDED if name not in about]
        except (ValueError, TypeError):
            raise Unusable(f"its {ABOUT} is no valid JSON") from None
        if missing:
            raise Unusable(f"its {ABOUT} doesn't say {', '.join(missing)}")
        return about

    @cached_property
    def split(self) -> str:
        """Which rows judged it, `valid` or `test`; what its settings say when nothing else does."""
        try:
            return str(self.about["split"])
        except Unusable:
            section = self.settings.get("evaluate")
            return str(section.get("split", "valid")) if isinstance(section, dict) else "valid"

    @cached_property
    def intervals(self) -> pd.DataFrame:
        """The model's metrics: columns `value se low high`."""
        rows = self._rows(INTERVALS, ("metric", "of", "value", "se", "low", "high"))
        names = ["value", "se", "low", "high"]
        values = [[_number(row[name]) for name in names] for row in rows if row["of"] == "model"]
        metrics = [row["metric"] for row in rows if row["of"] == "model"]
        return pd.DataFrame(values, pd.Index(metrics, name="metric"), names, dtype=float)

    @cached_property
    def jackknife(self) -> pd.DataFrame:
        """The metrics without each cluster in turn; the baseline's are named `prior.<metric>`."""
        rows = self._rows(JACKKNIFE, ("cluster",))
        clusters = pd.Index([row.pop("cluster") for row in rows], name="cluster", dtype="str")
        values = [[_number(text) for text in row.values()] for row in rows]
        return pd.DataFrame(values, clusters, list(rows[0]) if rows else [], dtype=float)

    @cached_property
    def slices(self) -> pd.DataFrame:
        """Its slices (the index): `rows`, the primary metric, its interval, how it is judged.

        Empty where there are none. `verdict` is against the rest of the rows.
        """
        metric = self.about["primary"]
        names = {"rows": "rows", metric: "value", f"{metric}_low": "low", f"{metric}_high": "high"}
        try:
            rows = self._rows(SLICES, ("slice", "kind", "verdict", *names))
        except Unusable:
            rows = []
        kept = [row for row in rows if row["kind"] != "all"]
        values = [[*(_number(row[name]) for name in names), row["verdict"]] for row in kept]
        index = pd.Index([row["slice"] for row in kept], name="slice", dtype="str")
        return pd.DataFrame(values, index, [*names.values(), "verdict"])

    @cached_property
    def lock(self) -> dict[str, Any]:
        """What DVC recorded of each stage; empty when there is nothing that can be read."""
        try:
            found = yaml.load(self._text(LOCK), yaml.CSafeLoader)
            return dict(found["stages"])
        except (Unusable, yaml.YAMLError, KeyError, TypeError):
            return {}

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The hash of each file that a stage read or wrote, by path."""
        parts = [
            part
            for stage in self.lock.values()
            for part in [*stage.get("deps", ()), *stage.get("outs", ())]
        ]
        return {part["path"]: str(part.get("md5", "")) for part in parts}

    @property
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
        sizes = (out.get("size") for out in outs if out.get("path") == MODEL.as_posix())
        return next(sizes, None)

    def check(self) -> None:
        """Read what a comparison needs; Unusable says what is missing."""
        for part in (self.about, self.intervals, self.jackknife):
            assert part is not None

    def estimate(self, metric: str) -> Estimate:
        """Return a metric and its value without each cluster in turn."""
        return Estimate(float(self.intervals["value"][metric]), self.jackknife[metric])

    @property
    def judged(self) -> list[str]:
        """The metrics that have deleted values, so that they can be compared."""
        return [str(name) for name in self.intervals.index if name in self.jackknife]

    def _text(self, path: str) -> str:
        if path not in self.files:
            raise Unusable(f"it was recorded without {path}")
        return self.files[path].content.decode(errors="replace")

    def _rows(self, path: str, columns: Sequence[str]) -> list[dict[str, str]]:
        """Return a CSV file's rows; for such small files much faster than pandas."""
        reader = csv.DictReader(io.StringIO(self._text(path)), restval="")
        rows = list(reader)
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise Unusable(f"its {path} lacks columns: {', '.join(missing)}")
        return rows


def _number(text: str) -> float:
    try:
        return float(text) if text else nan
    except ValueError:
        raise Unusable(f"its metrics hold {text!r} where a number must be") from None


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
