"""The contract suite of featurizers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Featurizer
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs
from crivo.core.schema import Schema
from crivo.core.stored_table import StoredTable
from crivo.modelfile.canonical import dump_model
from crivo.testing.block_settings import settings_breaches
from crivo.testing.contract import (
    BrokenPromise,
    find_breaches,
    promise,
    require_columns,
    require_none,
    without_excuses,
)
from crivo.testing.estimators import ESTIMATOR_CHECKS, SEED, EstimatorCase
from crivo.testing.examples import example_rows, example_schema
from crivo.testing.tables import difference, in_other_form

# What a value that training never saw may look like, by the column's type.
NEVER_SEEN: dict[str, Any] = {
    "category": "never seen",
    "text": "words that were never seen before",
    "number": 1e6,
    "date": pd.Timestamp("2031-05-17"),
}


@dataclass
class FeaturizerCase(EstimatorCase):
    """A featurizer with rows of one schema."""

    schema: Schema

    method = "transform"
    answers = "inputs"

    def build(self) -> Any:
        """Return what the featurizer builds for the schema."""
        return self.block.build(self.schema, SEED)

    def fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new transformer, fitted as the featurize stage does it."""
        return self.build().fit(features, target)

    def apply(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of some rows; BrokenPromise when they aren't a table of inputs."""
        try:
            return check_inputs(estimator.transform(features.copy()), features)
        except CrivoError as error:
            raise BrokenPromise(str(error)) from None


def check_featurizer(
    block: Featurizer,
    *,
    schema: Schema | None = None,
    rows: pd.DataFrame | None = None,
    expected_failures: Mapping[str, str] | None = None,
) -> None:
    """Check that a featurizer keeps every promise of its interface.

    `schema` and `rows` are those it is made for, without them a made-up table with a column
    of each type; the test is skipped where they lack columns that the block `needs`.
    `expected_failures` does nothing and will go.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeFeaturizer
    >>> check_featurizer(FakeFeaturizer())
    """
    without_excuses(expected_failures)
    if schema is None or rows is None:
        schema, rows, unseen = example_schema(), example_rows(), example_rows(rows=60, seed=9)
    else:
        rows, unseen = (rows[start::2].reset_index(drop=True) for start in (0, 1))
    require_columns(block, schema)
    names = list(schema.features)
    case = FeaturizerCase(block, rows[names], rows[schema.target], unseen[names], schema)
    breaches = settings_breaches(block) + find_breaches(FEATURIZER_CHECKS, case)
    require_none(f"featurizer {type(block).__name__}", breaches)


def takes_whole_numbers_as_either(case: FeaturizerCase) -> None:
    """A whole number gives the same inputs as an integer and as a float.

    A new row alone has integers where the training rows had floats: theirs had gaps or fractions.
    """
    taught = case.fit_on(case.features.apply(in_other_form), case.target)
    for place in sorted({0, len(case.unseen) // 2, len(case.unseen) - 1}):
        row = case.unseen.iloc[place : place + 1]
        for transformer in (case.fitted, taught):
            inputs = [case.apply(transformer, rows) for rows in (row, row.apply(in_other_form))]
            change = difference(*inputs)
            promise(
                change is None,
                "integers in the place of floats, or the other way round, gave other inputs "
                f"({change}); let the type of a column's numbers be no matter.",
            )


def same_columns_for_all_rows(case: FeaturizerCase) -> None:
    """All rows get the columns and types that the training rows got, levels of categories too."""
    taught = case.apply(case.fitted, case.features)
    change = difference(taught[:0], case.applied.reset_index(drop=True)[:0])
    promise(change is None, f"rows after training: {change}.")


def fits_by_column_as_it_says(case: FeaturizerCase) -> None:
    """One that says `fits_by_column` learns the same from columns that come one at a time."""
    built = case.build()
    if not getattr(built, "fits_by_column", False):
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        case.features.to_parquet(path, index=False)
        one = case.fit_on(pd.read_parquet(path), case.target)
        other = built.fit(StoredTable(path, case.schema.features), case.target)
    promise(
        dump_model(one) == dump_model(other),
        "it says `fits_by_column`, and columns that come one at a time teach it something else.",
    )


def takes_unseen_values(case: FeaturizerCase) -> None:
    """Values that training never saw are taken, and get the same columns."""
    strange = case.unseen.copy()
    for name in case.schema.features:
        kind = case.schema.column(name).type
        if kind in NEVER_SEEN:
            strange[name] = pd.Series([NEVER_SEEN[kind]] * len(strange), index=strange.index)
    change = difference(case.applied[:0], case.apply(case.fitted, strange)[:0])
    promise(change is None, f"rows with new values: {change}.")


def gives_no_empty_column(case: FeaturizerCase) -> None:
    """A column without any value in training gives no input without any value."""
    name, *other_features = case.schema.features
    if not other_features:
        return
    empty = case.features[name].mask(np.ones(len(case.features), bool))
    rows = case.features.assign(**{name: empty})
    inputs = case.apply(case.fit_on(rows, case.target), rows)
    without = [str(column) for column in inputs if inputs[column].isna().all()]
    promise(not without, f"it gave {', '.join(without)} without any value; leave such columns out.")


FEATURIZER_CHECKS: Sequence[Callable[[FeaturizerCase], None]] = (
    *ESTIMATOR_CHECKS,
    takes_whole_numbers_as_either,
    same_columns_for_all_rows,
    fits_by_column_as_it_says,
    takes_unseen_values,
    gives_no_empty_column,
)
