"""Rows that prepare would set aside are refused, and no others."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.schema import Column, Schema
from crivo.prediction.predictor import require_usable
from crivo.preparation.quarantine import quarantine
from crivo.testing import FakePredictor, example_rows, example_schema

SCHEMA = Schema(
    task="regression",
    columns=(
        Column(name="key", role="id", type="text", nullable=False, unique=True),
        Column(name="day", role="time", type="date", nullable=False),
        Column(name="note", role="info", type="text", allowed=("seen", "new")),
        Column(name="y", role="target", type="number", nullable=False, low=0, high=1),
        Column(name="late", role="outcome", type="number", nullable=False),
        Column(name="counts", role="weight", type="number", nullable=False, low=0),
        Column(name="speed", role="feature", type="number", low=0, high=100),
        Column(name="seats", role="feature", type="number", nullable=False),
        Column(name="kind", role="feature", type="category", allowed=("car", "bus")),
        Column(name="place", role="feature", type="text", unique=True),
    ),
)


def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "key": ["a", "b", "c"],
            "day": pd.to_datetime(["2013-01-01", "2013-01-02", "2013-01-03"]),
            "note": ["seen", "new", None],
            "y": [0.1, 0.2, 0.3],
            "late": [1.0, 2.0, 3.0],
            "counts": [1.0, 1.0, 1.0],
            "speed": [0.0, np.nan, 100.0],
            "seats": [2.0, 4.0, 5.0],
            "kind": ["car", "bus", None],
            "place": ["x", "y", "z"],
        }
    )


# The columns and what stands in row 2 of them; the rules of prepare name the reasons.
WRONG: list[tuple[str, Any]] = [
    *(("speed", value) for value in (-1e-9, 100.001, np.inf)),
    ("speed", 50.0),
    ("seats", np.nan),
    ("kind", "boat"),
    ("kind", None),
    *(("key", value) for value in ("a", None)),
    ("place", "x"),
    ("place", None),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_what_prepare_sets_aside_is_refused_for_its_reason(name: str, value: object) -> None:
    table = rows().astype({"speed": float, "seats": float})
    table.loc[1, name] = value
    nothing = pd.Series(pd.NA, index=table.index, dtype="str")
    _, aside = quarantine(table, SCHEMA, nothing, limit=1.0)
    if aside.empty:
        require_usable(table, SCHEMA)
        return
    with pytest.raises(CrivoError) as refusal:
        require_usable(table, SCHEMA)
    assert f"({aside['reason'].iloc[-1]})" in str(refusal.value)
    assert "row 2" in str(refusal.value)


def test_what_is_not_known_beforehand_has_no_say() -> None:
    later = {"y": [np.nan, 5.0, np.inf], "late": np.nan, "counts": [np.nan, -1.0, 0.0]}
    require_usable(rows().assign(**later), SCHEMA)


def test_the_first_rows_are_named_and_the_others_counted() -> None:
    table = example_rows(rows=20).assign(pieces=[-1, 0, -2, -3, -4, *range(15)])
    with pytest.raises(CrivoError) as refusal:
        FakePredictor(schema=example_schema()).predict(table)
    assert str(refusal.value) == (
        "These rows are like those that prepare sets aside: row 1 (pieces is below 0), row 3 "
        "(pieces is below 0), row 4 (pieces is below 0) and 1 more. The model was neither fitted "
        "nor evaluated on such rows; correct them, or leave them out."
    )
