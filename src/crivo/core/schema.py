"""Schema of a table: each column's role, type and valid values."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator

from crivo.core.tasks import Task as Task
from crivo.core.tasks import task_of

Role = Literal[
    "id",  # names the row; unique, from the raw row's key
    "target",  # what is to be predicted
    "feature",  # known at prediction time; may enter a model
    "time",  # when the row happened; orders a split
    "group",  # rows that must stay in one split
    "weight",  # how much the row counts in the evaluation
    "outcome",  # known only afterwards; kept for error analysis, never a feature
    "info",  # kept beside the row for people to read; never a feature
]

Type = Literal["number", "category", "boolean", "date", "text"]

# A stretch of time whose dates may count as one.
Period = Literal["hour", "day", "week", "month", "quarter", "year"]


class Column(BaseModel):
    """One column: its role, its type and its valid values.

    `low` and `high` are the smallest and largest valid values, and `allowed` lists all valid
    values. If `nullable` is false, every row must have a value. If `also_feature` is true, a time,
    group or weight column is a feature too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    role: Role
    type: Type
    nullable: bool = True
    unique: bool = False
    low: float | None = None
    high: float | None = None
    allowed: tuple[str | int | float | bool, ...] | None = None
    also_feature: bool = False
    description: str = ""


class Words(BaseModel):
    """What the report calls the rows and their target.

    `rows` is a plural noun, such as flights. `positive` and `negative` describe the rows of the two
    classes, such as late and on time. `unit` is the unit of a numeric target.

    >>> Words(rows="flights", positive="late", negative="on time").rows
    'flights'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    rows: str = "rows"
    positive: str = ""
    negative: str = ""
    unit: str = ""


class Schema(BaseModel):
    """The columns of a dataset, and the task that its target implies.

    `classes` lists the target's classes in the order of the score columns; for regression, it is
    empty. `positive` is the class of interest in a binary task. `words` are used in the report.

    >>> schema = Schema(task="binary", classes=(False, True), positive=True, columns=(
    ...     Column(name="key", role="id", type="text", nullable=False, unique=True),
    ...     Column(name="late", role="target", type="boolean", nullable=False),
    ...     Column(name="distance", role="feature", type="number", low=0)))
    >>> schema.target, schema.features
    ('late', ('distance',))
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: Task
    columns: tuple[Column, ...]
    classes: tuple[bool | int | float | str, ...] = ()
    positive: bool | int | float | str | None = None
    words: Words = Words()

    @model_validator(mode="after")
    def _consistent(self) -> Schema:
        names = [column.name for column in self.columns]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"columns named twice: {', '.join(twice)}")
        for role in ("id", "target"):
            if len(self.named(role)) != 1:
                raise ValueError(f"a schema has exactly one {role} column")
        for role in ("time", "group", "weight"):
            if len(self.named(role)) > 1:
                raise ValueError(f"a schema has at most one {role} column")
        task_of(self).check()
        return self

    def named(self, *roles: Role | str) -> tuple[str, ...]:
        """Return the names of the columns that have one of these roles, in order."""
        return tuple(column.name for column in self.columns if column.role in roles)

    def column(self, name: str) -> Column:
        """Return one column by its name; KeyError when there is none."""
        return {column.name: column for column in self.columns}[name]

    def _only(self, role: Role) -> str | None:
        return next(iter(self.named(role)), None)

    @property
    def id(self) -> str:
        return self.named("id")[0]

    @property
    def target(self) -> str:
        return self.named("target")[0]

    @property
    def features(self) -> tuple[str, ...]:
        """Return the names of the columns that may enter a model."""
        return tuple(c.name for c in self.columns if c.role == "feature" or c.also_feature)

    @property
    def time(self) -> str | None:
        return self._only("time")

    @property
    def group(self) -> str | None:
        return self._only("group")

    @property
    def weight(self) -> str | None:
        return self._only("weight")

    def to_json(self) -> dict[str, Any]:
        """Return what `schema.json` holds; `Schema(**…)` reads it back."""
        return self.model_dump(mode="json", exclude_defaults=True)
