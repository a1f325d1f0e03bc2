"""A featurizer that asks for a column which the rows lack."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from crivo.core.errors import CrivoError
from crivo.featurization.row_checks import SplitRows
from crivo.run import Run
from crivo.testing.fakes import example_rows, example_schema


class AsksFor(TransformerMixin, BaseEstimator):
    """Uses a column by its name."""

    def fit(self, rows: pd.DataFrame, target: Any = None) -> "AsksFor":
        """Use it alone."""
        self.known_ = rows["amounts"]
        return self


class Made(Run):
    """A run of the made-up rows with this featurizer."""

    schema = example_schema()

    def block(self, kind: str) -> Any:
        """Return a block that makes the transformer."""
        return SimpleNamespace(build=lambda schema, seed: AsksFor())


def test_a_column_that_is_gone_is_said_with_those_that_are_there() -> None:
    run = Made(SimpleNamespace(seed=0), "featurize", lambda step: None)  # type: ignore[arg-type]
    rows = SplitRows(run.schema, lambda split: example_rows())
    with pytest.raises(CrivoError, match="KeyError: 'amounts'.*name another in .* amount"):
        run.featurize(rows)
