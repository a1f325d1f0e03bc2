"""Rows of the last commit's result keep their sides."""

import hashlib
import json
import logging
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
import yaml
from tests.crivo.schemas import few_columns

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.preparation.prepared import prepare_rows

ROOT = Path(__file__).parents[3]


def schema_of(rows: pd.DataFrame) -> Schema:
    roles: Any = rows.dtypes[3:].eq("str").map({True: "info", False: "feature"})
    return few_columns(day="time", **roles)


def rows_of(count: int, **more: Any) -> pd.DataFrame:
    days = pd.date_range("2013-01-01", periods=count)
    rows = {"key": [f"k{i}" for i in range(count)], "y": range(count), "day": days, "x": 1.0}
    return pd.DataFrame(rows | more)


class Team:
    """A project whose last commit records a result; no stage runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / ".dvc").mkdir()
        (folder / "src").symlink_to(ROOT / "src")
        (folder / "data/raw").mkdir(parents=True)
        self.git("init", "-q")

    def git(self, *command: str) -> None:
        subprocess.run(["git", *command], cwd=self.folder, check=True)

    def keep(self, content: bytes) -> str:
        md5 = hashlib.md5(content).hexdigest()
        place = self.folder / ".dvc/cache/files/md5" / md5[:2] / md5[2:]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return md5

    def commit(self, rows: pd.DataFrame, splitter: str, settings: dict[str, Any]) -> None:
        """Record what `prepare` would make of rows."""
        schema = schema_of(rows)
        splits = make_block("splitter", splitter, settings).split(rows, schema)
        contents = {artifacts.SCHEMA: json.dumps(schema.to_json()).encode()}
        for split in artifacts.SPLITS:
            contents[artifacts.prepared(split)] = rows[splits == split].to_parquet(index=False)
        code = f"src/blocks/splitters/{splitter}.py"
        deps = {"data/raw/table": "0123.dir", code: self.keep((ROOT / code).read_bytes())}
        params = {"dataset": "table", "splitter": splitter, f"splitters.{splitter}": settings}
        stage = {
            "deps": [{"path": path, "md5": md5} for path, md5 in deps.items()],
            "params": {"params.yaml": params},
            "outs": [{"path": str(path), "md5": self.keep(c)} for path, c in contents.items()],
        }
        (self.folder / "dvc.lock").write_text(yaml.safe_dump({"stages": {"prepare": stage}}))
        self.git("add", "dvc.lock")
        self.git("commit", "-q", "-m", "Record")


@pytest.fixture
def team(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    monkeypatch.chdir(tmp_path)
    return Team(tmp_path)


def compare(rows: pd.DataFrame, splitter: str, settings: dict[str, Any], limit: int = 0) -> None:
    good = pd.Series(pd.NA, rows.index, dtype="str")
    dataset = SimpleNamespace(schema=schema_of, unusable=lambda rows: good)
    limits = SimpleNamespace(moved_limit=limit, quarantine_limit=0)
    params = SimpleNamespace(dataset="table", splitter=splitter, prepare=limits)
    block: Any = make_block("splitter", splitter, settings)
    prepare_rows(rows, dataset, block, params, lambda step: None)  # type: ignore[arg-type]


SHARES = {"valid_from": 0.6, "test_from": 0.8}


def test_shares_of_more_rows_are_refused_with_numbers_and_the_points_that_hold(team: Team) -> None:
    """Of 100 days, validation began on day 61 and test on day 81; of 120, on days 73 and 97."""
    team.commit(rows_of(100), "by_time", SHARES)
    with pytest.raises(CrivoError) as refused:
        compare(rows_of(120), "by_time", SHARES)
    said = str(refused.value)
    assert "16 from test to valid, 12 from valid to train" in said
    assert "valid_from: '2013-03-02' and test_from: '2013-03-22'" in said
    assert "prepare.moved_limit: 28" in said
    with pytest.raises(CrivoError, match="16 from valid to test, 12 from train to valid"):
        compare(rows_of(80), "by_time", SHARES)


def test_fixed_points_and_a_number_that_is_allowed_are_not_refused(
    team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "crivo")
    team.commit(rows_of(100), "by_time", SHARES)
    compare(rows_of(100), "by_time", SHARES)
    points = {"valid_from": "2013-03-02", "test_from": "2013-03-22"}
    compare(rows_of(120, x="5.1 C"), "by_time", points)
    assert "x was a number column in the last commit's result, and is a text" in caplog.messages[0]
    told = "Found 100 of the 100 rows of the last commit's result; new rows: 20 test."
    assert caplog.messages[1:] == [told]
    compare(rows_of(120), "by_time", SHARES, limit=28)
    assert "prepare.moved_limit allows it" in caplog.text
    with pytest.raises(CrivoError, match="Rows moved to another split"):
        compare(rows_of(120), "by_time", SHARES, limit=27)
    fixed = {"valid_from": "2013-01-03", "test_from": "2013-01-05"}
    team.commit(rows_of(9), "by_time", fixed)
    with pytest.raises(CrivoError, match=r"trained on\. Correct the data or the block that reads"):
        compare(rows_of(9, day=rows_of(9)["day"][::-1].to_numpy()), "by_time", fixed)


def test_other_settings_of_the_split_are_said_and_not_refused(
    team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "crivo")
    team.commit(rows_of(100), "by_time", SHARES)
    compare(rows_of(100), "by_time", {"valid_from": 0.6, "test_from": 0.9})
    assert "10 from test to valid. The settings of the split changed, too." in caplog.text
    compare(rows_of(120), "by_time", {"valid_from": "2013-04-11", "test_from": "2013-04-21"})
    assert caplog.messages[-2].endswith("result; new rows: 10 valid, 10 test.")
    caplog.clear()
    compare(rows_of(100), "at_random", {"valid": 0.2, "test": 0.2})
    assert "The settings of the split changed, too." in caplog.text


def test_rows_counted_out_are_refused_and_hashed_ones_stay(team: Team) -> None:
    exact = {"valid": 0.2, "test": 0.2, "exact": True}
    team.commit(rows_of(100), "at_random", exact)
    with pytest.raises(CrivoError, match=r"With splitters\.at_random\.exact, added rows move"):
        compare(rows_of(120), "at_random", exact)
    hashed = exact | {"exact": False}
    team.commit(rows_of(100), "at_random", hashed)
    compare(rows_of(120), "at_random", hashed)


def test_rows_that_a_new_column_gives_other_ids_are_known_by_their_content(
    team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    """Where no id is named, it is a hash of all columns."""
    hashed = {"valid": 0.2, "test": 0.2}
    team.commit(rows_of(100), "at_random", hashed)
    other = rows_of(100, hour=3.0).drop(columns="x")
    other["key"] = [f"other {i}" for i in range(100)]
    with pytest.raises(CrivoError, match=r"from test to .* Correct the data or the block that"):
        compare(other, "at_random", hashed)
    told = "Only found 49 of the 100 rows of the last commit's result by id or content"
    for count, said in ((50, False), (49, True)):
        few = pd.concat([other[:count], other[count:].assign(y=-1, day=other["day"].iloc[0])])
        with pytest.raises(CrivoError, match=r"from test to (valid|train)"):
            compare(few, "at_random", hashed)
        assert (told in caplog.text) is said


def test_a_cache_without_the_rows_is_said_once_the_data_are_others(
    team: Team, caplog: pytest.LogCaptureFixture
) -> None:
    team.commit(rows_of(100), "by_time", SHARES)
    for path in (team.folder / ".dvc/cache").rglob("*"):
        if path.is_file():
            path.unlink()
    (team.folder / "data/raw/table.dvc").write_text("outs: [{md5: 0123.dir, path: table}]\n")
    compare(rows_of(120), "by_time", SHARES)
    assert not caplog.messages
    (team.folder / "data/raw/table.dvc").write_text("outs: [{md5: 4567.dir, path: table}]\n")
    compare(rows_of(120), "by_time", SHARES)
    assert "`dvc fetch prepare`" in caplog.text


@pytest.mark.parametrize("lock", [None, "", "stages: {}\n", "stages: {prepare: {outs: 3}}\n"])
def test_without_a_result_nothing_is_compared(
    team: Team, lock: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    if lock is not None:
        (team.folder / "dvc.lock").write_text(lock)
        team.git("add", "dvc.lock")
        team.git("commit", "-q", "-m", "Record")
    compare(rows_of(100), "by_time", SHARES)
    assert not caplog.messages
