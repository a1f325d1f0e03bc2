"""The door: bad rows leave with a reason, and no row is lost."""

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.preparation.quarantine import quarantine

SCHEMA = Schema(
    task="regression",
    columns=(
        Column(name="key", role="id", type="text", nullable=False, unique=True),
        Column(name="y", role="target", type="number", nullable=False),
        Column(name="speed", role="feature", type="number", low=0, high=1e6),
        Column(name="kind", role="feature", type="category", allowed=("car", "bus")),
    ),
)


def rows(n: int = 6) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": [f"r{i}" for i in range(n)],
            "y": np.arange(n, dtype=float),
            "speed": np.linspace(0, 100, n),
            "kind": ["car", "bus"] * (n // 2),
        }
    )


def sieve(table: pd.DataFrame, unusable: dict[int, str] | None = None, limit: float = 1.0):
    reasons = pd.Series(pd.NA, index=table.index, dtype="str")
    for position, reason in (unusable or {}).items():
        reasons.iloc[position] = reason
    return quarantine(table, SCHEMA, reasons, limit)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("y", np.nan, "y is missing"),
        ("speed", -1.0, "speed is below 0"),
        ("speed", 1.5e6, "speed is above 1,000,000"),
        ("speed", np.inf, "speed is infinite; speed is above 1,000,000"),
        ("kind", "boat", "kind is not an allowed value"),
    ],
)
def test_a_bad_row_leaves_with_its_reason(column: str, value: object, reason: str) -> None:
    table = rows()
    table.loc[2, column] = value
    good, bad = sieve(table, limit=1 / 6)
    pd.testing.assert_frame_equal(good, table.drop(index=2).reset_index(drop=True))
    expected = table.loc[[2]].reset_index(drop=True).assign(reason=reason)
    pd.testing.assert_frame_equal(bad, expected, check_dtype=False)


def test_missing_ids_are_no_copies_of_each_other() -> None:
    kept, out = sieve(rows().assign(key=["b", None, "a", "b", None, "b"]))
    assert kept["key"].tolist() == ["a"]
    twice, missing = "key is not unique", "key is missing"
    assert out["reason"].tolist() == [twice, missing, twice, missing, twice]


def test_the_datasets_own_reason_comes_first() -> None:
    table = rows()
    table.loc[0, "y"] = np.nan
    _, bad = sieve(table, {0: "cancelled"})
    assert bad["reason"].tolist() == ["cancelled"]


def test_too_many_bad_rows_stop_the_run_with_a_table_of_reasons() -> None:
    table = rows()
    table.loc[[0, 1], "y"] = np.nan
    limit = r"prepare.quarantine_limit allows \(20.0 %\)"
    with pytest.raises(CrivoError, match=rf"(?s)2 of 6 rows \(33.3 %\).*{limit}.*2  y is missing"):
        sieve(table, limit=0.2)


def test_a_table_without_rows_or_a_column_stops_the_run_whatever_the_limit() -> None:
    with pytest.raises(CrivoError, match="6 of 6 rows"):
        sieve(rows().assign(y=np.nan))
    with pytest.raises(CrivoError, match="no rows"):
        sieve(rows().head(0))
    with pytest.raises(CrivoError, match=r"lack the column kind \(there are: key, y, speed\)"):
        sieve(rows().drop(columns="kind"))


def test_values_that_a_rule_can_not_be_asked_of_are_told_by_their_column() -> None:
    table = rows().astype({"speed": object})
    table.loc[2, "speed"] = "fast"
    with pytest.raises(CrivoError, match=r"Column speed: .* correct the dataset's schema"):
        sieve(table)
