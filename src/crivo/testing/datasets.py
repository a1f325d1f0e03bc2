"""Contract tests for every dataset: one suite of small checks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.blocks import Dataset, RawContext
from crivo.core.cache import md5_of
from crivo.core.schema import Schema, Type
from crivo.core.tasks import task_of
from crivo.preparation.quarantine import invalid_reasons
from crivo.preparation.rawdata import raw_files
from crivo.testing.contract import (
    SettingsPromises,
    promise,
    require_equal,
    require_kept,
    unchanged,
)

# About so many raw rows are made rows again.
RAW_ROWS = 50


@dataclass
class DatasetPromises:
    """A dataset and the folder of its raw files."""

    block: Dataset
    folder: Path
    limit: float

    def __post_init__(self) -> None:
        self.files = _digests(self.folder)

    @cached_property
    def rows(self) -> pd.DataFrame:
        return self.block.load(self.folder)

    @cached_property
    def schema(self) -> Schema:
        return self.block.schema(self.rows.copy())

    @cached_property
    def usable(self) -> pd.DataFrame:
        rows = self.rows[self.block.unusable(self.rows.copy()).isna()]
        refused = invalid_reasons(rows, self.schema) != ""
        return rows[~refused] if refused.mean() <= self.limit else rows

    def loads_a_table(self) -> None:
        """`load` returns a DataFrame with rows and unique column names."""
        rows = self.rows
        promise(isinstance(rows, pd.DataFrame), f"it returned a {type(rows).__name__}.")
        promise(len(rows) > 0, f"it found no rows in {self.folder}.")
        promise(rows.columns.is_unique, "two of its columns have the same name.")
        promise(all(isinstance(name, str) for name in rows), "the name of a column isn't a string.")

    def same_files_same_rows(self) -> None:
        """The same files give the same rows in the same order."""
        again = self.block.load(self.folder)
        require_equal(self.rows, again, "loading a second time gave other rows", exact=True)

    def leaves_the_raw_files_alone(self) -> None:
        """No raw file is changed, added or removed."""
        # It has loaded them twice by now.
        before, after = self.files, _digests(self.folder)
        changed = sorted(name for name in before | after if before.get(name) != after.get(name))
        promise(not changed, f"`load` changed {', '.join(changed)}.")

    def describes_its_columns(self) -> None:
        """`schema` describes existing columns, and can be stored as JSON."""
        schema = self.schema
        promise(isinstance(schema, Schema), f"it returned a {type(schema).__name__}.")
        _require_columns((column.name for column in schema.columns), self.rows, "the rows lack")
        promise(bool(schema.features), "no column has the role `feature`.")
        again = Schema(**json.loads(json.dumps(schema.to_json())))
        promise(again == schema, "the schema that is read from its JSON is different.")

    def columns_have_their_types(self) -> None:
        """Each column has the type that the schema gives it."""
        for column in self.schema.columns:
            values, said = self.rows[column.name], f"column {column.name} is a {column.type}"
            found = f"{said} in the schema, but {values.dtype} in the rows."
            promise(_fits(values, column.type), found)

    def schema_ignores_the_order_of_rows(self) -> None:
        """The schema doesn't depend on the order of the rows."""
        for rows in (self.rows[::-1], self.rows.sample(frac=1, random_state=0)):
            same = self.block.schema(rows.copy()) == self.schema
            promise(same, "the same rows in another order gave a different schema.")

    def gives_reasons_row_by_row(self) -> None:
        """`unusable` returns, for each row, a reason in words or a missing value."""
        with unchanged(self.rows, doing="`unusable`"):
            reasons = self.block.unusable(self.rows)
        fits = isinstance(reasons, pd.Series) and reasons.index.equals(self.rows.index)
        promise(fits, "it didn't return a Series with the index of the rows.")
        strange = [one for one in reasons.dropna() if not isinstance(one, str) or not one]
        promise(not strange, f"{strange[:1]} isn't a reason in words.")

    def leaves_its_rows_alone(self) -> None:
        """`schema` doesn't change the rows."""
        with unchanged(self.rows, doing="`schema`"):
            self.block.schema(self.rows)

    def ids_are_unique(self) -> None:
        """Every usable row has an id, and no id occurs twice."""
        ids = self.usable[self.schema.id]
        promise(ids.notna().all(), f"the id {self.schema.id} has gaps ({ids.isna().sum()}).")
        twice = ids[ids.duplicated()]
        said = f"the id {self.schema.id} repeats values ({len(twice)}), such as {list(twice[:1])}."
        promise(twice.empty, said)

    def rows_have_targets(self) -> None:
        """Every usable row has a target: a class that the schema lists, or a number."""
        target = self.usable[self.schema.target]
        promise(len(target) > 0, "no row is usable.")
        promise(target.notna().all(), f"the target has gaps ({target.isna().sum()}).")
        if not task_of(self.schema).has_classes:
            promise(is_numeric_dtype(target), f"the target is {target.dtype}, not a number.")
            return
        strange = set(target) - set(self.schema.classes)
        promise(not strange, f"the target has {sorted(map(str, strange))}, which the schema lacks.")

    def turns_raw_rows_into_rows(self) -> None:
        """From what is known beforehand, a raw row becomes the same row as with `load`.

        It gets the same features, bit by bit, whichever raw rows come with it, with the `kept`
        files alone in the folder. What is allowed: a whole number may be an integer in a row alone,
        and a float in a column with gaps or fractions; a boolean may be of pandas' nullable type in
        a column with gaps. A dataset that doesn't offer this names no `raw_columns`.
        """
        columns = self.block.raw_columns(self.schema)
        if not columns:
            return
        raw = self.block.read_raw(self.folder)
        count = len(self.rows)
        promise(len(raw) == count, f"`read_raw` gave {len(raw)} rows, and `load` gave {count}.")
        _require_columns(columns, raw, "the rows of `read_raw` lack")
        features = list(self.schema.features)
        usable = self.rows.index.get_indexer(self.usable.index)
        some = usable[:: max(1, len(usable) // RAW_ROWS)]
        with TemporaryDirectory() as kept:
            for name in self.block.kept:
                source, target = self.folder / name, Path(kept, name)
                promise(source.is_file(), f"the file {name}, which `kept` names, isn't a raw file.")
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)
            for places in (some, some[::-1], some[-1:]):
                asked = raw.iloc[places][list(columns)]
                with unchanged(asked, doing="`rows_from_raw`"):
                    rows = self.block.rows_from_raw(asked, RawContext(self.schema, Path(kept)))
                _require_columns(features, rows, "the rows of `rows_from_raw` lack")
                expected = _alike(self.rows.iloc[places][features].set_axis(asked.index))
                finding = f"raw rows ({len(places)}) became other rows"
                require_equal(expected, _alike(rows[features]), finding, exact=True)


def check_dataset(block: Dataset, folder: str | Path, *, limit: float = 0.0) -> None:
    """Check that a dataset keeps every promise of its interface, on the raw files of a folder.

    Small files will do, as long as they are in the form of the real ones. `limit`: the share of
    rows that the schema may refuse, as without a target, and that `prepare` sets aside.
    ContractError: which promises it breaks, one sentence each.

    >>> from crivo.testing import FakeDataset
    >>> check_dataset(FakeDataset(), "data/raw/anything")
    """
    suite = DatasetPromises(block, Path(folder), limit)
    require_kept(f"dataset {type(block).__name__}", SettingsPromises(block), suite)


def _fits(values: pd.Series, kind: Type) -> bool:
    """Tell whether a column's values are of a type, as far as its dtype can say."""
    held = values.dtype.categories if isinstance(values.dtype, pd.CategoricalDtype) else values
    if kind == "number":
        return is_numeric_dtype(held) and not is_bool_dtype(held)
    if kind == "date":
        return is_datetime64_any_dtype(held)
    if kind == "boolean":
        return is_bool_dtype(held) or set(values.dropna().unique()) <= {True, False}
    return not is_numeric_dtype(held) and not is_datetime64_any_dtype(held)


def _require_columns(names: Iterable[str], table: pd.DataFrame, finding: str) -> None:
    lacking = [name for name in names if name not in table]
    promise(not lacking, f"{finding} {', '.join(lacking)}.")


def _alike(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which integers are floats, and all booleans are of the nullable type."""
    kinds = dict.fromkeys(table.select_dtypes("number"), "float64")
    return table.astype(kinds | dict.fromkeys(table.select_dtypes(["bool", "boolean"]), "boolean"))


def _digests(folder: Path) -> dict[str, str]:
    return {str(path): md5_of(path) for path in raw_files(folder).values()}
