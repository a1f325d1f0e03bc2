"""What a splitter promises: one suite of small checks for every splitter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import pandas as pd

from crivo.core.blocks import Splitter
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Task
from crivo.preparation.splits import check_split
from crivo.testing.block_settings import settings_breaches
from crivo.testing.contract import (
    BrokenPromise,
    find_breaches,
    promise,
    require_columns,
    require_none,
)
from crivo.testing.examples import TASKS, example_rows, example_schema
from crivo.testing.tables import difference, unchanged

FOLDS = 3


@dataclass
class SplitterCase:
    """A splitter and the rows that it deals out."""

    block: Splitter
    schema: Schema
    rows: pd.DataFrame

    def split(self, rows: pd.DataFrame) -> pd.Series:
        """Return the splits of a copy of some rows."""
        return self.block.split(rows.copy(), self.schema)

    @cached_property
    def splits(self) -> pd.Series:
        return self.split(self.rows)


def check_splitter(
    block: Splitter,
    *,
    tasks: Sequence[Task] = TASKS,
    schema: Schema | None = None,
    rows: pd.DataFrame | None = None,
) -> None:
    """Check that a splitter keeps every promise of its interface.

    `schema` and `rows` are those it is made for, without them a made-up table of each of the
    `tasks`, with a time column and groups.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeSplitter
    >>> check_splitter(FakeSplitter())
    """
    require_columns(block, schema or example_schema())
    breaches = settings_breaches(block)
    if schema is not None and rows is not None:
        breaches += find_breaches(SPLITTER_CHECKS, SplitterCase(block, schema, rows))
    else:
        for task in tasks:
            case = SplitterCase(block, example_schema(task), example_rows(task))
            breaches += find_breaches(SPLITTER_CHECKS, case, f"For {task}, ")
    require_none(f"splitter {type(block).__name__}", breaches)


def a_row_gets_a_split(case: SplitterCase) -> None:
    """Each row gets `train`, `valid` or `test`; no split is empty, no class untaught.

    A row may be missing where `sets_aside` says why.
    """
    promise(
        isinstance(case.splits, pd.Series),
        f"it returned a {type(case.splits).__name__}; return a Series with the rows' index.",
    )
    try:
        check_split(
            case.splits,
            case.rows,
            case.schema,
            type(case.block).__name__,
            may_set_aside=case.block.sets_aside is not None,
        )
    except CrivoError as error:
        raise BrokenPromise(str(error)) from None


def answers_in_the_rows_index(case: SplitterCase) -> None:
    """Whatever index the rows have, the splits have the same."""
    renamed = case.rows.set_axis([f"row {i}" for i in range(len(case.rows))], axis="index")
    splits = case.split(renamed)
    change = difference(case.splits.set_axis(renamed.index), splits)
    promise(change is None, f"rows with an index of names were split otherwise ({change}).")


def same_rows_same_splits(case: SplitterCase) -> None:
    """The same rows are dealt out in the same way, every time."""
    change = difference(case.splits, case.split(case.rows))
    promise(
        change is None,
        f"a second time the splits differ ({change}); use a hash of the id, or a fixed seed.",
    )


def rows_may_come_in_any_order(case: SplitterCase) -> None:
    """A row's split doesn't depend on where it stands among the others."""
    backwards = case.split(case.rows[::-1])[::-1]
    change = difference(case.splits, backwards)
    promise(
        change is None,
        f"the same rows in the opposite order were split otherwise ({change}); decide by what "
        "is in a row, not by its position.",
    )


def leaves_its_rows_alone(case: SplitterCase) -> None:
    """Splitting doesn't change the rows."""
    with unchanged(case.rows, doing="split"):
        case.block.split(case.rows, case.schema)


def folds_take_each_row_once(case: SplitterCase) -> None:
    """In the folds that it has, a row is validation row of one at most, and a test row of none.

    Nothing is promised where the rows are too few for these folds, or their moments too coarse:
    where a fold has one moment to be evaluated on.
    """
    taken = pd.Series(False, index=case.rows.index)
    block: Any = case.block
    for title, changed in _folds(case).items():
        unknown = set(changed) - {field.name for field in fields(block)}
        promise(not unknown, f"{title} changes {', '.join(unknown)}, which isn't a setting of it.")
        try:
            splits = replace(block, **changed).split(case.rows.copy(), case.schema)
        except CrivoError:
            return
        valid = splits == "valid"
        if case.schema.time is not None and case.rows.loc[valid, case.schema.time].nunique() == 1:
            return
        promise(
            not (valid & (case.splits == "test")).any(),
            f"{title} takes test rows for validation.",
        )
        promise(not (valid & taken).any(), f"{title} takes validation rows of another fold.")
        taken |= valid


def _folds(case: SplitterCase) -> Mapping[str, Mapping[str, Any]]:
    def first_time() -> Any:
        return case.rows.loc[case.splits == "train", str(case.schema.time)].min()

    try:
        return case.block.folds(FOLDS, first_time)
    except CrivoError:
        return {}


SPLITTER_CHECKS: Sequence[Callable[[SplitterCase], None]] = (
    a_row_gets_a_split,
    answers_in_the_rows_index,
    same_rows_same_splits,
    rows_may_come_in_any_order,
    leaves_its_rows_alone,
    folds_take_each_row_once,
)
