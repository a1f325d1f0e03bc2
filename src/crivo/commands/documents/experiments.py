"""The documents of commands about experiments: `compare`, `confirm`, `repeat` and others."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part

Verdict = Literal["better", "worse", "equivalent", "undecided", "identical"]
Number = float | None

VERDICT = "What the interval of the difference says: compare.md lists the verdicts."


class MetricVerdict(Part):
    """One metric of an experiment beside its reference."""

    metric: str = Field(description="The metric's name.")
    value: Number = Field(description="The experiment's value.")
    low: Number = Field(description="The lower end of the value's own 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    difference: Number = Field(description="The experiment's value minus the reference's.")
    se: Number = Field(description="The standard error of the difference.")
    difference_low: Number = Field(
        description="The lower end of the interval that allows for all trials before it."
    )
    difference_high: Number = Field(description="The upper end of that interval.")
    minimum_detectable: Number = Field(
        description="The smallest difference that this comparison detects in four of five cases."
    )
    critical: Number = Field(description="How many standard errors half the interval is wide.")
    verdict: Verdict = Field(description=VERDICT)
    not_worse: bool = Field(
        description="Whether it is shown not to be worse by more than its margin."
    )
    clusters: Number = Field(description="How many clusters the evaluated rows are of.")
    clusters_needed: Number = Field(
        description="With how many clusters an undecided difference would be decided; null where "
        "it is decided, or where a hundred times as many wouldn't do."
    )
    trial: int = Field(description="Which trial on these rows it is, counted from 1.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="What is left of 0.05 for all further trials.")


class Compared(Part):
    """An experiment in a comparison; its numbers are those of the primary metric."""

    name: str = Field(description="The experiment's, branch's or tag's name, or a short hash.")
    changed: str = Field(description="The settings and files that differ from the reference's.")
    value: Number = Field(description="The primary metric.")
    low: Number = Field(description="The lower end of its own 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    difference: Number = Field(description="Its value minus the reference's.")
    difference_low: Number = Field(
        description="The lower end of the interval that allows for all trials before it."
    )
    difference_high: Number = Field(description="The upper end of that interval.")
    minimum_detectable: Number = Field(
        description="The smallest difference that this comparison detects in four of five cases."
    )
    verdict: Verdict | Literal["reference"] = Field(description=VERDICT)
    worse: str = Field(description="The other metrics whose verdict is worse, or an empty text.")
    not_worse: str = Field(
        description="The other metrics shown not to be worse by more than their margins."
    )
    trial: int = Field(description="Which trial on these rows it is, counted from 1.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="What is left of 0.05 for all further trials.")
    author: str = Field(description="Who made it.")
    when: str = Field(description="When it was recorded, in UTC.")
    message: str = Field(description="The hypothesis; empty if none was given.")
    revision: str = Field(description="The commit that records it.")
    model_bytes: int | None = Field(description="The size of its model file.")
    starred: bool = Field(description="Whether somebody gave it a star with `crivo star`.")
    notes: list[str] = Field(description="What people noted on it, with author and day.")
    search: str = Field(description="The search that made it; empty for none.")
    metrics: list[MetricVerdict] = Field(description="Every metric, the primary one first.")


class RefusedExperiment(Part):
    """An experiment that can't be compared."""

    name: str = Field(description="Its name.")
    reason: str = Field(description="Why.")
    advice: str = Field(description="What to do.")


class Look(Part):
    """A known look at the test rows."""

    name: str = Field(description="The experiment or commit that looked.")
    author: str = Field(description="Who looked.")
    when: str = Field(description="When, in UTC.")
    rows: str | None = Field(description="The fingerprint of the rows; null where it is lost.")
    predictions: str = Field(description="The hash of the predictions.")


class AfterSelection(Part):
    """The best of several models by its result: what the same rows still say of it."""

    name: str = Field(description="Its name.")
    among: int = Field(description="How many models it was chosen among, itself included.")
    known: int = Field(description="Of how many of these the numbers are known.")
    metric: str = Field(description="The primary metric.")
    value: Number = Field(description="The estimate after selection.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end of that interval.")


class CompareDocument(Document):
    """`crivo compare`: the answer, the experiments, and what couldn't be compared."""

    answer: str = Field(description="The first line that people see.")
    reference: str = Field(description="What the experiments are compared with.")
    primary: str = Field(description="The metric that decides; empty if nothing was compared.")
    split: str = Field(description="The rows: valid or test; empty if nothing was compared.")
    trials: int = Field(description="How many trials there are on these rows.")
    planned_trials: int | None = Field(description="How many were planned; null for no plan.")
    experiments: list[Compared] = Field(description="The experiments, the best first.")
    after_selection: list[AfterSelection] = Field(
        description="The best of those that were chosen among several; see evaluation.md."
    )
    refused: list[RefusedExperiment] = Field(description="Those that can't be compared.")
    test_looks: list[Look] = Field(description="All known looks at the test rows.")
    notes: list[str] = Field(description="What a reader must know besides.")


class ConfirmDocument(Document):
    """`crivo confirm`: what became of a gain on the test rows."""

    answer: str = Field(description="The first line that people see.")
    outcome: str = Field(
        description="held, held within the margin, too small to matter, not confirmed, "
        "reversed, identical, or no gain to confirm."
    )
    validation: CompareDocument = Field(description="The comparison on validation rows.")
    test: CompareDocument = Field(description="The comparison on test rows.")


class Summary(Part):
    """A recipe over its runs as one row."""

    recipe: str = Field(description="The experiment that was repeated.")
    runs: int = Field(description="The number of runs.")
    value: Number = Field(description="The primary metric over all runs.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    least: Number = Field(description="The lowest value of a single run.")
    greatest: Number = Field(description="The highest value of a single run.")


class RunOfRecipe(Part):
    """One run of a recipe; `seeds` or `folds` says which."""

    name: str = Field(description="The experiment that it is.")
    value: Number = Field(description="The primary metric.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    seeds: str = Field("", description="Which seed it is, of runs over seeds.")
    folds: str = Field("", description="Which fold it is, of runs over folds.")


class RecipeVerdict(Part):
    """One metric of a recipe beside the reference's recipe."""

    metric: str = Field(description="The metric's name.")
    difference: Number = Field(description="The recipe's value minus the reference's.")
    se: Number = Field(description="The standard error of the difference.")
    difference_low: Number = Field(description="The lower end of the difference's interval.")
    difference_high: Number = Field(description="The upper end of that interval.")
    verdict: str = Field(description=VERDICT)


class Rule(Part):
    """Under what rule a verdict was given."""

    trial: int = Field(description="Which trial it is, counted from 1.")
    trials: int = Field(description="How many trials there are on these rows.")
    planned: int | None = Field(description="How many were planned; null for no plan.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="What is left of 0.05 for all further trials.")


class RepeatDocument(Document):
    """`crivo repeat`: a recipe over seeds or folds, and how it differs from the reference's."""

    answer: str = Field(description="The first line that people see.")
    of: Literal["seeds", "folds"] = Field(description="What the runs differ in.")
    primary: str = Field(description="The metric that decides.")
    summary: Summary = Field(description="The recipe as one row.")
    runs: list[RunOfRecipe] = Field(description="Its runs.")
    against: list[RecipeVerdict] = Field(
        description="How it differs from the reference's recipe; empty if that isn't known."
    )
    reference: str = Field(description="The experiment whose recipe is the reference.")
    rule: Rule | None = Field(description="Under what rule the verdict was given.")
    note: str = Field(description="What a reader must know besides.")


class MadeOtherwise(Part):
    """A setting, file or package in which two experiments differ."""

    kind: str = Field(description="setting, data, code or package.")
    what: str = Field(description="Its name or path.")
    one: str = Field(description="What it is in A; empty for code.")
    other: str = Field(description="What it is in B; changed for code.")


class NetChange(Part):
    """The share of rows that were fixed minus the share that were broken."""

    value: Number = Field(description="The difference of the shares.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")


class ChangedSlice(Part):
    """A slice of the rows, and how the primary metric changed in it."""

    slice: str = Field(description="The slice.")
    rows: int = Field(description="How many rows it has.")
    clusters: int = Field(description="How many clusters its rows are of.")
    difference: Number = Field(description="The metric of B minus that of A.")
    low: Number = Field(description="The lower end of the difference's interval.")
    high: Number = Field(description="The upper end, which allows for the number of slices.")
    verdict: str = Field(description=VERDICT)


class ChangedRow(Part):
    """A row whose prediction changed much; its raw columns follow under their own names."""

    id: str = Field(description="The row's id.")
    change: str = Field(description="What became of it: fixed, broken, nearer, farther …")


class DiffDocument(Document):
    """`crivo diff`: which rows B predicts better or worse than A, and what differs."""

    one: str = Field(description="The older experiment, A.")
    other: str = Field(description="The newer experiment, B.")
    made: list[MadeOtherwise] = Field(description="What differs between their runs.")
    counts: dict[str, int] = Field(description="How many rows were fixed, broken and so on.")
    net: NetChange = Field(description="The share of rows fixed minus the share broken.")
    rows: list[ChangedRow] = Field(description="The rows whose loss changed most.")
    slices: list[ChangedSlice] = Field(description="How the primary metric changed in each slice.")


class IncumbentMetric(Part):
    """A metric of the incumbent."""

    metric: str = Field(description="The metric's name.")
    value: Number = Field(description="Its value.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")


class IncumbentDocument(Document):
    """`crivo incumbent show`: the experiment that a new one must beat."""

    name: str | None = Field(description="Its name; null if there is no incumbent.")
    revision: str | None = Field(description="The commit that records it.")
    how_chosen: str = Field(description="How it was chosen, in words.")
    about: dict[str, Any] = Field(description="What was evaluated, as its evaluation.json says.")
    metrics: list[IncumbentMetric] = Field(description="Its metrics.")
