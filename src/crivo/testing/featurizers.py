"""The contract suite of featurizers."""

from __future__ import annotations

from collections.abc import Mapping
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
from crivo.testing.block_settings import SettingsPromises
from crivo.testing.contract import (
    BrokenPromise,
    promise,
    require_columns,
    require_kept,
    without_excuses,
)
from crivo.testing.estimators import SEED, EstimatorPromises
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
class FeaturizerPromises(EstimatorPromises):
    """A featurizer with rows of one schema."""

    schema: Schema

    method = "transform"
    answers = "inputs"

    def _build(self) -> Any:
        """Return what the featurizer builds for the schema."""
        return self.block.build(self.schema, SEED)

    def _fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new transformer, fitted as the featurize stage does it."""
        return self._build().fit(features, target)

    def _apply(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of some rows; BrokenPromise when they aren't a table of inputs."""
        try:
            return check_inputs(estimator.transform(features.copy()), features)
        except CrivoError as error:
            raise BrokenPromise(str(error)) from None

    def takes_whole_numbers_as_either(self) -> None:
        """A whole number gives the same inputs as an integer and as a float.

        A new row alone has integers where the training rows had floats: with gaps or fractions.
        """
        taught = self._fit_on(self.features.apply(in_other_form), self.target)
        for place in sorted({0, len(self.unseen) // 2, len(self.unseen) - 1}):
            row = self.unseen.iloc[place : place + 1]
            other = row.apply(in_other_form)
            for transformer in (self.fitted, taught):
                change = difference(self._apply(transformer, row), self._apply(transformer, other))
                promise(
                    change is None,
                    "integers in the place of floats, or the other way round, gave other inputs "
                    f"({change}); let the type of a column's numbers be no matter.",
                )

    def same_columns_for_all_rows(self) -> None:
        """All rows get the columns, types and levels of categories that the training rows got."""
        taught = self._apply(self.fitted, self.features)
        change = difference(taught[:0], self.applied.reset_index(drop=True)[:0])
        promise(change is None, f"rows after training ({change}).")

    def fits_by_column_as_it_says(self) -> None:
        """One that says `fits_by_column` learns the same from columns that come one at a time."""
        built = self._build()
        if not getattr(built, "fits_by_column", False):
            return
        with TemporaryDirectory() as folder:
            path = Path(folder) / "rows.parquet"
            self.features.to_parquet(path, index=False)
            one = self._fit_on(pd.read_parquet(path), self.target)
            other = built.fit(StoredTable(path, self.schema.features), self.target)
        promise(
            dump_model(one) == dump_model(other),
            "it says `fits_by_column`, and columns one at a time teach it something else.",
        )

    def takes_unseen_values(self) -> None:
        """Values that training never saw are taken, and get the same columns."""
        strange = self.unseen.copy()
        for name in self.schema.features:
            kind = self.schema.column(name).type
            if kind in NEVER_SEEN:
                strange[name] = pd.Series([NEVER_SEEN[kind]] * len(strange), index=strange.index)
        change = difference(self.applied[:0], self._apply(self.fitted, strange)[:0])
        promise(change is None, f"rows with new values ({change}).")

    def gives_no_empty_column(self) -> None:
        """A column without any value in training gives no input without any value."""
        name, *other_features = self.schema.features
        if not other_features:
            return
        empty = self.features[name].mask(np.ones(len(self.features), bool))
        rows = self.features.assign(**{name: empty})
        inputs = self._apply(self._fit_on(rows, self.target), rows)
        without = [str(column) for column in inputs if inputs[column].isna().all()]
        promise(
            not without, f"it gave {', '.join(without)} without any value; leave such columns out."
        )


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
    suite = FeaturizerPromises(block, rows[names], rows[schema.target], unseen[names], schema)
    require_kept(f"featurizer {type(block).__name__}", SettingsPromises(block), suite)
