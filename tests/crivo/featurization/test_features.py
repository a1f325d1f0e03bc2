"""A featurizer that asks for a column which the rows lack."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from crivo.core.errors import CrivoError
from crivo.featurization.features import fit_transformer, write_features
from crivo.testing.examples import example_rows, example_schema

SCHEMA = example_schema()


class AsksFor(TransformerMixin, BaseEstimator):
    """Uses a column by its name, in `fit` or only afterwards."""

    def __init__(self, *, late: bool) -> None:
        self.late = late

    def fit(self, rows: pd.DataFrame, target: Any = None) -> "AsksFor":
        """Use it alone."""
        self.known_ = self.late or rows["amounts"]
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Use it with another."""
        return rows[["amounts", "pieces"]]


@pytest.mark.parametrize("late", [False, True])
def test_a_column_that_is_gone_is_said_with_those_that_are_there(
    tmp_path: Path, late: bool
) -> None:
    rows, transformer = example_rows(), AsksFor(late=late)

    def run() -> None:
        fit_transformer(transformer, rows, SCHEMA)
        write_features(transformer, rows[list(SCHEMA.features)], tmp_path / "features.parquet")

    with pytest.raises(CrivoError, match=r"asks for amounts, which .*mean `amount`\? There are: "):
        run()
