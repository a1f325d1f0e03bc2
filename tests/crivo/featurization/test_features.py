"""Rows on disk get the features that the same rows get in memory, byte for byte."""

import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from crivo.core import artifacts, stored_table
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.stored_table import StoredTable
from crivo.featurization import features
from crivo.featurization.features import fit_transformer, write_features
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows
from crivo.testing.examples import example_rows, example_schema

SCHEMA = example_schema()


class Plain(TransformerMixin, BaseEstimator):
    """A project's own: its `fit` takes a data frame."""

    def fit(self, rows: pd.DataFrame, target: Any = None) -> "Plain":
        """Learn the means."""
        self.means_ = rows[["amount", "pieces"]].mean(axis="rows").to_numpy()
        return self

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return numbers, minus what was learnt."""
        return rows[["amount", "pieces"]] - self.means_


class Unsteady(Plain):
    """The type of its column depends on the rows."""

    def transform(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Return whole numbers, or floats when one is above 7."""
        return rows[["pieces"]].astype("float32" if (rows["pieces"] > 7).any() else "int64")


def tabular(**settings: Any) -> Any:
    return make_block("featurizer", "tabular", settings).build(SCHEMA, 1)


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, StoredTable]:
    """Return splits on disk; batches are of 23 rows, and row groups of 100."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stored_table, "BATCH_ROWS", 23)
    monkeypatch.setattr(features, "GROUP_ROWS", 100)
    for seed, split in enumerate(artifacts.SPLITS):
        rows = example_rows(rows=240 - 37 * seed, seed=seed)
        if split == "valid":  # copies, ids and groups of training rows
            rows = pd.concat([rows, example_rows().head(30)], ignore_index=True)
        artifacts.write_table(artifacts.prepared(split), rows)
    return {split: StoredTable(artifacts.prepared(split)) for split in artifacts.SPLITS}


@pytest.mark.parametrize(
    "transformer",
    [tabular(max_levels=2, components=2), tabular(keep_text=True), Plain()],
)
def test_a_split_in_batches_has_the_bytes_of_one_in_memory(
    stored: dict[str, StoredTable], transformer: Any
) -> None:
    models = []
    for split, on_disk in stored.items():
        for rows in (on_disk, on_disk.in_memory()):
            if split == "train":
                fit_transformer(transformer, rows, SCHEMA)
                models.append(pickle.dumps(transformer))
        known = on_disk[list(SCHEMA.features)]
        write_features(transformer, known, Path("batches.parquet"))
        transformer.transform(known.in_memory()).to_parquet(
            "whole.parquet", index=False, row_group_size=100
        )
        assert Path("batches.parquet").read_bytes() == Path("whole.parquet").read_bytes()
    assert models[0] == models[1]


def test_types_that_depend_on_the_rows_are_refused(stored: dict[str, StoredTable]) -> None:
    transformer = Unsteady()
    fit_transformer(transformer, stored["train"], SCHEMA)
    with pytest.raises(CrivoError, match="other names or types for some rows than for others"):
        write_features(transformer, stored["train"], artifacts.features("train"))
    assert not artifacts.features("train").exists()


def test_the_checks_find_the_same_on_disk(stored: dict[str, StoredTable]) -> None:
    in_memory = {split: rows.in_memory() for split, rows in stored.items()}
    found = []
    for splits in (stored, in_memory):
        rows = SplitRows(SCHEMA, splits.__getitem__)
        rows.inputs = splits["train"][["amount", "kind", "remark"]]
        found.append([[*check.findings(rows)] for check in ROW_CHECKS.values()])
    assert found[0] == found[1]
    codes = {one.code for findings in found[0] for one in findings}
    assert codes >= {"L001", "L002", "L003", "L004"}


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
