"""What a report is made of, as its templates and tables ask for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from crivo.core.evaluation import Evaluation
from crivo.core.findings import GRAVE, NOT_APPLICABLE, PASSED
from crivo.core.schema import Schema, Words
from crivo.core.tasks import TASKS, TaskType
from crivo.evaluation.plain import PlainResult
from crivo.evaluation.report.numbers import digits_of, interval, number
from crivo.evaluation.tasks import TaskEvaluation, task_evaluation
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

    @property
    def unit(self) -> str:
        """The unit of a number to be predicted, after a space; empty where it isn't known."""
        return f" {self.words.unit}" if self.words.unit else ""

    def is_class(self, name: Any) -> str:
        """Return what is said of rows of a class: `are late`, `have late = True`."""
        said = self.short(name)
        return f"are {said}" if said != self._pair(name) else f"have {said}"

    def short(self, name: Any) -> str:
        """Return what a class is called: `late`, `late = True`; by its name where several are."""
        if self.positive is None:
            return "positive" if name is None else str(name)
        if str(name) == str(self.positive):
            return self.words.positive or self._pair(name)
        return self.words.negative or self._pair(name)

    @property
    def two_classes(self) -> tuple[str, str]:
        """What the positive and the other class are called."""
        if self.positive is None:
            return "positive", "negative"
        other = next((name for name in self.classes if name != self.positive), None)
        return self.short(self.positive), "other" if other is None else self.short(other)

    def _pair(self, name: Any) -> str:
        return f"{self.target} = {name}"

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
class Report:
    """What a report is made of.

    `about`: what was evaluated, as `evaluation.json` holds it; `chosen`: the chosen blocks by
    kind; `settings`: those of the model; `subject`: what the predictions are about; `plain`: the
    result in a number that everybody understands; `threshold`: the one in use.

    `plots`: the plots' tables; `tables`: those of the explanations by file name (`slices`, `value`,
    `errors/worst` …); `headline`: the numbers of metrics.json; `incumbent`: the verdict against it,
    empty where there is none; `checked`: what became of the checks, None where none was made;
    `files`: those that stand beside the page.
    """

    evaluation: Evaluation
    about: Mapping[str, Any]
    chosen: Mapping[str, str]
    settings: Mapping[str, Any] = field(default_factory=dict)
    subject: Subject = field(default_factory=Subject)
    plain: PlainResult | None = None
    threshold: Threshold | None = None
    plots: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    headline: Mapping[str, Any] = field(default_factory=dict)
    incumbent: Mapping[str, Any] = field(default_factory=dict)
    checked: pd.DataFrame | None = None
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
            plots=result.plots,
            tables=result.tables,
            headline=result.headline,
            incumbent=result.against_incumbent,
            checked=result.all_checked,
            files=(*result.data_files, "report.md"),
        )

    @property
    def task(self) -> type[TaskType]:
        """The task."""
        return TASKS[self.about["task"]]

    @property
    def task_words(self) -> type[TaskEvaluation]:
        """What the report calls the task's numbers."""
        return task_evaluation(self.about["task"])

    @property
    def environment(self) -> str:
        """Whether what ran is what is locked."""
        return str(self.about.get("environment", "unknown"))

    @property
    def is_external(self) -> bool:
        """Whether a file's predictions were evaluated: nobody knows what made them."""
        return self.environment == "unknown"

    # --- the result ---------------------------------------------------------------------------

    @cached_property
    def primary(self) -> dict[str, Any]:
        """The metric that decides: name, value and interval."""
        name = self.evaluation.primary
        return {"name": name, **_first(self.evaluation.metrics.loc[[name]])}

    @cached_property
    def versus(self) -> dict[str, Any] | None:
        """Its difference from the baseline, with the verdict; None without a baseline."""
        table = self.evaluation.against_baseline
        if self.evaluation.primary not in table.index:
            return None
        row = _first(table.loc[[self.evaluation.primary]])
        return row | {"value": row["difference"]}

    @property
    def worse(self) -> list[str] | None:
        """The metrics that are worse than the baseline's; None without a baseline."""
        table = self.evaluation.against_baseline
        if table.empty:
            return None
        return [str(name) for name in table.index[table["verdict"] == "worse"]]

    @property
    def better(self) -> int:
        """How many metrics are better than the baseline's."""
        return int((self.evaluation.against_baseline["verdict"] == "better").sum())

    @property
    def versus_incumbent(self) -> dict[str, Any]:
        """The difference from the incumbent."""
        return _row(self.incumbent, "vs_incumbent")

    @property
    def worth(self) -> dict[str, Any] | None:
        """What acting on the flagged rows is worth; None where no gains are set."""
        value = self.headline.get("value_per_1000")
        return None if pd.isna(value) else _row(self.headline, "value_per_1000")

    @property
    def calibration(self) -> dict[str, Any] | None:
        """The mean score less the positives' share; None where it isn't known."""
        table, name = self.tables.get("slices", NO_SLICES), "calibration_in_the_large"
        whole = table[table["kind"] == "all"]
        row = _first(whole) if len(whole) else {}
        return None if pd.isna(row.get(name)) else _row(row, name)

    # --- findings -----------------------------------------------------------------------------

    @cached_property
    def found(self) -> pd.DataFrame | None:
        """The findings of the checks; None where none was made."""
        if self.checked is None:
            return None
        return self.checked[~self.checked["severity"].isin([PASSED, NOT_APPLICABLE])]

    @cached_property
    def grave(self) -> list[Any]:
        """The findings that aren't notes."""
        return [] if self.found is None else [*self._not_notes(self.found).itertuples()]

    @property
    def notes_found(self) -> int:
        """How many findings are notes."""
        return 0 if self.found is None else len(self.found) - len(self.grave)

    def _not_notes(self, table: pd.DataFrame) -> pd.DataFrame:
        return table[table["severity"] != "note"]

    @property
    def notes(self) -> list[str]:
        """What to beware of, in sentences; that it is worse than the baseline is said already."""
        told = [one for one in self.grave if one.severity in GRAVE and one.code != "R002"]
        doubts = [f"{one.code}, {one.subject}: {one.message}" for one in told]
        return [*doubts, *self.evaluation.warnings]

    def by_kind(self, letter: str) -> tuple[int, int]:
        """Return how many findings and notes the checks of a kind have; L, T and R are kinds."""
        if self.found is None:
            return 0, 0
        mine = self.found[self.found["code"].str.startswith(letter)]
        grave = len(self._not_notes(mine))
        return grave, len(mine) - grave

    def silent(self, state: str) -> list[Any]:
        """Return the checks that passed or aren't applicable."""
        if self.checked is None:
            return []
        return [*self.checked[self.checked["severity"] == state].itertuples()]

    # --- tables -------------------------------------------------------------------------------

    @cached_property
    def slices(self) -> pd.DataFrame:
        """The declared slices; the line of all rows would repeat the metrics."""
        table = self.tables.get("slices", NO_SLICES)
        return table[table["kind"].isin(["column", "further"])]

    @cached_property
    def segments(self) -> pd.DataFrame:
        """The suspected weak segments."""
        table = self.tables.get("slices", NO_SLICES)
        return table[table["kind"] == "segment"]

    @cached_property
    def places(self) -> list[dict[str, Any]]:
        """Of slices and of segments how many there are and are compared, and which are worse."""
        found = []
        for table in (self.slices, self.segments):
            worse = table[table["verdict"] == "worse"]
            compared = int(table["difference"].notna().sum())
            one = {"size": len(table), "compared": compared, "worse": [*map(str, worse["slice"])]}
            found.append(one | {"metric": worse["judged_by"].iloc[0] if len(worse) else ""})
        return found

    def plot(self, name: str) -> pd.DataFrame | None:
        """Return a plot's table; None where the task doesn't have it."""
        table = self.plots.get(name)
        return None if table is None or table.empty else table

    def table(self, name: str) -> pd.DataFrame | None:
        """Return a table of the explanations; None where it has no rows."""
        table = self.tables.get(name)
        return None if table is None or table.empty else table


def _first(table: pd.DataFrame) -> dict[str, Any]:
    return {str(name): value for name, value in table.to_dict("records")[0].items()}


def _row(numbers: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {"value": numbers[name], "low": numbers[f"{name}_low"], "high": numbers[f"{name}_high"]}
