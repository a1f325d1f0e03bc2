"""R010 and R012: checks that fit a model and compare it. Only `crivo check` runs them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crivo.checks.project import Findings, Project, check
from crivo.checks.redundant_features import (
    MAX_ROWS,
    SHOWN,
    about,
    part,
    rows_and_features,
    schema_of,
    training_sample,
)
from crivo.core import artifacts
from crivo.core.evaluation import Context
from crivo.core.findings import NotApplicable
from crivo.core.layout import a_few
from crivo.core.params import EvaluateSettings, TrainSettings
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.core.tasks import by_estimator, task_of
from crivo.evaluation.assess import assess
from crivo.evaluation.metrics import Metric, metrics_of
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.report.numbers import with_interval
from crivo.training.fit import fit_model

# A gain below this part of what the simple model gains over the trivial one isn't worth much.
SMALL = 0.1
# Without a margin, losing this part of what the model gains over the baseline doesn't matter.
WORTHLESS = 0.02
# On fewer rows an importance is far from normal: a few rows make it.
MIN_EVALUATED = 200
IMPORTANCE = artifacts.EVALUATION / "plots/importance.csv"


@check(
    "R010",
    "A simple model is as good",
    severity="warning",
    sentence="the model is at most {most:.4f} better than a regularised linear model "
    "({difference}), which takes a second to fit and is {gain:.4f} better than the baseline; use "
    "`model=linear`, or find out why this model doesn't learn more.",
    example=(
        "roc_auc",
        {"most": 0.0021, "difference": "−0.0030 [−0.0082, +0.0021]", "gain": 0.2410},
    ),
)
def simple_model(project: Project) -> Findings:
    """A model that is slow to fit and hard to explain should be better than a simple one. The check
    fits a regularised linear model (logistic or ridge regression on at most 20,000 training rows)
    and compares the two models on the validation rows. It reports the model if its gain over the
    linear model is shown to be less than a tenth of the linear model's gain over the baseline: the
    whole 95 % interval must lie below that tenth. It doesn't report an undecided comparison, and
    doesn't apply to `model=linear` itself.
    """
    told = about(project)
    if project.settings.get("model") == "linear":
        raise NotApplicable("the model is itself linear")
    metric, schema = _primary(told), schema_of(project)
    features, target = training_sample(project)
    if task_of(schema).has_classes and target.nunique() < 2:
        raise NotApplicable("the training rows have only one class")
    found = _beside(project, metric, simple_estimator(schema).fit(features, target))
    low, high = sorted((-found["low"], -found["high"]))
    gain = _gain(project, metric) + found["difference"]
    if gain > 0 and high < SMALL * gain:
        ends = {"value": -found["difference"], "low": low, "high": high}
        shown = with_interval(ends, 4, sign=True)
        yield metric.name, {"most": max(high, 0), "gain": gain, "difference": shown}


def _primary(told: Mapping[str, Any]) -> Metric:
    """Return the primary metric; NotApplicable where it can't say which model is better."""
    metric = metrics_of(told["task"]).get(told["primary"])
    if metric is None:
        raise NotApplicable(f"{told['primary']} is a metric of the evaluator, which isn't run here")
    if metric.best is not None:
        raise NotApplicable(f"for {told['primary']}, neither higher nor lower is always better")
    return metric


def _gain(project: Project, metric: Metric) -> float:
    """Return by how much the evaluated model is better than the baseline."""
    values = part(project, artifacts.read_json, artifacts.EVALUATION / "metrics.json")
    gain = values.get(metric.name, np.nan) - values.get(f"baseline_{metric.name}", np.nan)
    return float(gain if metric.direction == "higher" else -gain)


def _beside(
    project: Project, metric: Metric, model: Any, without: Sequence[str] = ()
) -> Mapping[str, float]:
    """Return by how much another model is better than the evaluated one, as `low` to `high`.

    `without`: features that it doesn't have.
    """
    settings: Mapping[str, Any] = project.settings.get("evaluate") or {}
    schema, (rows, inputs) = schema_of(project), rows_and_features(project, "valid")
    how = EvaluateSettings(
        cluster=settings.get("cluster"),
        block=settings.get("block", 1),
        period=settings.get("period"),
    )
    table = Predicting(schema, how).table(model, rows, inputs.drop(columns=list(without)))
    stored = part(project, artifacts.read_table, artifacts.EVALUATION / "predictions.parquet")
    context = replace(Context.of(schema), baseline=stored)
    found = assess(table, context, [metric]).against_baseline.iloc[0]
    sign = 1 if metric.direction == "higher" else -1
    low, high = sorted((sign * found["low"], sign * found["high"]))
    return {"difference": sign * found["difference"], "low": low, "high": high}


def simple_estimator(schema: Schema) -> Any:
    """Return a regularised linear model, not fitted."""
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.pipeline import make_pipeline

    from crivo.core.inputs import numeric_inputs

    regression = by_estimator(
        schema.task,
        classifier=LogisticRegression(C=0.1, max_iter=200, random_state=0),
        regressor=Ridge(alpha=10.0, random_state=0),
    )
    return make_pipeline(numeric_inputs(), regression)


@check(
    "R012",
    "Features that add nothing",
    severity="note",
    sentence="{idle} of {count} add almost nothing on these rows ({names}): {shown}.",
    example=(
        "features",
        {
            "idle": 3,
            "count": 48,
            "names": "pressure, visib, gust",
            "shown": "fitted again without them, the model loses at most 0.0009 of roc_auc, and a "
            "loss of 0.0020 doesn't matter; leave them out",
        },
    ),
)
def idle_features(project: Project) -> Findings:
    """A feature that adds nothing costs time, and the model fails if it is missing one day. The
    check looks for features that add nothing, one by one and together: if their values are
    shuffled, the loss is shown to grow by less than 1 % of the model's gain over a constant
    prediction. The check needs at least 200 evaluated rows. If there are at most 20,000 training
    rows, it then fits the model again without these features. It reports them only if this model is
    shown to lose less than `evaluators.standard.margin` or, without a margin, less than 2 % of the
    gain over the baseline. If there are more rows, run this trial yourself, and leave the features
    out if the verdict is *equivalent*. An undecided trial shows nothing.
    """
    told = about(project)
    if told.get("n_rows", MIN_EVALUATED) < MIN_EVALUATED:
        raise NotApplicable(f"fewer than {MIN_EVALUATED} evaluated rows")
    table = part(project, artifacts.read_csv, IMPORTANCE)
    if "idle" not in table:
        raise NotApplicable("the result has no importances of features")
    names = [str(one) for one in table["feature"][table["idle"].astype(bool)]]
    if names and (shown := _without(project, _primary(told), names)):
        listed = {"idle": len(names), "count": len(table), "names": a_few(names, SHOWN)}
        yield "features", {**listed, "shown": shown}


def _without(project: Project, metric: Metric, names: Sequence[str]) -> str:
    """Return what shows that a model does without features; nothing where a fit doesn't show it."""
    rows, features = rows_and_features(project, "train")
    if len(rows) > MAX_ROWS:
        raise NotApplicable(
            f"more than {MAX_ROWS:,} training rows; try it without {a_few(names, 3)}"
        )
    rest = features.drop(columns=list(names))
    if rest.empty:
        return ""
    block, settings = _block(project, "model"), TrainSettings(**project.settings.get("train") or {})
    model = fit_model(
        block, schema_of(project), rows, rest, settings, project.settings.get("seed", 0)
    )
    margin = getattr(_block(project, "evaluator"), "margin", 0)
    limit = margin or WORTHLESS * _gain(project, metric)
    lost = -_beside(project, metric, model, names)["low"]
    if not lost < limit:
        return ""
    if lost <= 0:
        return "fitted again without them, the model isn't worse; leave them out"
    return (
        f"fitted again without them, the model loses at most {lost:.4g} of {metric.name}, "
        f"and a loss of {limit:.4g} doesn't matter; leave them out"
    )


def _block(project: Project, kind: str) -> Any:
    """Return the chosen block of a kind, with the project's settings."""
    name = str(project.settings.get(kind))
    given = (project.settings.get(f"{kind}s") or {}).get(name) or {}
    return make_block(kind, name, given)
