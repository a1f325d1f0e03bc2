"""Broken datasets and splitters: each breaks a promise, and the contract suite says which."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.crivo.testing.broken.classes import of, require_found

from crivo.core.blocks import Dataset, Splitter, block
from crivo.core.schema import Column, Schema
from crivo.testing import FakeSplitter, check_dataset, check_splitter

# --- datasets ---------------------------------------------------------------------------------


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    rows = pd.DataFrame({"key": list("abcd"), "size": [1.0, 2.0, 3.0, 4.0], "sold": [0, 1, 1, 1]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


COLUMNS = (
    Column(name="key", role="id", type="text"),
    Column(name="size", role="feature", type="number"),
    Column(name="sold", role="target", type="boolean"),
)


class Sound(Dataset):
    """A dataset in order, for the others to spoil."""

    def load(self, folder):
        return pd.read_csv(folder / "rows.csv").astype({"sold": bool})

    def schema(self, rows):
        return Schema(task="binary", classes=(False, True), positive=True, columns=COLUMNS)


def dataset(**methods):
    return block(of(Sound, **methods))()


def loading(change):
    """Return a dataset that changes the rows after it has loaded them."""
    return dataset(load=lambda self, folder: change(Sound.load(self, folder)))


def describing(change):
    """Return a dataset that says something else of its rows."""
    return dataset(schema=lambda self, rows: change(Sound.schema(self, rows), rows))


def from_raw(rows_from_raw, **more):
    """Return a dataset that makes rows of raw rows."""
    more["raw_columns"] = lambda self, schema: ("size",)
    return dataset(read_raw=Sound.load, rows_from_raw=rows_from_raw, **more)


def cleaning(self, folder):
    rows = Sound.load(self, folder)
    rows.to_csv(folder / "clean.csv")
    return rows


def changed(schema, **parts):
    return schema.model_copy(update=parts)


def renaming(schema, rows):
    rows["size"] = rows["size"] * 2
    return schema


LENGTH = Column(name="length", role="feature", type="number")
RAW = "makes_rows_of_raw_rows"
DATASETS = [
    (from_raw(None, kept=("gone.csv",)), RAW, "gone.csv, which it keeps, isn't a raw file."),
    (loading(lambda rows: rows[:0]), "loads_a_table", "it found no rows in"),
    (
        loading(lambda rows: pd.concat([rows, rows[["size"]]], axis="columns")),
        "loads_a_table",
        "two of its columns have the same name",
    ),
    (dataset(load=cleaning), "leaves_the_raw_files_alone", "clean.csv"),
    (
        loading(lambda rows: rows.assign(size=np.random.default_rng().normal(size=4))),
        "same_files_same_rows",
        "size differs in 4 of 4 rows",
    ),
    (
        describing(lambda schema, _: changed(schema, columns=(*COLUMNS, LENGTH))),
        "describes_its_columns",
        "the rows lack length",
    ),
    (
        loading(lambda rows: rows.astype({"size": "str"})),
        "columns_have_their_types",
        "column size is a number in the schema, but str in the rows",
    ),
    (
        describing(lambda schema, rows: changed(schema, positive=rows["sold"].iat[0])),
        "schema_depends_on_no_order",
        "gave a different schema",
    ),
    (
        dataset(unusable=lambda self, rows: rows["size"] > 3),
        "gives_reasons_row_by_row",
        "isn't a reason in words",
    ),
    (describing(renaming), "leaves_its_rows_alone", "schema changed the table it was given (size"),
    (
        loading(lambda rows: rows.assign(key=[*"aacd"])),
        "names_each_row",
        "1 rows repeat a key",
    ),
    (
        loading(lambda rows: rows.assign(sold=rows["sold"].mask(rows["key"] == "b"))),
        "knows_the_target",
        "1 usable rows have no target",
    ),
    (
        describing(lambda schema, _: Schema(task="multiclass", classes=(True,), columns=COLUMNS)),
        "knows_the_target",
        "['False'], which the schema lacks",
    ),
    (from_raw(lambda self, raw, _: raw.assign(size=raw["size"] + raw["sold"])), RAW, "'sold'"),
    (
        from_raw(lambda self, raw, _: raw.assign(size=raw["size"] - raw["size"].min() + 1)),
        RAW,
        "1 raw rows became different rows (size",
    ),
]


@pytest.mark.parametrize(("broken", "check", "sentence"), DATASETS)
def test_the_suite_says_what_a_broken_dataset_does_wrong(
    raw: Path, broken: Dataset, check: str, sentence: str
) -> None:
    require_found(lambda: check_dataset(broken, raw), check, sentence)


# --- splitters --------------------------------------------------------------------------------

SPLITS = np.array(["train", "valid", "test"])


def dealt(rows, schema):
    return FakeSplitter().split(rows, schema)


def splitter(split=dealt, **more):
    def own_split(self, rows, schema):
        return split(rows, schema)

    return block(of(Splitter, split=own_split, **more))()


def by_chance(rows, schema):
    drawn = np.random.default_rng().integers(0, 3, len(rows))
    return pd.Series(SPLITS[drawn], index=rows.index, dtype="str")


def by_position(rows, schema):
    return pd.Series(SPLITS[np.arange(len(rows)) % 3], index=rows.index, dtype="str")


def filling_gaps(rows, schema):
    splits = dealt(rows, schema)
    rows["amount"] = rows["amount"].fillna(0)
    return splits


@pytest.mark.parametrize(
    ("broken", "check", "sentence"),
    [
        (splitter(by_position), "rows_may_come_in_any_order", "decide by what is in a row"),
        (splitter(by_chance), "same_rows_same_answers", "use a hash of the id, or a fixed seed"),
        (
            splitter(lambda *given: dealt(*given).reset_index(drop=True)),
            "answers_in_the_rows_index",
            "the index changed",
        ),
        (
            splitter(lambda *given: dealt(*given).replace("valid", "validation")),
            "a_row_gets_a_split",
            "the splits are train, valid, test",
        ),
        (splitter(filling_gaps), "leaves_its_rows_alone", "split changed the table it was given"),
    ],
)
def test_the_suite_says_what_a_broken_splitter_does_wrong(
    broken: Splitter, check: str, sentence: str
) -> None:
    require_found(lambda: check_splitter(broken, tasks=["multiclass"]), check, sentence)
