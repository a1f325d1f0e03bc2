"""Compares the splits that `prepare` makes with those of the last commit's result, row by row.

If more rows than `prepare.moved_limit` are in another split by the same settings, the stage stops;
otherwise there is a warning. Outputs never depend on this. The earlier rows are read from DVC's
cache, by the committed `dvc.lock`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Splitter
from crivo.core.cache import Cache, md5_of
from crivo.core.errors import CrivoError
from crivo.core.folds import is_share
from crivo.core.git import committed_text
from crivo.core.parsing import parse_json, parse_yaml
from crivo.core.registry import BLOCKS, make_block
from crivo.core.schema import Schema
from crivo.preparation.time_split import fixed_start
from crivo.runtime.read_guard import allow_read

log = logging.getLogger("crivo.prepare")

LOCK = Path("dvc.lock")
# Of so few rows known again by their ids, ids may have changed: their content is compared.
FEW = 0.5


class CommittedRows:
    """The rows of the last commit's result, and how they were split, by its entry of `dvc.lock`."""

    def __init__(self, stage: Mapping[str, Any]) -> None:
        (self.params,) = stage["params"].values()  # all settings are of one file
        entries = (*stage["deps"], *stage["outs"])
        self.hashes: dict[str, str] = {entry["path"]: entry["md5"] for entry in entries}
        files, cache = [artifacts.SCHEMA, *map(artifacts.prepared, artifacts.SPLITS)], Cache(Path())
        self._files = {path: cache.place(self.hashes[path.as_posix()]) for path in files}

    @property
    def is_there(self) -> bool:
        """Whether the cache holds it."""
        return all(path.is_file() for path in self._files.values())

    @property
    def schema(self) -> Schema:
        """What the columns were."""
        content = self._open(artifacts.SCHEMA)
        return artifacts.parse_schema(parse_json(content.read_bytes()), str(content))

    def read(self, split: str, columns: list[str]) -> pd.DataFrame:
        """Return columns of a split's rows."""
        with self._open(artifacts.prepared(split)).open("rb") as content:
            return pd.read_parquet(content, columns=columns)

    def is_split_by(self, splitter: Splitter, name: str) -> bool:
        """Whether the splitter, its settings and its code were these."""
        code = f"{BLOCKS}/splitters/{name}.py"
        if self.hashes.get(code) != md5_of(Path(code)):
            return False
        try:
            before = make_block("splitter", name, self.params.get(f"splitters.{name}"))
        except CrivoError:  # it had other settings
            return False
        return bool(before == splitter)

    def _open(self, path: Path) -> Path:
        allow_read(self._files[path])
        return self._files[path]


def committed_rows(dataset: str) -> CommittedRows | None:
    """Return the rows of the last commit's result; None when it has none on this data set."""
    try:
        committed = CommittedRows(parse_yaml(committed_text(LOCK) or "{}")["stages"]["prepare"])
        return committed if committed.params["dataset"] == dataset else None
    except (LookupError, TypeError, ValueError, AttributeError, CrivoError):
        return None  # no result of these stages


def compare_with_committed(
    rows: pd.DataFrame,
    splits: pd.Series,
    schema: Schema,
    *,
    dataset: str,
    splitter: Splitter,
    name: str,
    limit: int,
) -> None:
    """Say which rows are in other splits than in the last commit's result.

    CrivoError: more than `limit` rows moved, though the split's settings didn't change.
    """
    committed = committed_rows(dataset)
    if committed is None:
        return
    if not committed.is_there:
        raw = artifacts.RAW / dataset
        record = raw.with_name(f"{raw.name}.dvc")
        md5 = committed.hashes.get(raw.as_posix(), "")
        if not record.exists() or md5 not in record.read_text("utf-8"):
            log.warning(
                "DVC's cache lacks the rows of the last commit's result, so it isn't known whether "
                "rows move to another split; to compare them, run `dvc fetch prepare`, then this "
                "again."
            )
        return
    before = committed.schema
    moved = _moved(committed, before, rows, splits, schema)
    if not moved:
        return
    roles = [(one.id, one.target, one.time, one.group) for one in (before, schema)]
    counts = ", ".join(f"{rows:,} from {old} to {new}" for (old, new), rows in moved.items())
    found = f"Rows moved to another split since the last commit's result: {counts}."
    if roles[0] != roles[1] or not committed.is_split_by(splitter, name):
        log.warning("%s The settings of the split changed, too.", found)
    elif sum(moved.values()) <= limit:
        log.warning("%s prepare.moved_limit allows it.", found)
    else:
        raise CrivoError(
            f"{found} The settings of the split are the same, so a model may be tested on rows "
            f"that an earlier one was trained on. {_advice(committed, splitter, name, schema)} To "
            f"let them move this time, set prepare.moved_limit: {sum(moved.values())}."
        )


def _moved(
    committed: CommittedRows, before: Schema, rows: pd.DataFrame, splits: pd.Series, schema: Schema
) -> dict[tuple[str, str], int]:
    """Return how many rows went from one split to another: known by their ids, or their content."""
    both = {one.name for one in schema.columns} - {schema.id}
    common = [one.name for one in before.columns if one.name in both]
    counts: dict[tuple[str, str], int] = {}
    for old, new in [([before.id], [schema.id]), (common, common)][: 1 + bool(common)]:
        sides = [
            pd.Series(split, _hashes(committed.read(split, old)))
            for split in reversed(artifacts.SPLITS)  # test rows first
        ]
        found, share = _counted(pd.concat(sides), splits.set_axis(_hashes(rows[new])))
        counts = found or counts
        if share >= FEW:
            return counts
    log.warning(
        "Fewer than half of the rows in the last commit's result can be recognized by their ids or "
        "contents, so it isn't known whether the others moved to another split."
    )
    return counts


def _counted(before: pd.Series, now: pd.Series) -> tuple[dict[tuple[str, str], int], float]:
    """Return how many rows went from one split to another, and the share that is known again.

    Both have the split of each row; the index names the rows.
    """
    sides = now[~now.index.duplicated()].reindex(before.index)
    pairs = pd.DataFrame({"from": before.to_numpy(), "to": sides.to_numpy()}).dropna()
    counts = pairs[pairs["from"] != pairs["to"]].groupby(["from", "to"], sort=False).size()
    return dict(counts), len(pairs) / max(1, len(before))


def _hashes(rows: pd.DataFrame) -> np.ndarray:
    """Return a hash of each row's content."""
    return pd.util.hash_pandas_object(rows.astype("str"), index=False).to_numpy()


def _advice(committed: CommittedRows, splitter: Any, name: str, schema: Schema) -> str:
    """Say what lets rows move in this split, and what to set instead."""
    if schema.time and is_share(getattr(splitter, "valid_from", 1)):
        valid, test = (
            fixed_start(committed.read(split, [schema.time])[schema.time].min())
            for split in artifacts.SPLITS[1:]
        )
        return (
            "With shares of the rows, the cuts move with every new row: set "
            f"splitters.{name}.valid_from: {valid!r} and test_from: {test!r}, where the splits "
            "began before."
        )
    if getattr(splitter, "exact", False):
        return (
            f"With splitters.{name}.exact, added rows move rows next to a cut. Without it, rows "
            "move this once and never again."
        )
    return "Correct the data or the block that reads or splits them."
