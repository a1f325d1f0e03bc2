"""`TableDataset`: the rows and schema of the files in data/raw/table (`dataset: table`)."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

import pandas as pd
from pydantic import BeforeValidator

from crivo.core.blocks import Count, Dataset, Names, RawContext, block
from crivo.core.errors import CrivoError
from crivo.core.problems import did_you_mean
from crivo.core.schema import Column, Role, Schema, Task, Type, Words
from crivo.core.tasks import TASKS
from crivo.core.wording import a_few
from crivo.preparation.tables import columns
from crivo.preparation.tables.files import Form, read_table_file, read_tables

# One name stands for a list of one.
Some = Annotated[Names, BeforeValidator(lambda v: [v] if isinstance(v, str) else v or [])]
# A cell may be written as a number: -999.
Cells = Annotated[Names, BeforeValidator(lambda v: [str(cell) for cell in v or []])]

# The settings that give columns a role.
ROLES = ("target", "time", "group", "weight", "id", "outcome", "info", "drop")
# Roles whose columns have a value in every row.
ALWAYS_KNOWN = ("id", "target", "time", "group", "weight")


@block
class TableDataset(Dataset):
    """Reads CSV, Parquet or Excel files, and infers what their columns are.

    `src/blocks/datasets/table.py` defines a subclass and explains its settings.
    """

    target: str | None = None
    task: Task | None = None
    positive: str | int | float | bool | None = None
    files: str | None = None
    id: Some = ()
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    outcome: Some = ()
    info: Some = ()
    drop: Some = ()
    also_feature: Some = ()
    types: dict[str, Type] | None = None
    missing: Cells = ("?",)
    delimiter: str | None = None
    encoding: str | None = None
    decimal: Literal[".", ","] | None = None
    marks: dict[str, Literal[".", ","]] | None = None
    day_first: bool | None = None
    header: bool = True
    sheet: str | None = None
    words: Words = Words()
    min_class_rows: Count = 1

    def load(self, folder: Path) -> pd.DataFrame:
        """Return the rows with typed columns, and a text column that names each row."""
        return self.rows(self.read_raw(folder))

    def rows(self, raw: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of raw rows that are as they are written."""
        self._check_names([str(name) for name in raw.columns])
        reading = self.reading.of(raw.drop(columns=[*self.drop]))
        named = raw[list(self.id)]
        ids = columns.joined_ids(named, reading.missing) if self.id else columns.content_ids(raw)
        new = next(name for i in count() if (name := "row_id" + i * "_") not in raw)
        made = {self.id[0] if len(self.id) == 1 else new: ids}
        kinds: dict[Any, Any] = dict.fromkeys((*self.id, self.group), "category")
        kinds |= {self.weight: "number", self.time: None} | (self.types or {})
        for name in raw.columns:
            if name == self._target:
                made[name] = columns.read_target(raw[name], reading, self.task, kinds.get(name))
            elif name not in self.drop and (name,) != self.id:
                made[name] = columns.typed(raw[name], reading, kinds.get(name))
        return pd.DataFrame(made, copy=False)

    def schema(self, rows: pd.DataFrame) -> Schema:
        """Return each column's role and type, and the task that the target sets."""
        roles = self._roles() | {self.id[0] if len(self.id) == 1 else rows.columns[0]: "id"}
        target = rows[self._target]
        task = self.task or columns.guess_task(target)
        classes = columns.find_classes(target, task, self.min_class_rows)
        positive = None
        if TASKS[task].has_positive:
            positive = columns.find_positive(classes, self.positive, target)
        found = tuple(self._column(rows[name], roles.get(str(name), "feature")) for name in rows)
        return Schema(
            task=task, columns=found, classes=classes, positive=positive, words=self.words
        )

    def unusable(self, rows: pd.DataFrame) -> pd.Series:
        """Name the rows whose class is too rare, or whose weight is not above zero."""
        reasons, target = super().unusable(rows), rows[self._target]
        if self.min_class_rows > 1 and TASKS[self.task or columns.guess_task(target)].has_classes:
            rare = target.map(target.value_counts()) < self.min_class_rows
            reasons[rare] = f"{self.target} has fewer than {self.min_class_rows} rows of this class"
        if self.weight is not None:
            reasons[rows[self.weight] <= 0] = f"{self.weight} is not above zero"
        return reasons

    def raw_columns(self, schema: Schema) -> tuple[str, ...]:
        """Return the features: a raw row is a row, once its cells are read."""
        return schema.features

    def read_raw(self, path: Path) -> pd.DataFrame:
        """Return the rows of the raw files, or of one file in their form, as they are written."""
        form = Form(self.delimiter, self.encoding, self.header, self.sheet)
        return read_tables(path, self.files, form) if path.is_dir() else read_table_file(path, form)

    def rows_from_raw(self, raw: pd.DataFrame, context: RawContext) -> pd.DataFrame:
        """Return the rows with the cells of text read as `load` reads them."""
        return columns.read_features(raw, context.schema, self.reading)

    @property
    def _target(self) -> str:
        if self.target is None:
            raise CrivoError(
                "datasets.table.target names no column; write the name of the column to predict, "
                "or add a file with `crivo start . --data FILE --target COLUMN`."
            )
        return self.target

    def _named(self, setting: str) -> list[str]:
        """Return the columns that a setting names."""
        names = getattr(self, setting) or ()
        return [names] if isinstance(names, str) else [*names]

    def _roles(self) -> dict[str, Role]:
        """Return the role of each column that the settings name; CrivoError when it has two."""
        roles: dict[str, Role] = {}
        for role in ROLES:
            for name in self._named(role):
                own: Any = role
                if role == "id" and len(self.id) > 1:
                    # A new column names the rows; of several, each may also be the group or the
                    # time: patient and visit.
                    own = roles[name] if name in (self.time, self.group) else "info"
                if roles.setdefault(name, own) != own:
                    raise CrivoError(
                        f"datasets.table names the column {name!r} twice, in different roles; "
                        "a column has only one role."
                    )
        return roles

    def _check_names(self, there: list[str]) -> None:
        """Raise CrivoError when a setting names a column that the files don't have."""
        for setting in (*ROLES, "also_feature", "types", "marks"):
            for name in (name for name in self._named(setting) if name not in there):
                raise CrivoError(
                    f"datasets.table.{setting} names the column {name!r}, which the table doesn't "
                    f"have{did_you_mean(name, there) or '.'} There are: {a_few(there, 30)}. Change "
                    "this setting in params.yaml, or name the column of the new table to `crivo "
                    "start`."
                )

    @property
    def reading(self) -> columns.Reading:
        """How cells are read, as the settings say."""
        missing = frozenset((*columns.MISSING, *(cell.strip() for cell in self.missing)))
        return columns.Reading(missing, self.decimal, self.day_first, marks=self.marks or {})

    def _column(self, values: pd.Series, role: Role) -> Column:
        name = str(values.name)
        kind = "text" if role == "id" else (self.types or {}).get(name) or columns.type_of(values)
        return Column(
            name=name,
            role=role,
            type=kind,
            nullable=role not in ALWAYS_KNOWN,
            unique=role == "id",
            also_feature=role in ("time", "group", "weight") and name in self.also_feature,
        )
