"""No group is in two splits, by a hash or with time: nothing later teaches."""

from itertools import combinations, product

import pandas as pd
import pytest
from tests.crivo.schemas import few_columns

from crivo.core.errors import CrivoError
from crivo.core.registry import make_block
from crivo.core.schema import Role, Schema
from crivo.preparation.hash_split import places
from crivo.preparation.prepared import split_rows

SCHEMA = few_columns(patient="group")


def rows(count: int) -> pd.DataFrame:
    """Return rows of patients that have one to five each."""
    patients = [f"p{i % (count // 3)}" for i in range(count)]
    return pd.DataFrame({"key": range(count), "y": 1.0, "patient": patients}).astype({"key": "str"})


def split(table: pd.DataFrame, **settings: object) -> pd.Series:
    return make_block("splitter", "by_group", settings).split(table, SCHEMA)


def test_data_without_groups_are_refused() -> None:
    with pytest.raises(CrivoError, match="^splitter by_group needs a group column and the dataset"):
        make_block("splitter", "by_group", {}).split(rows(9), few_columns())


def test_rows_without_a_group_are_counted() -> None:
    with pytest.raises(CrivoError, match="^splitter by_group: patient is missing in 2 of 9 rows"):
        split(rows(9).assign(patient=[None, None, *"abcdefg"]))


@pytest.mark.parametrize(("groups", "sizes"), [(3, (1, 1, 1)), (4, (2, 1, 1)), (10, (6, 2, 2))])
@pytest.mark.parametrize("seed", range(2))
def test_few_groups_have_exact_numbers(groups: int, sizes: tuple[int, ...], seed: int) -> None:
    table = rows(3 * groups)
    splits = split(table, exact=True, seed=seed).groupby(table["patient"]).unique().explode()
    assert tuple(int((splits == split).sum()) for split in ("train", "valid", "test")) == sizes
    assert len(set(split(rows(9), exact=True, seed=seed, valid=0.6, test=0.3))) == 3
    named = [f"patient~{i}" for i in range(60)]  # no copies
    assert len(set(split(rows(60).assign(patient=named), seed=seed))) == 3


def test_each_fold_of_few_groups_is_the_next_one_by_their_hashes() -> None:
    table = rows(15)
    folds = [split(table, exact=True, fold=fold) for fold in range(4)]
    assert all((splits == "test").equals(folds[0] == "test") for splits in folds)
    dealt = places(table["patient"], seed=0)
    taken = [dealt[folds[0] == "test"], *(dealt[splits == "valid"] for splits in folds)]
    assert [*map(set, taken)] == [{place} for place in sorted(dealt.unique())]
    for few, words in ((6, "3 groups, and patient has 2"), (12, "4 groups, 1 .* none for fold 3")):
        with pytest.raises(CrivoError, match=words):
            split(rows(few), exact=True, fold=3)


TIMED: dict[str, Role] = {"when": "time", "shop": "group"}
TIMED_SCHEMA = few_columns(**TIMED)
ORDER = ["train", "valid", "test"]


def visits(shops: int = 30, years: int = 10, lasts: int = 10) -> pd.DataFrame:
    """Return a row for each year of each shop; a shop lasts so many years."""
    made = [
        (f"s{shop}", 2000 + shop % (years - lasts + 1) + year)
        for shop, year in product(range(shops), range(lasts))
    ]
    table = pd.DataFrame(made, columns=["shop", "when"])
    return table.assign(key=[f"r{i}" for i in range(len(table))], y=1.0)


def split_both(table: pd.DataFrame, schema: Schema = TIMED_SCHEMA, **settings: object) -> pd.Series:
    return make_block("splitter", "by_time_and_group", settings).split(table, schema)


@pytest.mark.parametrize("lasts", [1, 3, 10])
def test_no_group_is_in_two_splits_and_later_rows_are_evaluated(lasts: int) -> None:
    table = visits(lasts=lasts)
    splits = split_both(table)
    assert (splits.dropna().groupby(table["shop"]).nunique() == 1).all()
    for one, other in combinations(ORDER, 2):
        assert table.loc[splits == one, "when"].max() < table.loc[splits == other, "when"].min()


def test_rows_that_fit_no_split_are_set_aside_with_a_reason() -> None:
    table = visits()
    splitter = make_block("splitter", "by_time_and_group", {})
    kept, splits, aside = split_rows(splitter, "by_time_and_group", table, TIMED_SCHEMA)
    assert len(kept) + len(aside) == len(table) == 300
    assert set(aside["reason"]) == {"its group is in another split"}
    assert (splits.ndim, [*kept], [*aside]) == (1, [*table], [*table, "reason"])
    assert set(kept["key"]).isdisjoint(aside["key"])


@pytest.mark.parametrize(
    ("without", "message"), [("shop", "needs a time and a group"), ("when", "needs a time column")]
)
def test_data_without_a_time_or_groups_are_refused(without: str, message: str) -> None:
    others = {name: role for name, role in TIMED.items() if name != without}
    with pytest.raises(CrivoError, match=f"^splitter by_time_and_group {message}"):
        split_both(visits(), few_columns(**others))


def test_the_shares_of_groups_with_rows_in_all_splits_are_kept_up_to_chance() -> None:
    table = visits(shops=2000, years=3, lasts=3)
    splits = split_both(table, valid=0.1, test=0.3).groupby(table["shop"]).first()
    shares = splits.value_counts(normalize=True).to_dict()
    assert shares == pytest.approx({"train": 0.6, "valid": 0.1, "test": 0.3}, abs=0.03)
