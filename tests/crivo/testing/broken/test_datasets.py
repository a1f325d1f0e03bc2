"""Broken datasets: each breaks a promise, and the contract suite says which."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crivo.core.blocks import Dataset, block
from crivo.core.schema import Column, Schema
from crivo.testing import ContractError, check_dataset


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    rows = pd.DataFrame({"key": list("abcd"), "size": [1.0, 2.0, 3.0, 4.0], "sold": [0, 1, 1, 1]})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


@block
class Sound(Dataset):
    """A dataset in order, for the others to spoil."""

    def load(self, folder):
        return pd.read_csv(folder / "rows.csv").astype({"sold": bool})

    def schema(self, rows):
        return Schema(
            task="binary",
            classes=(False, True),
            positive=True,
            columns=(
                Column(name="key", role="id", type="text"),
                Column(name="size", role="feature", type="number"),
                Column(name="sold", role="target", type="boolean"),
            ),
        )


@block
class NoRows(Sound):
    """Finds nothing."""

    def load(self, folder):
        return super().load(folder)[:0]


@block
class Cleaning(Sound):
    """Writes a cleaned copy beside the raw file."""

    def load(self, folder):
        rows = super().load(folder)
        rows.to_csv(folder / "clean.csv")
        return rows


@block
class Sampling(Sound):
    """Draws the rows' order anew each time."""

    def load(self, folder):
        size = np.random.default_rng().normal(size=4)
        return super().load(folder).assign(size=size)


@block
class Promising(Sound):
    """Describes a column that isn't there."""

    def schema(self, rows):
        return (
            super()
            .schema(rows.rename(columns={"size": "length"}))
            .model_copy(
                update={
                    "columns": (
                        *super().schema(rows).columns,
                        Column(name="length", role="feature", type="number"),
                    )
                }
            )
        )


@block
class Textual(Sound):
    """Reads a number as text."""

    def load(self, folder):
        return super().load(folder).astype({"size": "str"})


@block
class FirstComes(Sound):
    """Takes the first row's class for the positive one."""

    def schema(self, rows):
        return super().schema(rows).model_copy(update={"positive": bool(rows["sold"].iloc[0])})


@block
class YesOrNo(Sound):
    """Marks unusable rows with True instead of a reason."""

    def unusable(self, rows):
        return rows["size"] > 3


@block
class Renaming(Sound):
    """Changes the rows while it describes them."""

    def schema(self, rows):
        rows["size"] = rows["size"] * 2
        return super().schema(rows)


@block
class SameName(Sound):
    """Gives two rows one name."""

    def load(self, folder):
        return super().load(folder).assign(key=list("aacd"))


@block
class Untold(Sound):
    """Leaves a row without a target among the usable ones."""

    def load(self, folder):
        rows = super().load(folder)
        return rows.assign(sold=rows["sold"].astype("boolean").mask(rows["key"] == "b"))


@block
class ThirdClass(Sound):
    """Has a class that its schema doesn't list."""

    def schema(self, rows):
        columns = super().schema(rows).columns
        return Schema(task="multiclass", classes=(True,), columns=columns)


@block
class Peeking(Sound):
    """Makes rows of raw rows from what is known only afterwards."""

    def raw_columns(self, schema):
        return ("size",)

    def read_raw(self, path):
        return self.load(path)

    def rows_from_raw(self, raw, context):
        return raw.assign(size=raw["size"] + raw["sold"])


@block
class Batched(Peeking):
    """Makes a row from the raw rows that come with it."""

    def rows_from_raw(self, raw, context):
        return raw.assign(size=raw["size"] - raw["size"].min() + 1)


@block
class Unkept(Peeking):
    """Reads a raw file that it doesn't keep."""

    def rows_from_raw(self, raw, context):
        return self.load(context.folder).loc[raw.index]


@block
class Unnamed(Sound):
    """Makes rows of raw rows, and doesn't say which columns they have."""

    def rows_from_raw(self, raw, context):
        return raw


RAW = "makes_rows_of_raw_rows"
BROKEN = [
    (NoRows, "loads_a_table", "it found no rows in"),
    (Cleaning, "leaves_the_raw_files_alone", "clean.csv"),
    (Sampling, "same_files_same_rows", "size differs in 4 of 4 rows"),
    (Promising, "describes_its_columns", "the rows lack length"),
    (Textual, "columns_have_their_types", "column size is a number by the schema, str in the rows"),
    (FirstComes, "schema_depends_on_no_order", "gave another schema"),
    (YesOrNo, "gives_reasons_row_by_row", "isn't a reason in words"),
    (Renaming, "leaves_its_rows_alone", "schema changed the table it was given (size"),
    (SameName, "names_each_row", "1 rows repeat a key, such as ['a']"),
    (Untold, "knows_the_target", "1 usable rows have no target"),
    (Peeking, RAW, "KeyError: 'sold'"),
    (Batched, RAW, "1 raw rows became other rows (size"),
    (Unkept, RAW, "rows.csv"),
    (Unnamed, RAW, "it has `rows_from_raw` and names no `raw_columns`"),
    (ThirdClass, "knows_the_target", "['False'], which the schema lacks"),
]


@pytest.mark.parametrize(("dataset", "check", "sentence"), BROKEN)
def test_the_suite_says_what_a_broken_dataset_does_wrong(
    raw: Path, dataset: type, check: str, sentence: str
) -> None:
    with pytest.raises(ContractError) as error:
        check_dataset(dataset(), raw)
    findings = {breach.check: str(breach) for breach in error.value.breaches}
    assert check in findings, str(error.value)
    assert sentence in findings[check]


def test_the_suite_is_content_with_a_sound_dataset(raw: Path) -> None:
    check_dataset(Sound(), raw)


@block
class Gaps(Sound):
    """Has whole numbers that are floats, because one is missing; a new row alone has none."""

    def load(self, folder):
        rows = super().load(folder)
        return rows.assign(size=rows["size"].where(rows["key"] != rows["key"].iloc[1]))

    def raw_columns(self, schema):
        return ("key", "size")

    def read_raw(self, path):
        return self.load(path)

    def rows_from_raw(self, raw, context):
        whole = raw["size"].notna().all()
        return raw.astype({"size": "int64"}) if whole else raw


@block
class Rounding(Gaps):
    """Takes the fraction from a new row's number."""

    def load(self, folder):
        return super().load(folder).assign(size=lambda rows: rows["size"] + 0.5)

    def rows_from_raw(self, raw, context):
        return raw.assign(size=raw["size"].fillna(0).astype("int64"))


@block
class Wrapping(Gaps):
    """Has numbers of 8 bits, and gives others that are the same in these."""

    def load(self, folder):
        return super(Gaps, self).load(folder).astype({"size": "int8"})

    def rows_from_raw(self, raw, context):
        return raw.assign(size=raw["size"].astype("float64") + 256)


def test_a_whole_number_may_be_an_integer_or_a_float(raw: Path) -> None:
    check_dataset(Gaps(), raw)
    for broken in (Rounding(), Wrapping()):
        with pytest.raises(ContractError, match="raw rows became other rows"):
            check_dataset(broken, raw)
