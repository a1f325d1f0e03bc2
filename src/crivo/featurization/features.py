"""Fits a featurizer's transformer, and writes the features of a split, for the stage featurize."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs
from crivo.core.problems import did_you_mean
from crivo.core.schema import Schema

if TYPE_CHECKING:
    import pandas as pd


def fit_transformer(transformer: Any, rows: pd.DataFrame, schema: Schema) -> None:
    """Fit a transformer on the training rows."""
    features = rows[list(schema.features)]
    with _columns_named(features):
        transformer.fit(features, rows[schema.target])


@contextmanager
def _columns_named(rows: pd.DataFrame) -> Iterator[None]:
    """Turn the KeyError of a column that the rows lack into a sentence."""
    try:
        yield
    except KeyError as error:
        # Of several columns, pandas puts the names in quotes into a sentence.
        missing = [name for name in re.findall("'(.+?)'", str(error)) if name not in rows]
        if not missing:
            raise
        near = did_you_mean(missing[0], [*map(str, rows)]) or "."
        raise CrivoError(
            f"The featurizer asks for {', '.join(missing)}, which aren't among the features{near} "
            f"There are: {', '.join(map(str, rows))}. Name one of them in the featurizer's block, "
            "or use data that have the column."
        ) from error


def write_features(transformer: Any, rows: pd.DataFrame, path: Path) -> None:
    """Write what a transformer makes of rows; CrivoError when it gave no model inputs."""
    with _columns_named(rows):
        inputs = check_inputs(transformer.transform(rows), rows)
    artifacts.write_table(path, inputs)
