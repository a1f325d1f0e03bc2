"""A table on disk gives what a data frame with its rows gives."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core import artifacts, stored_table
from crivo.core.errors import CrivoError
from crivo.core.stored_table import (
    StoredTable,
    has_values,
    in_memory,
)

ROWS = pd.DataFrame(
    {
        "whole": pd.array([1, 2, None, 4, 5], dtype="Int32"),
        "number": [1.5, None, 2.5, 3.5, 4.5],
        "count": np.arange(5, dtype="int16"),
        "sure": [True, False, True, True, None],
        "word": pd.Series(["a", "b", None, "d", "e"], dtype="str"),
        "kind": pd.Categorical(["x", "y", "x", "z", "z"], ["z", "y", "x", "w"]),
        "day": pd.date_range("2013-01-01", periods=5, unit="us"),
        "day.zoned": pd.date_range("2013-01-01", periods=5, unit="us", tz="America/New_York"),
    }
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a file whose first and last row groups have gaps in different columns."""
    ROWS.to_parquet(tmp_path / "rows.parquet", index=False, row_group_size=3)
    return tmp_path / "rows.parquet"


def test_each_way_to_read_gives_rows_in_the_types_of_all(path: Path) -> None:
    table, whole = StoredTable(path), pd.read_parquet(path)
    assert len(table) == len(whole)
    assert list(table.columns) == list(whole.columns)
    for name in whole:
        pd.testing.assert_series_equal(table[str(name)], whole[name])
    for size in (2, 5):
        batches = [*table.batches(size)]
        assert max(map(len, batches)) <= size
        assert all(batch.dtypes.equals(whole.dtypes) for batch in batches)
        pd.testing.assert_frame_equal(pd.concat(batches), whole)
    pd.testing.assert_frame_equal(in_memory(table), whole)
    for places in ([4, 0], [1], []):
        rows = table.take(np.array(places, dtype=int))
        pd.testing.assert_frame_equal(rows, whole.take(places))
    for count in (2, 9):
        pd.testing.assert_frame_equal(table.head(count), whole.head(count))


def test_whole_numbers_with_gaps_elsewhere_are_floats_everywhere(tmp_path: Path) -> None:
    """Arrow's table says nothing of pandas, so that numbers of a batch without gaps are whole."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"n": [1, 2, None, 4]}), tmp_path / "rows.parquet")
    batches = [*StoredTable(tmp_path / "rows.parquet").batches(2)]
    assert [batch["n"].dtype for batch in batches] == ["float64", "float64"]


@pytest.mark.parametrize("told", [True, False])
def test_whether_a_column_has_values_is_known(tmp_path: Path, told: bool) -> None:
    rows = pd.DataFrame({"some": [None, 1.0], "none": [None, np.nan], "all": ["a", "b"]})
    rows = rows.astype({"none": "float64"})
    rows.to_parquet(tmp_path / "rows.parquet", row_group_size=1, write_statistics=told)
    table = StoredTable(tmp_path / "rows.parquet")
    for name in rows:
        assert has_values(table, str(name)) == has_values(rows, str(name)) == (name != "none")


def test_a_table_of_some_columns_has_no_others(path: Path) -> None:
    table = StoredTable(path)[["word", "count"]]
    assert list(table.head(1)) == ["word", "count"]
    assert "number" not in table
    with pytest.raises(KeyError, match="number"):
        table["number"]


def test_a_table_stays_on_disk_from_so_many_cells_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_table, "MAX_CELLS", 40)
    assert isinstance(artifacts.open_table(path), pd.DataFrame)
    assert isinstance(artifacts.open_table(path, together=[path, path]), StoredTable)
    monkeypatch.setattr(stored_table, "MAX_CELLS", 39)
    assert isinstance(artifacts.open_table(path), StoredTable)
    assert isinstance(artifacts.open_table(path, ["word"]), pd.DataFrame)


@pytest.mark.parametrize("content", [None, b"", b"no table"])
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "rows.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CrivoError, match="rows.parquet (doesn't exist|can't be read)"):
        artifacts.open_table(path)
