"""A table that is prepared column by column gives the same files as one in memory."""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core import artifacts, stored_table
from crivo.core.blocks import Splitter
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.preparation.prepared import Prepared, prepare_rows
from crivo.preparation.stored_columns import stored
from crivo.preparation.tables.files import large_parquet

ROWS = 90


def raw_rows(seed: int) -> pd.DataFrame:
    """Return rows of every type that Parquet brings, with gaps, copies and rows to set aside."""
    rng = np.random.default_rng(seed)
    day = pd.Timestamp("2013-01-01") + pd.to_timedelta(rng.integers(0, 300, ROWS), unit="D")
    rows = pd.DataFrame(
        {
            "key": [f"{seed}-{i:03}" for i in rng.permutation(ROWS)],
            "whole": rng.integers(0, 9, ROWS).astype("int16"),
            "gaps": pd.array(rng.integers(0, 9, ROWS)).astype("Int32"),
            "narrow": rng.normal(size=ROWS).astype("float32"),
            "written": rng.choice(["1,5", "2,25", "?"], ROWS),
            "colour": pd.Categorical(rng.choice(["red", "blue"], ROWS)),
            "open": rng.choice(["yes", "no"], ROWS),
            "sure": rng.choice([True, False], ROWS),
            "day": day,
            "zoned": day.tz_localize("America/New_York"),
            "shop": rng.choice([f"s{i}" for i in range(12)], ROWS),
            "weight": rng.choice([1.0, 2.0], ROWS),
            "label": rng.choice(["a", "b"], ROWS),
        }
    )
    rows.loc[3, ["label", "shop"]] = None
    rows.loc[5, ["gaps", "narrow", "written", "open"]] = [None, np.nan, None, "maybe"]
    rows.loc[7, "narrow"] = np.inf
    rows.loc[9, "weight"] = 0
    rows.loc[11] = rows.loc[12]
    return rows


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of three Parquet files; batches and row groups are of few rows."""
    monkeypatch.setattr(stored_table, "MAX_CELLS", 1000)
    monkeypatch.setattr(stored_table, "BATCH_ROWS", 17)
    folder = tmp_path / "table"
    folder.mkdir()
    for seed in range(3):
        raw_rows(seed).to_parquet(folder / f"{seed}.parquet", index=False)
    return folder


SETTINGS: dict[str, Any] = {"target": "label", "weight": "weight", "min_class_rows": 2}
NAMED = {"id": "key", "time": "day", "group": "shop", "outcome": ["narrow"], "drop": ["sure"]}


def prepared(place: Path, rows: Any, dataset: Any, splitter: Splitter) -> dict[str, bytes]:
    """Return the content of all files that are written in a folder."""
    (place / artifacts.COLUMNS).mkdir(parents=True)
    (place / artifacts.COLUMNS / "0.arrow").write_text("left by a run that was killed")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(place)
        in_memory = isinstance(rows, pd.DataFrame)
        with nullcontext(rows) if in_memory else stored(rows) as given:
            told: Prepared = prepare_rows(given, dataset, splitter, "splitter", 0.9)
        artifacts.write_schema(told.schema)
        artifacts.write_table(artifacts.QUARANTINE, told.quarantined)
        for name, table in told.tables.items():
            artifacts.write_csv(artifacts.DATA_METRICS / name, table)
        artifacts.write_json(artifacts.DATA_METRICS / "metrics.json", told.metrics)
    return {
        path.relative_to(place).as_posix(): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file() and path.parent.name != artifacts.COLUMNS.name
    }


def assert_same(tmp_path: Path, folder: Path, settings: Any, splitter: Splitter) -> None:
    dataset = make_block("dataset", "table", SETTINGS | settings)
    columns = dataset.columns(folder)
    assert columns is not None
    by_column = prepared(tmp_path / "by column", columns, dataset, splitter)
    in_memory = prepared(tmp_path / "in memory", dataset.load(folder), dataset, splitter)
    assert by_column.keys() == in_memory.keys()
    assert [name for name in in_memory if by_column[name] != in_memory[name]] == []
    assert not (tmp_path / "by column" / artifacts.COLUMNS).exists()


@pytest.mark.parametrize(
    ("settings", "splitter"),
    [
        (NAMED, ("by_time_and_group", {"valid_from": 0.5, "test_from": 0.7})),
        ({"group": "shop"}, ("by_group", {})),
        ({"id": ["key", "whole"]}, ("at_random", {"exact": True})),
        ({"target": "narrow", "min_class_rows": 1}, ("at_random", {})),
    ],
)
def test_a_folder_in_batches_gives_the_bytes_of_one_in_memory(
    tmp_path: Path, folder: Path, settings: dict[str, Any], splitter: tuple[str, Any]
) -> None:
    assert_same(tmp_path, folder, settings, make_block("splitter", *splitter))


class ByColour(Splitter):
    """A project's own: it uses a column that no role names."""

    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return the split of each row."""
        known = rows["colour"].astype("str").map({"red": "train", "blue": "valid"})
        return known.where(rows["whole"] > 1, "test")


def test_a_splitter_may_use_any_column(tmp_path: Path, folder: Path) -> None:
    assert_same(tmp_path, folder, NAMED, ByColour())


def in_csv(folder: Path) -> None:
    raw_rows(0).to_csv(folder / "0.csv")


def other_type(folder: Path) -> None:
    raw_rows(1).astype({"whole": "float64"}).to_parquet(folder / "1.parquet", index=False)


def named_index(folder: Path) -> None:
    for seed in range(3):
        raw_rows(seed).set_index("key").to_parquet(folder / f"{seed}.parquet")


def padded_name(folder: Path) -> None:
    for seed in range(3):
        rows = raw_rows(seed).rename(columns={"open": " open"})
        rows.to_parquet(folder / f"{seed}.parquet", index=False)


@pytest.mark.parametrize("change", [in_csv, other_type, named_index, padded_name])
def test_files_that_must_be_put_together_are_read_in_memory(
    folder: Path, change: Callable[[Path], None]
) -> None:
    assert large_parquet(folder) is not None
    change(folder)
    assert large_parquet(folder) is None


MEMORY = """
import json, re
from pathlib import Path
from crivo.core import stored_table
from crivo.core.registry import make_block
from crivo.preparation import stored_columns
from crivo.preparation.prepared import prepare_rows
import pyarrow.parquet, pyarrow.compute
stored_table.MAX_CELLS, stored_table.BATCH_ROWS, stored_columns.GROUP_ROWS = 0, 4096, 4096
dataset = make_block("dataset", "table", {"target": "label", "id": "key"})
splitter = make_block("splitter", "at_random", {})
def peak():  # `ru_maxrss` would hold that of the process which started this one
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
found = []
for folder in ("narrow", "wide"):
    with stored_columns.stored(dataset.columns(Path(folder))) as rows:
        prepare_rows(rows, dataset, splitter, "at_random", 0.5)
    found.append(peak())
prepare_rows(dataset.load(Path("wide")), dataset, splitter, "at_random", 0.5)
found.append(peak())
print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells the peak in this way")
def test_memory_does_not_grow_with_the_columns(tmp_path: Path) -> None:
    for name, width in (("narrow", 4), ("wide", 60)):
        (tmp_path / name).mkdir()
        rows = pd.DataFrame(np.random.default_rng(0).normal(size=(50_000, width)))
        rows = rows.rename(columns=str).assign(key=range(50_000), label=["a", "b"] * 25_000)
        rows.to_parquet(tmp_path / name / "0.parquet", index=False, row_group_size=10_000)
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    narrow, wide, in_memory = json.loads(done.stdout.splitlines()[-1])
    # The wide table is 24 MB.
    assert wide - narrow < (in_memory - narrow) / 3
