"""Files: whole or not there, and the same bytes for the same values."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core import artifacts
from crivo.core.errors import CrivoError


def test_json_is_sorted_rounded_and_strict(tmp_path: Path) -> None:
    path = tmp_path / "new/folder/metrics.json"
    artifacts.write_json(path, {"b": np.float64(1 / 3), "a": np.nan, "é": (np.int64(2), True)})
    assert path.read_bytes() == (
        '{\n  "a": null,\n  "b": 0.3333333333,\n  "é": [\n    2,\n    true\n  ]\n}\n'.encode()
    )


def test_csv_ends_its_lines_the_same_everywhere(tmp_path: Path) -> None:
    artifacts.write_csv(tmp_path / "t.csv", pd.DataFrame({"a": [1 / 3, np.nan], "b": ["x", "y"]}))
    assert (tmp_path / "t.csv").read_bytes() == b"a,b\n0.3333333333,x\n,y\n"


def test_a_place_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (place := tmp_path / "new/folder/x").mkdir(parents=True)
    with pytest.raises(IsADirectoryError) as error:
        artifacts.write_text(place, "text")
    assert (error.value.strerror, error.value.filename) == ("Is a directory", str(place))


def test_a_table_is_written_without_its_index(tmp_path: Path) -> None:
    artifacts.write_table(tmp_path / "t", pd.DataFrame({"a": [1, 2]}, index=[5, 7]))
    assert artifacts.read_table(tmp_path / "t").index.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("text", "place"),
    [("[1]", "the whole"), ('{"task": "binary", "columns": [{"role": 1}]}', "columns.0.name")],
)
def test_a_broken_schema_is_one_sentence(tmp_path: Path, text: str, place: str) -> None:
    (tmp_path / "schema.json").write_text(text)
    with pytest.raises(CrivoError, match=rf"schema\.json can't be read \(is invalid \({place}: "):
        artifacts.read_schema(tmp_path / "schema.json")


@pytest.mark.parametrize("read", [artifacts.read_table, artifacts.read_json, artifacts.read_csv])
def test_a_missing_file_says_how_to_make_it(tmp_path: Path, read) -> None:
    with pytest.raises(CrivoError, match="doesn't exist yet; run `dvc repro`"):
        read(tmp_path / "none")


@pytest.mark.parametrize("read", [artifacts.read_table, artifacts.read_json])
def test_a_broken_file_is_one_sentence(tmp_path: Path, read) -> None:
    (tmp_path / "broken").write_bytes(b"PAR1 \x00 not really")
    with pytest.raises(CrivoError, match="broken"):
        read(tmp_path / "broken")
