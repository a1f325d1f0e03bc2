"""Compares the splits that `prepare` makes with those of the last commit's result, row by row.

If more rows than `prepare.moved_limit` are in another split by the same settings, the stage stops;
otherwise there is a warning. Outputs never depend on this. The earlier rows are read from DVC's
cache, by the committed `dvc.lock`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
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
from crivo.core.params import Params
from crivo.core.parsing import parse_yaml
from crivo.core.registry import BLOCKS, make_block
from crivo.core.schema import Schema
from crivo.preparation.time_split import fixed_start
from crivo.runtime.read_guard import allow_read

log = logging.getLogger(__name__)

LOCK = Path("dvc.lock")
# Of so few rows known again by their ids, ids may have changed: their content is compared.
FEW = 0.5


@dataclass(frozen=True)
class CommittedRows:
    """The rows of the last commit's result, by its entry of `dvc.lock`.

    `params` and `hashes` are those of the stage prepare; `places`: where DVC's cache has an output.
    """

    params: dict[str, Any]
    hashes: dict[str, str]
    places: dict[Path, Path]

    def read(self, split: str, columns: list[str]) -> pd.DataFrame:
        """Return columns of a split's rows."""
        return artifacts.read_table(self.places[artifacts.prepared(split)], columns)

    def is_split_by(self, splitter: Splitter, name: str) -> bool:
        """Whether the splitter, its settings and its code were these."""
        code = Path(BLOCKS, "splitters", f"{name}.py")
        if self.hashes.get(code.as_posix()) != md5_of(code):
            return False
        try:
            before = make_block("splitter", name, self.params.get(f"splitters.{name}"))
        except CrivoError:  # it had other settings
            return False
        return bool(before == splitter)


def committed_rows(dataset: str) -> CommittedRows | None:
    """Return the rows of the last commit's result; None when it has none on this data set."""
    files, cache = [artifacts.SCHEMA, *map(artifacts.prepared, artifacts.SPLITS)], Cache(Path())
    try:
        stage = parse_yaml(committed_text(LOCK) or "{}")["stages"]["prepare"]
        (params,) = stage["params"].values()  # all settings are of one file
        hashes = {entry["path"]: entry["md5"] for entry in (*stage["deps"], *stage["outs"])}
        places = {path: cache.place(hashes[path.as_posix()]) for path in files}
        return CommittedRows(params, hashes, places) if params["dataset"] == dataset else None
    except (LookupError, TypeError, ValueError, AttributeError, CrivoError):
        return None  # no result of these stages


def compare_with_committed(
    rows: pd.DataFrame, splits: pd.Series, schema: Schema, splitter: Splitter, params: Params
) -> None:
    """Say which rows are in other splits than in the last commit's result.

    CrivoError: more than `prepare.moved_limit` rows moved, though the split's settings didn't
    change.
    """
    committed = committed_rows(params.dataset)
    if committed is None:
        return
    if not all(place.is_file() for place in committed.places.values()):
        _tell_missing(committed, artifacts.RAW / params.dataset)
        return
    for place in committed.places.values():
        allow_read(place)
    before = artifacts.read_schema(committed.places[artifacts.SCHEMA])
    types = {one.name: one.type for one in before.columns}
    for one in schema.columns:
        if (earlier := types.get(one.name, one.type)) != one.type:
            told = f"{one.name} was a {earlier} column in the last commit's result, and is a "
            log.warning(f"{told}{one.type} column now. If cells were misread, correct them.")
    moved = _moved(committed, before, rows, splits, schema)
    if not moved:
        return
    counts = ", ".join(f"{rows:,} from {old} to {new}" for (old, new), rows in moved.items())
    found = f"Rows moved to another split since the last commit's result: {counts}."
    was, now = ((one.id, one.target, one.time, one.group) for one in (before, schema))
    if was != now or not committed.is_split_by(splitter, params.splitter):
        log.warning("%s The settings of the split changed, too.", found)
    elif sum(moved.values()) <= params.prepare.moved_limit:
        log.warning("%s prepare.moved_limit allows it.", found)
    else:
        advice = _advice(committed, splitter, params.splitter, schema)
        raise CrivoError(
            f"{found} The settings of the split are the same, so a model may be tested on rows "
            f"that an earlier one was trained on. {advice} To let them move this time, set "
            f"prepare.moved_limit: {sum(moved.values())}."
        )


def _tell_missing(committed: CommittedRows, raw: Path) -> None:
    """Warn that nothing can be compared, unless the raw data are those of the result."""
    record = raw.with_name(f"{raw.name}.dvc")
    md5 = str(committed.hashes.get(raw.as_posix()))
    if not record.exists() or md5 not in record.read_text("utf-8"):
        log.warning(
            "DVC's cache lacks the rows of the last commit's result, so it isn't known whether "
            "rows move to another split; to compare them, run `dvc fetch prepare`, then this again."
        )


def _moved(
    committed: CommittedRows, before: Schema, rows: pd.DataFrame, splits: pd.Series, schema: Schema
) -> dict[Any, int]:
    """Return how many rows went from one split to another: known by their ids, or their content."""
    both = {one.name for one in schema.columns} - {schema.id}
    common = [one.name for one in before.columns if one.name in both]
    was_in = {split: committed.read(split, [before.id])[before.id] for split in artifacts.SPLITS}
    now_in = {split: rows.loc[splits == split, schema.id] for split in artifacts.SPLITS}
    if all(ids.array.equals(now_in[split].array) for split, ids in was_in.items()):
        return {}  # as a rule; to hash rows takes longer
    moved: dict[Any, int] = {}
    for old, new in [([before.id], [schema.id]), (common, common)][: 1 + bool(common)]:
        was = pd.concat(
            pd.Series(split, _hashes(committed.read(split, old)))
            for split in reversed(artifacts.SPLITS)  # test rows first
        )
        now = splits.set_axis(_hashes(rows[new]))
        now = now[~now.index.duplicated()].reindex(was.index)
        pairs = pd.DataFrame({"from": was.to_numpy(), "to": now.to_numpy()}).dropna()
        apart = pairs[pairs["from"] != pairs["to"]]
        moved = dict(apart.groupby(["from", "to"], sort=False).size()) or moved
        told = f"found {len(pairs):,} of the {len(was):,} rows of the last commit's result"
        if len(pairs) >= FEW * len(was):
            if len(pairs) < max(len(was), len(rows)):
                more = splits.value_counts().sub(pairs["to"].value_counts(), fill_value=0)
                each = [f"{more[it]:,.0f} {it}" for it in artifacts.SPLITS if more.get(it, 0) > 0]
                log.info(f"{told.capitalize()}; new rows: {', '.join(each) or 'none'}.")
            return moved
    log.warning(f"Only {told} by id or content. It isn't known whether the others moved.")
    return moved


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
