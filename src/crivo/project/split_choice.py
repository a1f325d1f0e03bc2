"""Chooses a splitter and its settings for a new table, so that all splits have rows and classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.errors import CrivoError
from crivo.core.folds import is_share
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.featurization.row_checks.duplicates import mostly_equal_by_chance
from crivo.preparation.splits import split_rows
from crivo.preparation.tables.ids import without_copy
from crivo.preparation.time_split import fixed_start, split_by_time
from crivo.project.request import Request

MIN_ROWS = 5
# Below so many groups a split may have far fewer than its share.
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
            f"There are {len(rows)} usable rows, too few to train, choose and confirm; you need at "
            f"least {MIN_ROWS}, and hundreds for a clear result."
        )
    fair = _usable(rows, schema, request)
    why = WHY[request.splitter]
    if not fair.settings.get("copies_together", True):
        why += "; rows are equal by chance, so each is assigned by itself"
    if seed := fair.settings.get("seed"):
        why += f"; of the seeds up to {seed}, this one divides the rows best"
    if is_share(fair.settings.get("valid_from", 1)):
        why += "; added rows will move some old ones, and `prepare` will refuse that"
    return fair._replace(why=why)


def splitter_settings(
    splitter: str, rows: pd.DataFrame, schema: Schema
) -> Iterator[dict[str, Any]]:
    """Give settings of the splitter, the best first: such that added rows move no old one.

    Times are cut at fixed moments, rather at days. Of hashes there are many seeds.
    """
    shares: dict[str, Any] = {"valid": SHARE, "test": SHARE}
    if schema.time and splitter.startswith("by_time"):
        hashed = {"valid": 0.25, "test": 0.25} if splitter == "by_time_and_group" else {}
        seeds = [{**hashed, "seed": seed} for seed in range(SEEDS)] if hashed else [{}]
        by_share = {"valid_from": 0.6, "test_from": 0.8}
        for starts in (*_fixed(rows[schema.time], by_share, splitter), by_share):
            yield from ({**starts, **seed} for seed in seeds)
        return
    shares["exact"] = False  # what is counted out moves when rows are added
    if splitter != "by_group":
        shares["copies_together"] = not _alike_by_chance(rows, schema)
    yield from (shares | {"seed": seed} for seed in range(SEEDS))


def _fixed(
    times: pd.Series, shares: Mapping[str, float], splitter: str
) -> Iterator[dict[str, Any]]:
    """Give days and moments, or numbers, at which these shares of the rows begin."""
    starts = (shares["valid_from"], shares["test_from"])
    try:
        splits = split_by_time(times, starts, splitter)
    except CrivoError:  # shares will say so
        return
    moments = [times[splits == split].min() for split in SPLITS[1:]]
    if isinstance(moments[0], pd.Timestamp):
        yield dict(zip(shares, (fixed_start(one.normalize()) for one in moments), strict=True))
    fixed = [fixed_start(one) for one in moments]
    if not any(map(is_share, fixed)):  # else numbers from 0 to 1 would be taken for shares
        yield dict(zip(shares, fixed, strict=True))


def _alike_by_chance(rows: pd.DataFrame, schema: Schema) -> bool:
    """Say whether rows that are named by their content are alike, and only chance made them so."""
    ids = rows[schema.id].astype("str")
    alike = bool((ids.map(without_copy) != ids).any())
    return alike and mostly_equal_by_chance(rows, [*schema.features, schema.target])


def _usable(rows: pd.DataFrame, schema: Schema, request: Request) -> Split:
    """Return the first fair split, else the first to evaluate on, else the first that runs."""
    found: list[tuple[int, Split]] = []
    error = None
    for tried in splitter_settings(request.splitter, rows, schema):
        try:
            block = make_block("splitter", request.splitter, tried)
            split = Split(tried, *split_rows(block, request.splitter, rows, schema), "")
        except CrivoError as refusal:
            error = refusal
            continue
        merits = [*_merits(split, schema)]
        found.append((sum(merits), split))
        if all(merits):
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
    if "copies_together" in split.settings and task_of(schema).has_classes:
        of_class = [part.value_counts() / target.value_counts() for part in held]
        yield all(part.between(SHARE / TIMES, SHARE * TIMES).all() for part in of_class)
    if schema.group and "exact" in split.settings:
        groups = split.rows[schema.group]
        counts = [groups[split.splits == name].nunique() for name in SPLITS[1:]]
        yield groups.nunique() >= FEW_GROUPS or min(counts) >= round(SHARE * groups.nunique())


def _advice(request: Request) -> str:
    if request.time and request.group:
        return "`crivo start` with --time or with --group alone may do; nothing was written."
    option = "--time" if request.time else "--group" if request.group else None
    if option is None:
        return "Nothing was written."
    return f"`crivo start` without {option} splits at random; nothing was written."
