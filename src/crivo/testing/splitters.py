"""Contract tests for every splitter: one suite of small checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from crivo.core.blocks import Splitter
from crivo.core.schema import Schema, Task
from crivo.preparation.splits import check_split_labels
from crivo.testing.contract import SettingsPromises, promise, require_columns, require_kept
from crivo.testing.examples import TASKS, example_rows, example_schema
from crivo.testing.tables import RowPromises


@dataclass
class SplitterPromises(RowPromises):
    """A splitter and the rows that it deals out."""

    block: Splitter
    schema: Schema
    rows: pd.DataFrame
    where: str = ""

    doing = "split"

    def _answer(self, rows: pd.DataFrame) -> pd.Series:
        return self.block.split(rows, self.schema)

    def a_row_gets_a_split(self) -> None:
        """Each row gets `train`, `valid` or `test`; no split is empty, no class untaught.

        A row may be missing where `sets_aside` says why.
        """
        kind, aside = type(self.answer).__name__, self.block.sets_aside is not None
        finding = f"it returned a {kind}; return a Series with the rows' index."
        promise(isinstance(self.answer, pd.Series), finding)
        name = type(self.block).__name__
        check_split_labels(self.answer, self.rows, self.schema, name, may_set_aside=aside)


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
    if schema is not None and rows is not None:
        suites = [SplitterPromises(block, schema, rows)]
    else:
        suites = [
            SplitterPromises(block, example_schema(task), example_rows(task), f"For {task}, ")
            for task in tasks
        ]
    require_kept(f"splitter {type(block).__name__}", SettingsPromises(block), *suites)
