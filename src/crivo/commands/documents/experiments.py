"""The documents of commands about experiments: `compare`, `confirm`, `repeat` and others."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from crivo.commands.documents.base import Document, Part

Verdict = Literal["better", "worse", "equivalent", "undecided", "identical"]
Number = float | None

VERDICT = "The verdict that follows from the interval; compare.md lists the verdicts."


class MetricVerdict(Part):
    """One metric of an experiment, compared with its reference."""

    metric: str = Field(description="The metric's name.")
    value: Number = Field(description="The experiment's value.")
    low: Number = Field(description="The lower end of the value's own 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    difference: Number = Field(description="The experiment's value minus the reference's.")
    se: Number = Field(description="The standard error of the difference.")
    difference_low: Number = Field(
        description="The lower end of the difference's interval, which allows for all earlier "
        "trials."
    )
    difference_high: Number = Field(description="The upper end of that interval.")
    minimum_detectable: Number = Field(
        description="The smallest difference that this comparison detects in four of five cases."
    )
    critical: Number = Field(
        description="Half the width of the difference's interval, in standard errors."
    )
    verdict: Verdict = Field(description=VERDICT)
    not_worse: bool = Field(
        description="Whether the metric is shown not to be worse by more than its margin."
    )
    clusters: Number = Field(description="The number of clusters that the evaluated rows form.")
    clusters_needed: Number = Field(
        description="The number of clusters that would decide an undecided difference; null if "
        "it is decided, or if a hundred times as many clusters wouldn't be enough."
    )
    trial: int = Field(description="The trial's number among those on these rows, counted from 1.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="The part of 0.05 that is left for all further trials.")


class Compared(Part):
    """An experiment in a comparison; its numbers are those of the primary metric."""

    name: str = Field(description="The name of the experiment, branch or tag, or a short hash.")
    changed: str = Field(description="The settings and files that differ from the reference's.")
    value: Number = Field(description="The value of the primary metric.")
    low: Number = Field(description="The lower end of its own 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    difference: Number = Field(description="The experiment's value minus the reference's.")
    difference_low: Number = Field(
        description="The lower end of the difference's interval, which allows for all earlier "
        "trials."
    )
    difference_high: Number = Field(description="The upper end of that interval.")
    minimum_detectable: Number = Field(
        description="The smallest difference that this comparison detects in four of five cases."
    )
    verdict: Verdict | Literal["reference"] = Field(description=VERDICT)
    worse: str = Field(
        description="The other metrics whose verdict is worse; empty if there are none."
    )
    not_worse: str = Field(
        description="The other metrics that are shown not to be worse by more than their margins."
    )
    trial: int = Field(description="The trial's number among those on these rows, counted from 1.")
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="The part of 0.05 that is left for all further trials.")
    author: str = Field(description="The experiment's author.")
    when: str = Field(description="When the experiment was recorded, in UTC.")
    message: str = Field(description="The hypothesis; empty if none was given.")
    revision: str = Field(description="The commit that records the experiment.")
    model_bytes: int | None = Field(description="The size of the model file in bytes.")
    starred: bool = Field(description="Whether somebody starred the experiment with `crivo star`.")
    notes: list[str] = Field(
        description="The notes on the experiment, with their authors and dates."
    )
    search: str = Field(description="The search that made the experiment; empty if no search did.")
    metrics: list[MetricVerdict] = Field(description="All metrics, the primary one first.")


class RefusedExperiment(Part):
    """An experiment that can't be compared."""

    name: str = Field(description="The experiment's name.")
    reason: str = Field(description="Why it can't be compared.")
    advice: str = Field(description="What to do.")


class Look(Part):
    """A known look at the test rows."""

    name: str = Field(description="The experiment or commit that looked.")
    author: str = Field(description="The person who looked.")
    when: str = Field(description="When they looked, in UTC.")
    rows: str | None = Field(description="The fingerprint of the rows; null if it is lost.")
    predictions: str = Field(description="The hash of the predictions.")


class AfterSelection(Part):
    """A model that is the best of several, and its estimate after this selection."""

    name: str = Field(description="The model's name.")
    among: int = Field(description="How many models it was chosen among, including itself.")
    known: int = Field(description="For how many of these models the results are known.")
    metric: str = Field(description="The primary metric.")
    value: Number = Field(description="The estimate after selection.")
    low: Number = Field(description="The lower end of its interval.")
    high: Number = Field(description="The upper end of that interval.")


class CompareDocument(Document):
    """`crivo compare`: the answer, the experiments, and what couldn't be compared."""

    answer: str = Field(description="The first line of the text output.")
    reference: str = Field(description="What the experiments are compared with.")
    primary: str = Field(description="The metric that decides; empty if nothing was compared.")
    split: str = Field(
        description="The split of the rows, `valid` or `test`; empty if nothing was compared."
    )
    trials: int = Field(description="The number of trials on these rows.")
    planned_trials: int | None = Field(
        description="The number of planned trials; null if there is no plan."
    )
    experiments: list[Compared] = Field(description="The experiments, the best first.")
    after_selection: list[AfterSelection] = Field(
        description="The models that are the best of those they were chosen among; see "
        "evaluation.md."
    )
    refused: list[RefusedExperiment] = Field(description="The experiments that can't be compared.")
    test_looks: list[Look] = Field(description="All known looks at the test rows.")
    notes: list[str] = Field(description="What a reader must know in addition.")


class ConfirmDocument(Document):
    """`crivo confirm`: whether a gain held on the test rows."""

    answer: str = Field(description="The first line of the text output.")
    outcome: str = Field(
        description="`held`, `held within the margin`, `too small to matter`, `not confirmed`, "
        "`reversed`, `identical` or `no gain to confirm`."
    )
    validation: CompareDocument = Field(description="The comparison on validation rows.")
    test: CompareDocument = Field(description="The comparison on test rows.")


class Summary(Part):
    """A recipe, summarised over its runs."""

    recipe: str = Field(description="The experiment that was repeated.")
    runs: int = Field(description="The number of runs.")
    value: Number = Field(description="The primary metric over all runs.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    least: Number = Field(description="The lowest value of a single run.")
    greatest: Number = Field(description="The highest value of a single run.")


class RunOfRecipe(Part):
    """One run of a recipe; `seeds` or `folds` says which."""

    name: str = Field(description="The experiment that records the run.")
    value: Number = Field(description="The primary metric.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")
    seeds: str = Field("", description="The run's seed, if the runs are over seeds.")
    folds: str = Field("", description="The run's fold, if the runs are over folds.")


class RecipeVerdict(Part):
    """One metric of a recipe, compared with the reference's recipe."""

    metric: str = Field(description="The metric's name.")
    difference: Number = Field(description="The recipe's value minus the reference's.")
    se: Number = Field(description="The standard error of the difference.")
    difference_low: Number = Field(description="The lower end of the difference's interval.")
    difference_high: Number = Field(description="The upper end of that interval.")
    verdict: str = Field(description=VERDICT)


class Rule(Part):
    """The rule under which a verdict was given."""

    trial: int = Field(description="The trial's number, counted from 1.")
    trials: int = Field(description="The number of trials on these rows.")
    planned: int | None = Field(
        description="The number of planned trials; null if there is no plan."
    )
    spent: float = Field(description="The part of the error of 0.05 that this verdict may spend.")
    left: float = Field(description="The part of 0.05 that is left for all further trials.")


class RepeatDocument(Document):
    """`crivo repeat`: a recipe over seeds or folds, and how it differs from the reference's."""

    answer: str = Field(description="The first line of the text output.")
    of: Literal["seeds", "folds"] = Field(description="In what the runs differ.")
    primary: str = Field(description="The metric that decides.")
    summary: Summary = Field(description="The recipe, summarised over its runs.")
    runs: list[RunOfRecipe] = Field(description="The runs of the recipe.")
    against: list[RecipeVerdict] = Field(
        description="The differences from the reference's recipe; empty if they aren't known."
    )
    reference: str = Field(description="The experiment whose recipe is the reference.")
    rule: Rule | None = Field(description="The rule under which the verdict was given.")
    note: str = Field(description="What a reader must know in addition.")


class MadeOtherwise(Part):
    """A setting, file or package in which two experiments differ."""

    kind: str = Field(description="`setting`, `data`, `code` or `package`.")
    what: str = Field(description="Its name or path.")
    one: str = Field(description="Its value in A; empty for code.")
    other: str = Field(description="Its value in B; `changed` for code.")


class NetChange(Part):
    """The share of rows that were fixed minus the share of rows that were broken."""

    value: Number = Field(description="The difference between the two shares.")
    low: Number = Field(description="The lower end of its 95 % interval.")
    high: Number = Field(description="The upper end of that interval.")


class ChangedSlice(Part):
    """A slice of the rows, and how the primary metric changed in it."""

    slice: str = Field(description="The name of the slice.")
    rows: int = Field(description="The number of its rows.")
    clusters: int = Field(description="The number of clusters that its rows form.")
    difference: Number = Field(description="The metric of B minus that of A.")
    low: Number = Field(
        description="The lower end of the difference's interval, which allows for the number of "
        "slices."
    )
    high: Number = Field(description="The upper end of that interval.")
    verdict: str = Field(description=VERDICT)


class ChangedRow(Part):
    """A row whose loss changed most; its raw columns follow under their own names."""

    id: str = Field(description="The row's id.")
    change: str = Field(
        description="How its prediction changed: `fixed`, `broken`, `nearer`, `farther` …"
    )


class DiffDocument(Document):
    """`crivo diff`: which rows B predicts better or worse than A, and what differs."""

    one: str = Field(description="The older experiment, A.")
    other: str = Field(description="The newer experiment, B.")
    made: list[MadeOtherwise] = Field(description="What differs between their runs.")
    counts: dict[str, int] = Field(description="How many rows were fixed, broken and so on.")
    net: NetChange = Field(description="The share of fixed rows minus the share of broken rows.")
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
    revision: str | None = Field(
        description="The commit that records it; null if there is no incumbent."
    )
    how_chosen: str = Field(description="How it was chosen, in words.")
    about: dict[str, Any] = Field(description="What was evaluated, as in its evaluation.json.")
    metrics: list[IncumbentMetric] = Field(description="Its metrics.")
