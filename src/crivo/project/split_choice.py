"""Chooses a splitter and its settings for a new table, so that all splits have rows and classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import pandas as pd

from crivo.core.artifacts import SPLITS
from crivo.core.errors import CrivoError
from crivo.core.folds import is_share
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.featurization.row_checks.copies import mostly_equal_by_chance
from crivo.preparation.hash_split import without_copy
from crivo.preparation.prepared import split_rows
from crivo.preparation.time_split import fixed_start, split_by_time
from crivo.project.choices import Request

MIN_ROWS = 5
# Below so many groups a split may have far fewer than its share.
FEW_GROUPS = 50
# Seeds to try until each split has what it needs.
SEEDS = 50
# A split of groups holds between a half and twice the rows that it should, if any seed does that.
SHARE, TIMES = 0.2, 2
# Seconds from 1970 to 1990 and to 2100: a number between them may be a moment.
LIKELY = 631_152_000, 4_102_444_800

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
    """Return the first fair split, else the first to evaluate on, else the first that runs.

    CrivoError: there is none.
    """
    if len(rows) < MIN_ROWS:
        raise CrivoError(
            f"There are too few usable rows to train, choose and confirm ({len(rows)}); you need "
            f"at least {MIN_ROWS}, and hundreds for a clear result."
        )
    best: Split | None = None
    most = -1
    for settings in _settings(request.splitter, rows, schema):
        try:
            block = make_block("splitter", request.splitter, settings)
            dealt = split_rows(block, request.splitter, rows, schema)
        except CrivoError as refusal:
            error = refusal
            continue
        split = Split(settings, *dealt, _why(request.splitter, settings))
        merits = [*_merits(split, schema)]
        if sum(merits) > most:
            best, most = split, sum(merits)
        if all(merits):
            break
    if best is None:
        options = [f"--{name}" for name in ("time", "group") if getattr(request, name)]
        other = f" `crivo start` without {' or '.join(options)} splits differently."
        raise CrivoError(f"{error}{other if options else ''} Nothing was written.")
    return best


def _why(splitter: str, settings: Mapping[str, Any]) -> str:
    """Return why rows are split so, and what may surprise in it."""
    why = WHY[splitter]
    if not settings.get("copies_together", True):
        why += "; rows are equal by chance, so each is assigned on its own"
    if seed := settings.get("seed"):
        why += f"; of the seeds up to {seed}, this one divides the rows best"
    if is_share(settings.get("valid_from", 1)):
        why += "; added rows will move some old ones, and `prepare` will refuse that"
    return why + _as_dates([settings.get(name) for name in ("valid_from", "test_from")])


def _as_dates(starts: Sequence[Any]) -> str:
    """Return the moments that numbers mean if they count from 1970, as in logs; else nothing.

    >>> _as_dates([1645699931, 1658178885]), _as_dates([2017, 2018])
    ('; in seconds since 1970, these are 2022-02-24 10:52 and 2022-07-18 21:14 (UTC)', '')
    >>> for size in (10**3, 10**9):
    ...     print(_as_dates([631152000 * size, 4102444799 * size]))
    ; in milliseconds since 1970, these are 1990-01-01 00:00 and 2099-12-31 23:59 (UTC)
    ; in nanoseconds since 1970, these are 1990-01-01 00:00 and 2099-12-31 23:59 (UTC)
    >>> _as_dates([631151999, 1658178885]), _as_dates([1645699931, 4102444800])
    ('', '')
    """
    if not all(isinstance(one, int | float) for one in starts):
        return ""
    for unit, size in (("seconds", 1), ("milliseconds", 10**3), ("nanoseconds", 10**9)):
        moments = [one / size for one in starts]
        if LIKELY[0] <= min(moments) and max(moments) < LIKELY[1]:
            first, second = (f"{pd.Timestamp(one, unit='s'):%Y-%m-%d %H:%M}" for one in moments)
            return f"; in {unit} since 1970, these are {first} and {second} (UTC)"
    return ""


def _settings(splitter: str, rows: pd.DataFrame, schema: Schema) -> Iterator[dict[str, Any]]:
    """Give settings of the splitter, the best first: such that added rows move no old one.

    Times are cut at fixed moments, rather at days. Of hashes there are many seeds.
    """
    if schema.time and splitter.startswith("by_time"):
        seeds: list[dict[str, Any]] = [{}]
        if splitter == "by_time_and_group":
            seeds = [{"valid": 0.25, "test": 0.25, "seed": seed} for seed in range(SEEDS)]
        for starts in _starts(rows[schema.time], splitter):
            yield from (starts | seed for seed in seeds)
        return
    # `exact`: what is counted out moves when rows are added.
    shares = {"valid": SHARE, "test": SHARE, "exact": False}
    if splitter != "by_group":
        shares["copies_together"] = not _alike_by_chance(rows, schema)
    yield from (shares | {"seed": seed} for seed in range(SEEDS))


def _starts(times: pd.Series, splitter: str) -> Iterator[dict[str, Any]]:
    """Give days and moments, or numbers, at which two fifths of the rows begin, then shares."""
    names, shares = ("valid_from", "test_from"), (0.6, 0.8)
    with suppress(CrivoError):  # shares will say so
        splits = split_by_time(times, shares, splitter)
        moments = [times[splits == split].min() for split in SPLITS[1:]]
        if isinstance(moments[0], pd.Timestamp):
            yield dict(zip(names, (fixed_start(one.normalize()) for one in moments), strict=True))
        fixed = [fixed_start(one) for one in moments]
        if not any(map(is_share, fixed)):  # else numbers from 0 to 1 would be taken for shares
            yield dict(zip(names, fixed, strict=True))
    yield dict(zip(names, shares, strict=True))


def _alike_by_chance(rows: pd.DataFrame, schema: Schema) -> bool:
    """Say whether rows that are named by their content are alike, and only chance made them so."""
    ids = rows[schema.id].astype("str")
    alike = bool((ids.map(without_copy) != ids).any())
    return alike and mostly_equal_by_chance(rows, [*schema.features, schema.target])


def _merits(split: Split, schema: Schema) -> Iterator[bool]:
    """Say whether held-out rows have more than one class, and each split its share of the rows."""
    target, classes = split.rows[schema.target], task_of(schema).has_classes
    held = [split.splits == name for name in SPLITS[1:]]
    enough_classes = not classes or all(target[one].nunique() > 1 for one in held)
    yield enough_classes
    yield enough_classes and all(_fair(one.mean()) for one in held)
    if "copies_together" in split.settings and classes:
        of_class = [target[one].value_counts() / target.value_counts() for one in held]
        yield all(part.map(_fair).all() for part in of_class)
    if schema.group and "exact" in split.settings:
        groups = split.rows[schema.group]
        fewest = min(groups[one].nunique() for one in held)
        yield groups.nunique() >= FEW_GROUPS or fewest >= round(SHARE * groups.nunique())


def _fair(share: float) -> bool:
    return SHARE / TIMES <= share <= SHARE * TIMES
