"""Parts of the training rows: nested, whole groups, the latest rows."""

import itertools
from pathlib import Path

import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.inputs import with_shared_levels
from crivo.core.schema import Role
from crivo.training.fit import read_training_fraction, select_fraction, stopping_mask

COUNT = 400
SCHEMA = few_columns(False, True, shop="group")
ROWS = pd.DataFrame(
    {
        "key": [f"r{i}" for i in range(COUNT)],
        "day": [f"2024-{1 + i // 40:02}-{1 + i % 28:02}" for i in range(COUNT)],
        "shop": [f"s{i % 40}" for i in range(COUNT)],
        "y": [i % 3 == 0 for i in range(COUNT)],
    }
)
ROWS["day"] = pd.to_datetime(ROWS["day"])
NAMES = [f"c{i % 7}" for i in range(COUNT)]
FEATURES = pd.DataFrame(
    {"x": range(COUNT), "name": pd.Categorical(NAMES, ["unseen", *sorted(NAMES[:7], reverse=True)])}
)


def taken(fraction: float, **roles: Role) -> set[str]:
    schema = few_columns(False, True, **roles)
    return {*ROWS["key"][select_fraction(ROWS, schema, fraction, "teach")[0]]}


@pytest.mark.parametrize("roles", [{}, {"shop": "group"}, {"day": "time"}])
def test_a_smaller_part_lies_within_a_larger_one(roles: dict[str, Role]) -> None:
    parts = [taken(fraction, **roles) for fraction in (0.25, 0.5, 0.75, 1.0)]
    for small, large in itertools.pairwise(parts):
        assert small < large
    assert len(parts[1]) == pytest.approx(COUNT / 2, rel=0.2)


@pytest.mark.parametrize(("share", "column"), [(0.05, "month"), (0.04, "key")])
def test_moments_with_more_than_twice_the_share_are_too_coarse(share: float, column: str) -> None:
    """The latest month has a tenth of the rows."""
    schema = few_columns(False, True, month="time")
    assert select_fraction(ROWS.assign(month=ROWS.index // 40), schema, share, "")[1] == column


@pytest.mark.parametrize(("size", "column"), [(24, "key"), (25, "part")])
@pytest.mark.parametrize("role", ["time", "group"])
def test_a_quarter_of_the_share_is_enough(role: Role, size: int, column: str) -> None:
    """The second of two parts is the latest, and the first by its hash."""
    rows = pd.DataFrame({"key": range(1000), "part": [1] * (1000 - size) + [2] * size})
    assert select_fraction(rows, few_columns(part=role), 0.1, "")[1] == column


def test_groups_stay_whole_and_the_latest_rows_are_taken() -> None:
    shops = ROWS.set_index("key")["shop"]
    inside = taken(0.5, shop="group")
    assert {*shops[[*inside]]}.isdisjoint({*shops.drop([*inside])})
    latest = ROWS["key"].isin(taken(0.5, day="time"))
    assert ROWS.loc[latest, "day"].min() > ROWS.loc[~latest, "day"].max()
    with pytest.raises(CrivoError, match="'shop' holds neither dates nor numbers"):
        taken(0.5, shop="time")


def test_a_part_has_nothing_to_do_with_the_rows_that_early_stopping_watches() -> None:
    """By one hash, a part of 0.2 would hold watched rows only."""
    part = ROWS[select_fraction(ROWS, few_columns(False, True), 0.2, "teach")[0]]
    assert 0.05 < stopping_mask(part, few_columns(False, True), 0.2).mean() < 0.4


def test_a_part_of_one_class_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crivo.training.fit.read_fit_rows", lambda *_: (ROWS, FEATURES))
    with pytest.raises(CrivoError, match=r"train.fraction is 1e-05, which leaves 1 of 400"):
        read_training_fraction(few_columns(False, True), 0.00001)


@pytest.mark.parametrize("fraction", [0.3, 1.0])
def test_features_are_those_of_the_rows_in_the_same_types(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fraction: float,
) -> None:
    """The file has several row groups, and their categories occur in different orders."""
    monkeypatch.chdir(tmp_path)
    caplog.set_level("INFO")
    artifacts.write_table(artifacts.prepared("train"), ROWS)
    artifacts.features("train").parent.mkdir()
    FEATURES.to_parquet(artifacts.features("train"), index=False, row_group_size=90)
    rows, features = read_training_fraction(SCHEMA, fraction)
    mask, _ = select_fraction(ROWS, SCHEMA, fraction, "teach")
    expected = with_shared_levels(FEATURES[mask].reset_index(drop=True))
    pd.testing.assert_frame_equal(features, expected)
    pd.testing.assert_frame_equal(rows, ROWS.loc[mask, ["key", "y", "shop"]].reset_index(drop=True))
    said = f"Fitting on {mask.sum()} of 400 training rows, by shop"
    assert caplog.messages == [said] * (fraction < 1)
