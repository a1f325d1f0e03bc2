"""The contents of a report, as its templates and tables ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import GRAVE, Finding, Silent
from crivo.core.params import ValueSettings
from crivo.core.schema import Schema, Words
from crivo.core.tasks import TASKS, TaskType
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report.numbers import digits_of, interval, number
from crivo.evaluation.thresholds import Threshold

if TYPE_CHECKING:
    from crivo.evaluation.evaluate import Result

NO_SLICES = pd.DataFrame({name: [] for name in ("slice", "kind", "verdict", "difference")})


@dataclass(frozen=True)
class Subject:
    """What the predictions are about, in the words of the data's owners where these are known.

    `positive`: the class of interest; `baseline`: the name of the trivial model, None where there
    is none; `currency`: of gains.
    """

    target: str = "target"
    classes: tuple[Any, ...] = ()
    positive: Any = None
    words: Words = field(default_factory=Words)
    currency: str = ""
    baseline: str | None = None

    @classmethod
    def of(
        cls, schema: Schema | None, positive: Any, currency: str, baseline: str | None
    ) -> Subject:
        """Return the subject of a data set; without a schema just the positive class has a name."""
        if schema is None:
            return cls(positive=positive, currency=currency, baseline=baseline)
        known = schema.target, schema.classes, schema.positive, schema.words
        return cls(*known, currency, baseline)

    @property
    def rows(self) -> str:
        """What the rows are called."""
        return self.words.rows

    def is_class(self, name: Any) -> str:
        """Return what is said of rows of a class: `are late`, `have late = True`."""
        said = self.short(name)
        return f"have {said}" if said == f"{self.target} = {name}" else f"are {said}"

    def short(self, name: Any) -> str:
        """Return what a class is called: `late`, `late = True`; by its name where several are."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        is_positive = str(name) == str(self.positive)
        word = self.words.positive if is_positive else self.words.negative
        return word or f"{self.target} = {name}"

    @property
    def two_classes(self) -> tuple[str, str]:
        """What the positive and the other class are called."""
        if self.positive is None:
            return "positive", "negative"
        other = next((name for name in self.classes if name != self.positive), None)
        return self.short(self.positive), "other" if other is None else self.short(other)

    def money(self, row: Mapping[str, Any], *, ends: bool = True, digits: int | None = None) -> str:
        """Return a value with its interval, in the currency of the gains.

        `digits` after the point; without them as many as the interval bears.

        >>> Subject(currency="€").money({"value": -1803.5, "low": -3027, "high": -580})
        '−€1,800 [−3,030, −580]'
        """
        digits = digits_of(row["low"], row["high"]) if digits is None else digits
        amount, limits = number(abs(row["value"]), digits), interval(row, digits) if ends else ""
        sign = "−" if row["value"] < 0 else ""
        if self.currency[:1].isalpha():
            return f"{sign}{amount} {limits} {self.currency}".replace("  ", " ")
        return f"{sign}{self.currency}{amount} {limits}".strip()


@dataclass(frozen=True)
class FoundByCheck:
    """All that one check found: how often, and in sentences; equal ones are one."""

    code: str
    severity: str
    count: int
    text: str


@dataclass(frozen=True)
class Report:
    """What a report is made of.

    `about`: what was evaluated, as `evaluation.json` holds it; `chosen`: the chosen blocks by
    kind; `settings`: those of the model; `subject`: what the predictions are about; `plain`: the
    result in a number that everybody understands; `threshold`: the one in use; `worth`: what the
    outcomes gain.

    `plots`: the plots' tables; `tables`: those of the explanations by file name (`slices`, `value`,
    `errors/worst` …); `headline`: the numbers of metrics.json; `incumbent`: the verdict against it,
    empty where there is none; `checked`: what became of the checks, None where none was made;
    `titles`: of checks by their codes; `files`: those that stand beside the page.
    """

    evaluation: Evaluation
    about: Mapping[str, Any]
    chosen: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    subject: Subject = field(default_factory=Subject)
    plain: PlainResult | None = None
    threshold: Threshold | None = None
    worth: ValueSettings = field(default_factory=ValueSettings)
    plots: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    headline: Mapping[str, Any] = field(default_factory=dict)
    incumbent: Mapping[str, Any] = field(default_factory=dict)
    checked: Sequence[Finding | Silent] | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, result: Result) -> Report:
        """Return what a result's report is made of."""
        known, point = result.inputs, result.operating_point
        positive = result.about.get("positive")
        return cls(
            evaluation=result.evaluation,
            about=result.about,
            chosen={"dataset": known.dataset, "model": known.model},
            settings=known.settings,
            subject=Subject.of(known.schema, positive, point.value.currency, known.baseline),
            plain=result.plain,
            threshold=point.thresholds[0],
            worth=point.value,
            plots=result.plots,
            tables=result.tables,
            headline=result.headline,
            incumbent=result.against_incumbent,
            checked=result.all_checked,
            titles=result.titles,
            files=(*result.data_files, "report.md"),
        )

    @property
    def task(self) -> type[TaskType]:
        """The task."""
        return TASKS[self.about["task"]]

    @property
    def is_external(self) -> bool:
        """Whether a file's predictions were evaluated: nobody knows what made them."""
        return bool(self.about.get("environment", "unknown") == "unknown")

    @property
    def primary(self) -> dict[str, Any]:
        """The metric that decides: name, value and interval."""
        name = self.evaluation.primary
        return {"name": name, **_record(self.evaluation.metrics, name)}

    @property
    def versus(self) -> dict[str, Any] | None:
        """Its difference from the baseline, with the verdict; None without a baseline."""
        table, name = self.evaluation.against_baseline, self.evaluation.primary
        if name not in table.index:
            return None
        return _record(table.assign(value=table["difference"]), name)

    def judged(self, verdict: str) -> list[str]:
        """Return the metrics with a verdict against the baseline."""
        table = self.evaluation.against_baseline
        return [str(name) for name in table.index[table["verdict"] == verdict]]

    @cached_property
    def found(self) -> list[FoundByCheck]:
        """What each check found, if it found anything."""
        findings = [one for one in self.checked or () if isinstance(one, Finding)]
        found = []
        for (code, severity), group in groupby(findings, lambda one: (one.code, one.severity)):
            by_message: dict[str, list[str]] = {}
            for one in (listed := list(group)):
                by_message.setdefault(one.message, []).append(one.subject)
            said = (f"{', '.join(subjects)}: {what}" for what, subjects in by_message.items())
            found.append(FoundByCheck(code, severity, len(listed), " ".join(said)))
        return found

    @property
    def grave(self) -> list[FoundByCheck]:
        """The findings that aren't notes."""
        return [one for one in self.found if one.severity in GRAVE]

    def silent(self, state: str) -> list[Silent]:
        """Return the checks that passed or aren't applicable."""
        return [one for one in self.checked or () if one.severity == state]  # type: ignore[misc]

    def places(self, *kinds: str) -> dict[str, Any]:
        """Return the slices or segments of some kinds: how many are compared, which are worse."""
        table = self.tables.get("slices", NO_SLICES)
        table = table[table["kind"].isin(kinds)]
        worse = table[table["verdict"] == "worse"]
        return {
            "table": table,
            "size": len(table),
            "compared": int(table["difference"].notna().sum()),
            "worse": [*map(str, worse["slice"])],
            "metric": worse["judged_by"].iloc[0] if len(worse) else "",
        }

    def plot(self, name: str) -> pd.DataFrame | None:
        """Return a plot's table; None where the task doesn't have it."""
        return _unless_empty(self.plots.get(name))

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the explanations; None where it has no rows."""
        return _unless_empty(self.tables.get(name))


def _record(table: pd.DataFrame, name: str) -> dict[str, Any]:
    return {str(column): value for column, value in table.loc[name].items()}


def _unless_empty(table: pd.DataFrame | None) -> pd.DataFrame | None:
    return None if table is None or table.empty else table
