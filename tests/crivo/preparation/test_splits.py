"""Splits by a hash and by time; the check of a splitter's answer, and what is told of splits."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.preparation.prepared import check_split_labels, data_metrics, prepare_rows
from crivo.preparation.quarantine import count_reasons
from crivo.testing import FakeDataset, FakeSplitter, example_rows

SCHEMA = few_columns("no", "yes")

ROWS = pd.DataFrame({"key": list("abcd"), "y": ["yes", "no", "no", "yes"]})


def test_rows_are_checked_split_and_written_by_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row without a target is set aside, and one by the splitter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(FakeSplitter, "sets_aside", "odd")
    split, rows = FakeSplitter.split, example_rows().astype({"target": "boolean"})[::-1]
    monkeypatch.setattr(FakeSplitter, "split", lambda *of: split(*of).mask(of[1].index == 5))
    told = list[str]()
    rows.iloc[3, rows.columns.get_loc("target")] = pd.NA
    limits = SimpleNamespace(quarantine_limit=0.1, moved_limit=0)
    params = SimpleNamespace(dataset="fake", splitter="fake", prepare=limits)
    made = prepare_rows(rows, FakeDataset(), FakeSplitter(), params, told.append)
    assert told == ["check rows", "split", "write"]
    assert made.quarantined["reason"].tolist() == ["target is missing", "odd"]
    assert made.metrics["rows_out"] == len(rows) - 2
    parts = [artifacts.read_table(artifacts.prepared(split)) for split in artifacts.SPLITS]
    assert [list(part) for part in parts] == [[one.name for one in made.schema.columns]] * 3
    assert all(part["id"].is_monotonic_increasing for part in parts)
    assert sorted([*pd.concat(parts)["id"], *made.quarantined["id"]]) == sorted(rows["id"])


def check(*splits: str, rows: pd.DataFrame = ROWS, index: object = None) -> None:
    check_split_labels(pd.Series(list(splits), index=index), rows, SCHEMA, "mine")


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        (["train", "train", "valid", "valid"], r"left test empty \(train 2, valid 2, test 0\)"),
        (["train"] * 4, "left valid and test empty"),
        (["valid", "train", "train", "test"], "row of the class yes .*min_class_rows: 3"),
        (["train", "train", "valid", "holdout"], "put rows into 'holdout'"),
        (["train", "valid", "test"], "gave splits for 3 rows"),
    ],
)
def test_a_bad_split_is_refused_with_what_to_change(splits: list[str], message: str) -> None:
    with pytest.raises(CrivoError, match=message):
        check(*splits)


def test_another_index_is_refused() -> None:
    with pytest.raises(CrivoError, match="index of the rows"):
        check("train", "train", "valid", "test", index=[3, 2, 1, 0])


def test_a_row_without_a_split_is_refused_unless_the_splitter_says_why() -> None:
    splits = pd.Series(["train", "train", "valid", "test", None])
    rows = pd.concat([ROWS, ROWS.tail(1)], ignore_index=True)
    with pytest.raises(CrivoError, match="put rows into"):
        check_split_labels(splits, rows, SCHEMA, "mine")
    check_split_labels(splits, rows, SCHEMA, "mine", may_set_aside=True)


def test_rows_are_counted() -> None:
    dealt = pd.Series(["train", "train", "valid", "test"])
    aside = pd.Series(["old", "odd", "new", "new"], name="reason")
    found = data_metrics(ROWS["y"], len(aside), dealt, SCHEMA)
    counted = {"in": 8, "out": 4, "quarantined": 4, "train": 2, "valid": 1, "test": 1}
    assert {name: found[f"rows_{name}"] for name in counted} == counted
    # The share of the positive class.
    assert [found[f"target_mean_{split}"] for split in ("train", "valid", "test")] == [0.5, 0, 1]
    reasons = count_reasons(aside)
    assert reasons.to_dict("list") == {"reason": ["new", "odd", "old"], "rows": [2, 1, 1]}
