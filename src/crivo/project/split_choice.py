"""Finds a split of a table that works: every split has rows, and the classes to evaluate by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.featurization.row_checks.copies import mostly_chance
from crivo.preparation.splits import divide
from crivo.preparation.tables.ids import without_copy
from crivo.project.request import FEW_OF_A_CLASS, FEW_ROWS, Request

MIN_ROWS = 5
# Below so many groups chance leaves splits empty: they are counted out.
FEW_GROUPS = 50
# Seeds to try until each split has what it needs.
SEEDS = 50
# A split of groups holds between a half and twice the rows that it should, if any seed does that.
SHARE, TIMES = 0.2, 2

WHY = {
    "at_random": "rows have no time and no group",
    "by_time": "rows have a time: later ones are evaluated",
    "by_group": "rows of one group stay in one split",
    "by_time_and_group": "rows have a time and a group: later rows of other groups are evaluated",
}


class Split(NamedTuple):
    """A splitter's settings, the rows that it deals out, the split of each, and the rows left."""

    settings: Mapping[str, Any]
    rows: pd.DataFrame
    splits: pd.Series
    quarantined: pd.DataFrame
    why: str


def choose_split(request: Request, rows: pd.DataFrame, schema: Schema) -> Split:
    """Return a split with settings that work on these rows; CrivoError when there is none."""
    if len(rows) < MIN_ROWS:
        raise CrivoError(
            f"There are {len(rows)} rows that can be used, too few to train, to choose and to "
            f"confirm; bring {MIN_ROWS} at least, and hundreds for a result."
        )
    settings = splitter_settings(request.splitter, rows, schema)
    seeds = range(SEEDS) if "seed" in settings else [None]
    fair = _usable(rows, schema, request, settings, seeds)
    why = WHY[request.splitter]
    if not settings.get("copies_together", True):
        why += "; chance made rows alike: each is dealt out by itself"
    seed = fair.settings.get("seed")
    return fair._replace(why=f"{why}; seed {seed} deals out all classes" if seed else why)


def splitter_settings(splitter: str, rows: pd.DataFrame, schema: Schema) -> dict[str, Any]:
    """Return the settings of the splitter: shares, cut exactly where rows or groups are few."""
    if splitter == "by_time":
        return {"valid_from": 0.6, "test_from": 0.8}
    if splitter == "by_time_and_group":
        return {"valid_from": 0.6, "test_from": 0.8, "valid": 0.25, "test": 0.25, "seed": 0}
    shares: dict[str, Any] = {"valid": SHARE, "test": SHARE, "seed": 0}
    if splitter == "by_group":
        return shares | {"exact": rows[str(schema.group)].nunique() < FEW_GROUPS}
    few = task_of(schema).has_classes and rows[schema.target].value_counts().min() < FEW_OF_A_CLASS
    exact = bool(len(rows) < FEW_ROWS or few)
    return shares | {"exact": exact, "copies_together": not _alike_by_chance(rows, schema)}


def _alike_by_chance(rows: pd.DataFrame, schema: Schema) -> bool:
    """Say whether rows that are named by their content are alike, and only chance made them so."""
    ids = rows[schema.id].astype("str")
    alike = bool((ids.map(without_copy) != ids).any())
    return alike and mostly_chance(rows, [*schema.features, schema.target])


def _usable(
    rows: pd.DataFrame,
    schema: Schema,
    request: Request,
    settings: Mapping[str, Any],
    seeds: Any,
) -> Split:
    """Return the first fair split, else the first to evaluate on, else the first that runs."""
    found: list[tuple[int, Split]] = []
    error = None
    for seed in seeds:
        tried = dict(settings) if seed is None else {**settings, "seed": seed}
        try:
            block = make_block("splitter", request.splitter, tried)
            split = Split(tried, *divide(block, request.splitter, rows, schema), "")
        except CrivoError as refusal:
            error = error or refusal
            continue
        found.append((sum(_merits(split, schema)), split))
        if found[-1][0] == 2:
            break
    if not found:
        raise CrivoError(f"{error} {_advice(request)}")
    return max(found, key=lambda one: one[0])[1]  # the first of the best


def _merits(split: Split, schema: Schema) -> Iterator[bool]:
    """Say whether held-out rows have more than one class, and each split its share of the rows."""
    target = split.rows[schema.target]
    held = [target[split.splits == name] for name in SPLITS[1:]]
    enough_classes = all(part.nunique() > 1 for part in held) or not task_of(schema).has_classes
    yield enough_classes
    shares = [len(part) / len(target) for part in held]
    yield enough_classes and all(SHARE / TIMES <= share <= SHARE * TIMES for share in shares)


def _advice(request: Request) -> str:
    if request.time and request.group:
        return "`crivo init` with --time or with --group alone may do; nothing was written."
    option = "--time" if request.time else "--group" if request.group else None
    if option is None:
        return "Nothing was written."
    return f"`crivo init` without {option} splits at random; nothing was written."
