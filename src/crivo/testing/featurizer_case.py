"""What the checks of a featurizer look at: the block, its schema, rows, and their inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd

from crivo.core.blocks import Featurizer
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs
from crivo.core.schema import Column, Schema
from crivo.testing.contract import BrokenPromise

SEED = 7


@dataclass
class FeaturizerCase:
    """A featurizer, a schema, training rows, and rows that it has never seen."""

    block: Featurizer
    schema: Schema
    rows: pd.DataFrame
    unseen: pd.DataFrame
    # The schema that scikit-learn's checks use: numbers alone suit a featurizer of any columns.
    plain: Schema | None = None
    expected_failures: Mapping[str, str] = field(default_factory=dict)

    def fit(self, rows: pd.DataFrame | None = None) -> Any:
        """Return a new transformer, fitted as the featurize stage does it."""
        rows = self.rows if rows is None else rows
        features = rows[list(self.schema.features)]
        return self.block.build(self.schema, SEED).fit(features, rows[self.schema.target])

    def transform(self, transformer: Any, rows: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs of some rows; BrokenPromise when they aren't a table of inputs."""
        features = rows[list(self.schema.features)]
        try:
            return check_inputs(transformer.transform(features), features)
        except CrivoError as error:
            raise BrokenPromise(str(error)) from None

    @cached_property
    def fitted(self) -> Any:
        return self.fit()

    @cached_property
    def again(self) -> Any:
        return self.fit()

    @cached_property
    def inputs(self) -> pd.DataFrame:
        return self.transform(self.fitted, self.unseen)


def number_schema() -> Schema:
    """Return a schema of three numbers."""
    return Schema(
        task="regression",
        columns=(
            Column(name="id", role="id", type="text"),
            Column(name="target", role="target", type="number"),
            *(Column(name=name, role="feature", type="number") for name in ("a", "b", "c")),
        ),
    )
