"""A new row alone is read as it was among the others."""

import pandas as pd
import pytest

from crivo.core.registry import make_block

RAW = pd.DataFrame(
    {
        "warm": ["67,4", "52,25", "-", "1.250"] * 30,
        "cost": ["1,5 €", "2 €", "n/k", "12,25 €"] * 30,
        "share": ["12,5%", "7%", "8,5%", ""] * 30,
        "day": ["13/04/2020", "02/05/2020", "unknown", "01/02/2020"] * 30,
        "size": ["unknown", "small", "large", "large"] * 30,
        "sun": ["Y", "N", "N", "Y"] * 30,
        "y": ["a", "b", "a", "a"] * 30,
    }
)
# Of so many different values a few odd ones don't change the type.
RAW["warm"] = [f"{i},5" if i > 40 else cell for i, cell in enumerate(RAW["warm"])]
RAW["cost"] = [f"{i},5 €" if i > 40 else cell for i, cell in enumerate(RAW["cost"])]
RAW["day"] = [
    f"{1 + i % 28:02}/{1 + i % 12:02}/2020" if i > 40 else cell for i, cell in enumerate(RAW["day"])
]


def test_what_one_row_cannot_tell_is_written_down() -> None:
    """Not the cell that means something in another column."""
    table = make_block("dataset", "table", {"target": "y"})
    found = table.read_as(RAW, table.rows(RAW))
    assert found == {"decimal": ",", "day_first": True, "missing": ["?", "-", "n/k"]}


@pytest.mark.parametrize("row", [0, 1, 2, 3, 41, 119])
def test_a_row_alone_is_read_as_among_the_others(row: int) -> None:
    first = make_block("dataset", "table", {"target": "y"})
    rows = first.rows(RAW)
    settings = {"target": "y", **first.read_as(RAW, rows), "missing": ["?", "-", "n/k", "unknown"]}
    table = make_block("dataset", "table", settings)
    rows = table.rows(RAW)
    context = type("Context", (), {"schema": table.schema(rows)})
    alone = table.rows_from_raw(RAW.iloc[[row]].drop(columns="y"), context)
    expected = rows.iloc[[row]][list(alone)]
    pd.testing.assert_frame_equal(alone, expected, check_dtype=False)
