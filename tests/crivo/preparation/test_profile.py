"""What `prepare` measures of the data."""

import numpy as np
import pandas as pd

from crivo.core.schema import Column, Schema
from crivo.preparation.prepared import data_metrics, missing_fractions, quarantine_reasons

SCHEMA = Schema(
    task="binary",
    classes=("no", "yes"),
    positive="yes",
    columns=(
        Column(name="key", role="id", type="text"),
        Column(name="y", role="target", type="category"),
        Column(name="x", role="feature", type="number"),
    ),
)
ROWS = pd.DataFrame({"key": list("abcd"), "y": ["yes", "no", "no", "yes"], "x": [1, None, 3, 4]})
SPLITS = pd.Series(["train", "train", "valid", "test"])
PLACES = {split: np.flatnonzero(split == SPLITS) for split in SPLITS.unique()}
ASIDE = pd.DataFrame({"key": ["e", "f", "g"], "reason": ["old", "new", "new"]})


def test_no_row_is_lost_in_the_count() -> None:
    found = data_metrics(ROWS["y"], len(ASIDE), SPLITS, SCHEMA)
    assert (found["rows_in"], found["rows_out"], found["rows_quarantined"]) == (7, 4, 3)
    assert (found["rows_train"], found["rows_valid"], found["rows_test"]) == (2, 1, 1)


def test_the_targets_rate_is_that_of_the_positive_class() -> None:
    found = data_metrics(ROWS["y"], len(ASIDE), SPLITS, SCHEMA)
    assert [found[f"target_mean_{split}"] for split in ("train", "valid", "test")] == [
        0.5,
        0.0,
        1.0,
    ]


def test_reasons_are_counted_the_most_frequent_first() -> None:
    assert quarantine_reasons(ASIDE).to_dict("list") == {
        "reason": ["new", "old"],
        "rows": [2, 1],
    }


def test_missing_values_are_a_share_of_each_side() -> None:
    found = missing_fractions(ROWS, PLACES).set_index("column")
    assert found.loc["x"].to_dict() == {"train": 0.5, "valid": 0.0, "test": 0.0}
