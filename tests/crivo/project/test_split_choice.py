"""The split of a new table: its settings, the best that there are, and why they are chosen."""

import numpy as np
import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.errors import CrivoError
from crivo.project.choices import Request
from crivo.project.split_choice import Split, choose_split

COUNT = 400
DAYS = pd.Series(pd.date_range("2024-01-01 06:00", periods=COUNT // 4, freq="D").repeat(4))
GROUPS = [f"g{number % 100}" for number in range(COUNT)]
PLAIN = {"valid": 0.2, "test": 0.2, "exact": False}


def chosen(count: int = COUNT, **columns: object) -> Split:
    target = np.random.default_rng(0).random(COUNT) < 0.5
    rows = pd.DataFrame({"key": range(COUNT), "y": target, "x": range(COUNT), **columns})[:count]
    roles = {"t": "time", "g": "group"}
    others = {name: roles.get(name, "feature") for name in rows.columns.drop(["key", "y"])}
    time, group = ("t" if "t" in rows else None), ("g" if "g" in rows else None)
    request = Request("y", time=time, group=group)
    return choose_split(request, rows, few_columns(False, True, **others))


@pytest.mark.parametrize(
    ("columns", "settings", "why"),
    [
        ({}, {**PLAIN, "copies_together": True, "seed": 0}, "rows have no time and no group"),
        ({"g": GROUPS}, PLAIN, "rows of one group stay in one split"),
        ({"t": DAYS}, {"valid_from": "2024-03-01", "test_from": "2024-03-21"},
         "rows have a time: later ones are evaluated"),
        # If the validation rows began with the second day, they would be 72 % of all.
        ({"t": pd.date_range("2024-01-01 23:00", periods=COUNT, freq="5min")},
         {"valid_from": "2024-01-02T19:00:00", "test_from": "2024-01-03T01:40:00"}, ""),
        ({"t": 5 + np.arange(COUNT) // 4}, {"valid_from": 65, "test_from": 85}, ""),
        ({"t": np.arange(COUNT) / COUNT}, {"valid_from": 0.6, "test_from": 0.8},
         "are evaluated; added rows will move some old ones, and `prepare` will refuse that"),
        ({"t": DAYS, "g": GROUPS}, {"valid": 0.25, "test": 0.25},
         "rows have a time and a group: later rows of other groups are evaluated"),
    ],
)  # fmt: skip
def test_the_settings_and_the_reason_suit_what_is_known_of_the_rows(
    columns: dict[str, object], settings: dict[str, object], why: str
) -> None:
    found = chosen(**columns)
    assert settings.items() <= found.settings.items()
    assert why in found.why


def test_too_few_rows_are_refused() -> None:
    assert len(chosen(5).rows) == 5
    with pytest.raises(CrivoError, match="There are 4 usable rows, too few.*at least 5, and hund"):
        chosen(4)
