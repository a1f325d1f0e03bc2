"""Broken datasets and splitters: each breaks a promise, and the contract suite says which."""

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.crivo.testing.broken.classes import of, require_said

from crivo.core.blocks import Dataset, Splitter, block
from crivo.core.schema import Column, Schema
from crivo.testing import FakeSplitter, check_dataset, check_splitter, fakes
from crivo.testing.contract import BrokenPromise
from crivo.testing.datasets import DatasetPromises

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


def describing(change, base=Sound):
    """Return a dataset that says something else of its rows."""
    return block(of(base, schema=lambda self, rows: change(Sound.schema(self, rows), rows)))()


def from_raw(rows_from_raw, **more):
    """Return a dataset that makes rows of raw rows."""
    raw = {"raw_columns": lambda self, schema: ("size",), "read_raw": Sound.load}
    return dataset(rows_from_raw=rows_from_raw, **raw | more)


def cleaning(self, folder):
    rows = Sound.load(self, folder)
    rows.to_csv(folder / "clean.csv")
    return rows


def changed(schema, **parts):
    return schema.model_copy(update=parts)


def renaming(schema, rows):
    rows["size"] = rows["size"] * 2
    return schema


def repeated(self, folder):
    rows = Sound.load(self, folder).sample(100, replace=True, ignore_index=True, random_state=0)
    return rows.assign(key=[f"k{i}" for i in range(100)])


def with_low(schema, rows):
    size = COLUMNS[1].model_copy(update={"low": float(rows["size"].min())})
    return changed(schema, columns=(COLUMNS[0], size, COLUMNS[2]))


def with_kept(self, raw, context):
    assert [(context.folder / name).stat().st_size for name in KEPT] == [1, 2]
    return raw


KEPT = ("more/there/a.txt", "more/there/b.txt")
LENGTH = Column(name="length", role="feature", type="number")
NO_LIMIT = COLUMNS[1].model_copy(update={"low": float("nan")})
TEXT = (*COLUMNS[:2], Column(name="sold", role="target", type="text"))
DATASETS = {
    "no table": loading(lambda rows: None),
    "no rows": loading(lambda rows: rows[:0]),
    "a name twice": loading(lambda rows: pd.concat([rows, rows[["size"]]], axis="columns")),
    "a name that isn't text": loading(lambda rows: rows.join(rows["size"].rename(1))),
    "another file": dataset(load=cleaning),
    "other rows each time": loading(lambda rows: rows.assign(
        size=rows["size"] + np.random.default_rng().uniform(1e-13, 1e-12, 4))),
    "no schema": describing(lambda schema, _: schema.to_json()),
    "no such column": describing(lambda schema, _: changed(schema, columns=(*COLUMNS, LENGTH))),
    "no feature": describing(lambda schema, _: changed(schema, columns=COLUMNS[::2])),
    "a limit that is no number": describing(
        lambda schema, _: changed(schema, columns=(COLUMNS[0], NO_LIMIT, COLUMNS[2]))),
    "another type": loading(lambda rows: rows.astype({"size": "str"})),
    "another order": describing(lambda schema, rows: changed(schema, positive=rows["sold"].iat[0])),
    "a flag as the reason": dataset(unusable=lambda self, rows: rows["size"] > 3),
    "an empty reason": dataset(unusable=lambda self, rows: rows["key"].replace({"d": ""}).where(
        rows["size"] > 3)),
    "a list of reasons": dataset(unusable=lambda self, rows: [None] * 4),
    "a column changed by schema": describing(renaming),
    "no id": loading(lambda rows: rows.assign(key=rows["key"].mask(rows["size"] > 3))),
    "an id twice": loading(lambda rows: rows.assign(key=[*"aacd"])),
    "no target": loading(lambda rows: rows.assign(sold=rows["sold"].mask(rows["key"] == "b"))),
    "an unknown class": describing(
        lambda schema, _: Schema(task="multiclass", classes=(True,), columns=COLUMNS)),
    "words as a number": dataset(
        load=lambda self, folder: Sound.load(self, folder).astype({"sold": "str"}),
        schema=lambda self, rows: Schema(task="regression", columns=TEXT)),
    "a kept file that isn't there": from_raw(None, kept=("gone.csv",)),
    "fewer raw rows": from_raw(None, read_raw=lambda self, folder: Sound.load(self, folder)[1:]),
    "no raw column": from_raw(None, raw_columns=lambda self, schema: ("size", "length")),
    "no column from raw": from_raw(lambda self, raw, _: raw[[]]),
    "the target known": from_raw(lambda self, raw, _: raw.assign(size=raw["size"] + raw["sold"])),
    "other rows beside": from_raw(
        lambda self, raw, _: raw.assign(size=raw["size"] - raw["size"].min() + 1)),
    "slightly other rows": from_raw(lambda self, raw, _: raw + 1e-12),
    "half of 100 raw rows": from_raw(
        lambda self, raw, _: raw * 2, load=repeated, read_raw=repeated),
}  # fmt: skip
SOUND = {
    "as it is": dataset(),
    "described by the rows": describing(with_low),
    "raw integers": from_raw(lambda self, raw, _: raw.astype(int)),
    "files that it keeps": from_raw(with_kept, kept=KEPT),
}


@pytest.mark.parametrize("what", DATASETS)
def test_the_suite_says_what_a_broken_dataset_does_wrong(raw: Path, what: str) -> None:
    require_said(what, lambda: check_dataset(DATASETS[what], raw))


@pytest.mark.parametrize("what", SOUND)
def test_a_dataset_in_order_keeps_its_contract(raw: Path, what: str) -> None:
    for size, name in enumerate(KEPT, 1):
        (raw / name).parent.mkdir(parents=True, exist_ok=True)
        (raw / name).write_bytes(bytes(size))
    check_dataset(SOUND[what], raw)


def test_of_rows_that_the_schema_refuses_a_share_is_set_aside(raw: Path) -> None:
    sold = COLUMNS[2].model_copy(update={"nullable": False})
    lacking = type(DATASETS["no target"])
    block = describing(lambda one, _: changed(one, columns=(*COLUMNS[:2], sold)), lacking)
    check_dataset(block, raw, limit=0.25)
    require_said("no target", lambda: check_dataset(block, raw, limit=0.24))


DAYS = pd.date_range("2024-05-01", periods=4)
NUMBERS, FLAGS, WORDS = [1, 2, 3, 4], [True, None, None, False], [*"1234"]
MORE = pd.Categorical(NUMBERS), pd.Categorical(DAYS), pd.Categorical(WORDS)


@pytest.mark.parametrize(
    ("kind", "fit", "misfit"),
    [
        ("number", [NUMBERS, MORE[0]], [[True] * 4, WORDS, DAYS]),
        ("date", [DAYS, MORE[1]], [NUMBERS, WORDS]),
        ("boolean", [[True] * 4, FLAGS], [NUMBERS, WORDS]),
        ("text", [WORDS, MORE[2]], [NUMBERS, DAYS, MORE[0], MORE[1]]),
    ],
)
def test_a_column_has_values_of_its_type(raw: Path, kind, fit, misfit) -> None:
    columns = (*COLUMNS, Column(name="more", role="feature", type=kind))
    for values in [*fit, *misfit]:
        given = loading(lambda rows, values=values: rows.assign(more=values))
        given = describing(lambda schema, _: changed(schema, columns=columns), type(given))
        wrong = any(values is one for one in misfit)
        with pytest.raises(BrokenPromise) if wrong else nullcontext():
            DatasetPromises(given, raw, 0.0).columns_have_their_types()


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


SPLITTERS = {
    "by position": splitter(by_position),
    "by chance": splitter(by_chance),
    "another index": splitter(lambda *given: dealt(*given).reset_index(drop=True)),
    "another split": splitter(lambda *given: dealt(*given).replace("valid", "validation")),
    "a table of splits": splitter(lambda *given: dealt(*given).to_frame()),
    "a row without a split": splitter(
        lambda *given: dealt(*given).where(lambda one: one != "test")
    ),
    "gaps filled by the splitter": splitter(filling_gaps),
    "a column that is needed": splitter(needs=("amount", "hr")),
}


@pytest.mark.parametrize("what", SPLITTERS)
def test_the_suite_says_what_a_broken_splitter_does_wrong(what: str) -> None:
    require_said(what, lambda: check_splitter(SPLITTERS[what], tasks=["multiclass"]))


def test_a_splitter_is_tried_on_rows_of_its_own() -> None:
    rows, schema, own = fakes.example_rows(), fakes.example_schema(), splitter(by_position)
    require_said("by position, own rows", lambda: check_splitter(own, schema=schema, rows=rows))
