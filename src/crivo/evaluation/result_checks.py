"""Checks R001 to R003 and R005 of the result of evaluate: that the model learnt something.

A team's own checks of results are files in `src/blocks/checks`; `evaluate.checks` in `params.yaml`
names those that `evaluate` runs. Their findings are in the report, in `evaluation.json` and in the
output of `crivo check`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Checks, Found, NotApplicable, Severity
from crivo.core.predictions import roc_auc
from crivo.core.problems import did_you_mean
from crivo.core.registry import own_modules
from crivo.core.tasks import task_of
from crivo.evaluation.rows import class_codes

# Results above these are almost perfect; on fewer rows, chance can produce them.
NEARLY_PERFECT_AREA, NEARLY_PERFECT_R2 = 0.995, 0.999
MIN_ROWS, MIN_CLASS_ROWS = 50, 20
BASELINE = "the model is the baseline"
# In shares of the baseline's loss: how much better training rows must be than held-out rows, and
# how much better shrunk predictions than the model's. docs/evidence.md has the simulations.
GAP, HARM = 0.25, 0.15
# Steps between the mean prediction and the model's.
STEPS = 20


@dataclass(frozen=True)
class Results:
    """What an evaluation left.

    `predictions` and `intervals` as in metrics/evaluation, `context`: their task and classes,
    `metrics` as in its metrics.json, `training` as in that of metrics/train; `is_baseline`: the
    model is the baseline; `rows`: the prepared rows beside the predictions, in their order.
    """

    predictions: pd.DataFrame
    context: Context
    intervals: pd.DataFrame
    metrics: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    is_baseline: bool = False
    rows: pd.DataFrame | None = None

    @property
    def scores(self) -> list[str]:
        """The columns of probabilities, where the predictions have them."""
        names = task_of(self.context).score_columns
        return [*names] if set(names) <= set(self.predictions) else []


RESULT_CHECKS: Checks[Results] = Checks()

# The sentences about a result, here and in the examples on the page of checks.
CONSTANT = (
    "every row has the same prediction; the model learnt nothing, so look at the features and the "
    "model's settings."
)
WORSE = (
    "the model is worse than the trivial baseline on the same rows; don't rely on it for this "
    "metric, and look for a shift between the splits."
)
MEMORISED = (
    "the model's loss is {} of the baseline's on training rows and {} on the evaluated rows, where "
    "it would be {} if the predictions were shrunk towards their mean; the model has memorised "
    "training rows, so regularise it or give it more rows."
)
PERFECT = (
    "{} is {:.4f} on {} rows; few tasks are that easy: look for a column that contains the target "
    "or is known only afterwards, and for rows that are in two splits."
)


@RESULT_CHECKS.check(
    "R001", "Constant predictions", severity="warning", example=f"predictions: {CONSTANT}"
)
def constant(results: Results) -> Iterator[Found]:
    """A model that predicts the same value for every row ignores its features. Perhaps the features
    are empty after a failed join, or the regularisation is too strong. The check doesn't apply if
    the baseline is chosen as the model.
    """
    table = results.predictions
    if results.is_baseline:
        raise NotApplicable(BASELINE)
    if len(table) < 2:
        raise NotApplicable("only one row was evaluated")
    predicted_values = table[results.scores or ["prediction"]]
    if (predicted_values.nunique(dropna=False) == 1).all():
        yield Found("predictions", CONSTANT)


@RESULT_CHECKS.check(
    "R002", "Worse than the baseline", severity="warning", example=f"log_loss: {WORSE}"
)
def worse(results: Results) -> Iterator[Found]:
    """The baseline knows only the frequencies of the classes, or the mean of the target. If the
    interval of the difference from the baseline lies entirely on the wrong side of 0, the model is
    worse than no model.
    """
    table = results.intervals
    differences = table[table["of"] == "difference"]
    if differences.empty:
        raise NotApplicable("there is no baseline for these predictions")
    for metric in differences.loc[differences["verdict"] == "worse", "metric"]:
        yield Found(str(metric), WORSE)


@RESULT_CHECKS.check(
    "R003",
    "The model has memorised training rows, which hurts its predictions",
    severity="warning",
    example=f"train_loss: {MEMORISED.format('7 %', '112 %', '81 %')}",
)
def overfitting(results: Results) -> Iterator[Found]:
    """A model that has memorised its training rows is too certain about other rows. The check uses
    the log loss for classes and the root mean squared error for numbers, each as a share of the
    baseline's loss on the same rows. It reports a model if two things hold: the loss is more than
    25 percentage points lower on training rows than on the evaluated rows; and on the evaluated
    rows, it would be more than 15 points lower if the predictions were shrunk towards their mean.

    The first condition isn't enough, because a gap alone does no harm: a forest of deep trees has a
    gap and still predicts well. The check doesn't apply to predicted labels without probabilities,
    because labels can't be shrunk.
    """
    shares = shares_of_baseline(results)
    if shares is None:
        raise NotApplicable("a loss on training rows or evaluated rows isn't known")
    learnt, held_out, drawn_in = shares
    if held_out - learnt > GAP and held_out - drawn_in > HARM:
        yield Found("train_loss", MEMORISED.format(*(f"{100 * one:.0f} %" for one in shares)))


@RESULT_CHECKS.check(
    "R005",
    "Almost perfect predictions",
    severity="warning",
    example=f"predictions: {PERFECT.format('ROC AUC', 0.999, 400)}",
)
def almost_perfect(results: Results) -> Iterator[Found]:
    """Few tasks are so easy that a model is almost always right. More often, a column contains the
    target in a form that the checks of rows don't recognise. The check reports a ROC AUC above
    0.995 or an R² above 0.999. (With more than two classes, the ROC AUC is the mean over the
    classes, each against all others, weighted by class size.) It needs at least 50 rows and, for
    classes, at least two classes with 20 rows each. Because some tasks really are that easy, the
    pipeline doesn't stop.
    """
    table = results.predictions
    if results.is_baseline:
        raise NotApplicable(BASELINE)
    if len(table) < MIN_ROWS:
        raise NotApplicable(f"fewer than {MIN_ROWS} rows were evaluated")
    if results.scores:
        name, value, limit = "ROC AUC", _area(results), NEARLY_PERFECT_AREA
    else:
        name, value, limit = "R²", _r2(results), NEARLY_PERFECT_R2
    if value > limit:
        yield Found("predictions", PERFECT.format(name, value, len(table)))


def _r2(results: Results) -> float:
    """Return R²; NotApplicable if the predictions aren't numbers, or it isn't defined."""
    from sklearn.metrics import r2_score

    table = results.predictions
    if task_of(results.context).has_classes:
        raise NotApplicable("the predictions are labels without probabilities")
    if table["target"].nunique() < 2:
        raise NotApplicable("the target is the same on all evaluated rows")
    return float(r2_score(table["target"], table["prediction"]))


def _area(results: Results) -> float:
    """Return the mean ROC AUC of classes that aren't rare; NotApplicable if there is only one."""
    target = class_codes(results.predictions["target"], results.context.classes)
    sizes = np.bincount(target)
    common = np.flatnonzero(sizes >= MIN_CLASS_ROWS)
    if len(common) < 2:
        raise NotApplicable(f"fewer than two classes have {MIN_CLASS_ROWS} rows")
    scores = task_of(results.context).from_columns(results.predictions)
    areas = [roc_auc(target == k, scores[:, k]) for k in common]
    return float(np.average(areas, weights=sizes[common]))


def shares_of_baseline(results: Results) -> tuple[float, float, float] | None:
    """Return the model's loss as a share of the baseline's; None if a loss isn't known.

    On training rows, on the evaluated rows, and on these if the predictions were shrunk towards
    their mean by the best amount. A loss that isn't finite was tracked as a text.
    """
    name = "log_loss" if results.scores else "rmse"
    losses: list[Any] = [results.training.get(one) for one in ("train_loss", "baseline_train_loss")]
    losses += [results.metrics.get(one) for one in (name, f"baseline_{name}")]
    if not all(isinstance(one, int | float) for one in losses):
        return None
    learnt, without, loss, baseline = losses
    if not (without and baseline):
        return None
    # Without a gap nothing was memorised, even if shrunk predictions were better.
    has_gap = loss / baseline - learnt / without > GAP
    best = min(loss, _drawn_in(results)) if has_gap else loss
    return learnt / without, loss / baseline, best / baseline


def _drawn_in(results: Results) -> float:
    """Return the smallest loss of predictions that are shrunk towards their mean."""
    from sklearn.metrics import log_loss, root_mean_squared_error

    table, context, losses = results.predictions, results.context, []
    target: Any = table["target"]
    said: Any = table["prediction"].to_numpy()
    weight = table.get("weight")
    if results.scores:
        target, said = class_codes(target, context.classes), task_of(context).from_columns(table)
    mean = np.average(said, axis=0, weights=weight)
    for part in np.linspace(0, 1, STEPS + 1):
        given = mean + part * (said - mean)
        if results.scores:
            given, classes = given / given.sum(axis=1, keepdims=True), range(said.shape[1])
            losses.append(log_loss(target, given, sample_weight=weight, labels=classes))
        else:
            losses.append(root_mean_squared_error(target, given, sample_weight=weight))
    return float(min(losses))


# --- a team's own checks --------------------------------------------------------------------------

FOLDER = "checks"
CODE = re.compile(r"X\d{3}")

Search = Callable[[Results], Iterable[tuple[str, str]]]


def check(code: str, title: str, *, severity: Severity = "warning") -> Callable[[Search], Search]:
    """Make a function a check of results. It yields findings: pairs of a subject and a sentence.

    `code` is an X and three digits. `severity` is `error`, `warning` or `note`. The function gets
    an object with these attributes: `predictions`, `rows` (the prepared rows in the same order),
    `intervals`, `metrics` and `training`.
    """
    if not CODE.fullmatch(code):
        raise CrivoError(f"@check({code!r}): expected X and three digits, such as X001.")

    def enter(function: Search) -> Search:
        made = Check(code, title, severity, "", function)  # type: ignore[arg-type]
        function.check = made  # type: ignore[attr-defined]
        return function

    return enter


def own_checks(names: Sequence[str]) -> list[Check[Results]]:
    """Return the named checks; CrivoError for a name without a file, or a file without a check."""
    modules = own_modules(FOLDER)
    for name in names:
        if name not in modules:
            raise CrivoError(
                f"evaluate.checks names {name!r}, which isn't a check"
                f"{did_you_mean(name, list(modules))}; expected a file "
                f"src/blocks/{FOLDER}/{name}.py."
            )
    found = [
        made
        for name in names
        for thing in vars(modules[name]).values()
        if isinstance(made := getattr(thing, "check", None), Check)
    ]
    if len(codes := {one.code for one in found}) < max(len(names), len(found)):
        raise CrivoError(
            f"evaluate.checks names {', '.join(names)}, with the codes {', '.join(sorted(codes))}; "
            "expected one @check of its own code in each file."
        )
    return found
