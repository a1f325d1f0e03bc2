"""The rows that `prepare` wrote, read for the checks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.featurization.row_checks import SplitRows
from crivo.repository.unreadable import Unreadable

if TYPE_CHECKING:
    import pandas as pd


def prepared_rows(root: Path) -> SplitRows | None:
    """Return the prepared rows; None before `prepare` has run: there is nothing to check."""
    paths = [artifacts.SCHEMA, *map(artifacts.prepared, artifacts.SPLITS)]
    if not all((root / path).is_file() for path in paths):
        return None
    try:
        schema = artifacts.read_schema(root / artifacts.SCHEMA)
    except (CrivoError, TypeError, ValueError) as error:
        raise Unreadable(artifacts.SCHEMA.as_posix(), str(error)) from None

    def read(split: str) -> pd.DataFrame:
        path = artifacts.prepared(split)
        try:
            return artifacts.read_table(root / path)
        except CrivoError as error:
            raise Unreadable(path.as_posix(), str(error)) from None

    splits = SplitRows(schema, read)
    splits.inputs = _inputs(root)
    return splits


def _inputs(root: Path) -> pd.DataFrame | None:
    """Return what the model sees of the training rows; None before `featurize` has run."""
    path = artifacts.features("train")
    try:
        return artifacts.read_table(root / path) if (root / path).is_file() else None
    except CrivoError as error:
        raise Unreadable(path.as_posix(), str(error)) from None
