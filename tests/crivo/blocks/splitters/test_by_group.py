"""No group is in two splits."""

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Column, Schema

COLUMNS = (
    Column(name="key", role="id", type="text"),
    Column(name="y", role="target", type="number"),
    Column(name="patient", role="group", type="category"),
)
SCHEMA = Schema(task="regression", columns=COLUMNS)


def rows(count: int) -> pd.DataFrame:
    """Return rows of patients that have one to five each."""
    patients = [f"p{i % (count // 3)}" for i in range(count)]
    return pd.DataFrame({"key": range(count), "y": 1.0, "patient": patients}).astype({"key": "str"})


def split(table: pd.DataFrame, **settings: object) -> pd.Series:
    return make_block("splitter", "by_group", settings).split(table, SCHEMA)


def test_a_group_stays_on_one_side() -> None:
    table = rows(900)
    assert (split(table).groupby(table["patient"]).nunique() == 1).all()


def test_data_without_groups_are_refused() -> None:
    with pytest.raises(CrivoError, match="needs a group column and the dataset names none"):
        make_block("splitter", "by_group", {}).split(
            rows(9), Schema(task="regression", columns=COLUMNS[:2])
        )


def test_rows_without_a_group_are_counted() -> None:
    with pytest.raises(CrivoError, match="2 rows have no patient"):
        split(rows(9).assign(patient=[None, None, *"abcdefg"]))


@pytest.mark.parametrize(("groups", "sizes"), [(3, (1, 1, 1)), (4, (2, 1, 1)), (10, (6, 2, 2))])
@pytest.mark.parametrize("seed", range(2))
def test_few_groups_are_dealt_in_exact_numbers(
    groups: int, sizes: tuple[int, ...], seed: int
) -> None:
    table = rows(3 * groups)
    splits = split(table, exact=True, seed=seed).groupby(table["patient"]).unique().explode()
    assert tuple(int((splits == split).sum()) for split in ("train", "valid", "test")) == sizes


def test_each_fold_of_few_groups_is_another_one() -> None:
    table = rows(15)
    folds = [split(table, exact=True, fold=fold) for fold in range(4)]
    validated = [set(table.loc[splits == "valid", "patient"]) for splits in folds]
    assert sum(map(len, validated)) == len(set.union(*validated)) == 4
    assert all((splits == "test").equals(folds[0] == "test") for splits in folds)


def test_two_groups_are_too_few_for_three_splits() -> None:
    with pytest.raises(CrivoError, match="patient has 2 groups, and three splits need 3"):
        split(rows(6), exact=True)
