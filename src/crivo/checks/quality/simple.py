"""R: does a simple model that is fitted in a second do as well?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crivo.checks.project import Project
from crivo.checks.quality.evaluated import about, part, schema_of, training_sample
from crivo.checks.registry import Found, check
from crivo.core import artifacts
from crivo.core.evaluation import Context
from crivo.core.findings import NotApplicable
from crivo.core.schema import Schema
from crivo.core.tasks import by_estimator
from crivo.evaluation.assess import assess
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.predicting import Predicting

# A gain below this part of what the simple model gains over the trivial one isn't worth much.
SMALL = 0.1


@check(
    "R010",
    "A simple model does as well",
    severity="warning",
    example="roc_auc: the model is at most 0.0021 better than a regularised linear model (-0.0030 "
    "[-0.0082, +0.0021]), which takes a second to fit and is 0.2410 better than the baseline; use "
    "`model=linear`, or find out why this model doesn't learn more.",
)
def simple_model(project: Project) -> Iterator[Found]:
    """A model that is slow to fit and hard to explain should be better than a simple one. The
    check fits a regularised linear model (logistic or ridge regression on at most 20,000 training
    rows) and compares the two models on the validation rows. It reports a model whose gain over
    the linear model is shown to be less than a tenth of the linear model's gain over the baseline:
    the upper end of the 95 % interval of the difference is below this tenth. It doesn't report an
    undecided comparison, and doesn't apply to `model=linear` itself.
    """
    told = about(project)
    if project.settings.get("model") == "linear":
        raise NotApplicable("the model is itself linear")
    metric = metrics_of(told["task"]).get(told["primary"])
    if metric is None or metric.best is not None:
        raise NotApplicable(f"for {told['primary']}, neither higher nor lower is always better")
    schema = schema_of(project)
    stored = part(project, artifacts.read_table, artifacts.EVALUATION / "predictions.parquet")
    simple = _simple_predictions(project, schema)
    context = replace(Context.of(schema), baseline=simple)
    found = assess(stored, context, [metric]).against_baseline.iloc[0]
    sign = 1 if metric.direction == "higher" else -1
    low, high = sorted((sign * found["low"], sign * found["high"]))
    metrics = part(project, artifacts.read_json, artifacts.EVALUATION / "metrics.json")
    trivial = metrics.get(f"baseline_{metric.name}", np.nan)
    own = metrics.get(metric.name, np.nan)
    gain = sign * (own - trivial) - sign * found["difference"]
    if gain > 0 and high < SMALL * gain:
        value = sign * found["difference"]
        yield Found(
            metric.name,
            f"the model is at most {max(high, 0):.4f} better than a regularised linear model "
            f"({value:+.4f} [{low:+.4f}, {high:+.4f}]), which takes a second to fit and is "
            f"{gain:.4f} better than the baseline; use `model=linear`, or find out why this model "
            "doesn't learn more.",
        )


def _simple_predictions(project: Project, schema: Schema) -> pd.DataFrame:
    features, target = training_sample(project)
    settings: Mapping[str, Any] = project.settings.get("evaluate") or {}
    rows = part(project, artifacts.read_table, artifacts.prepared("valid"))
    inputs = part(project, artifacts.read_table, artifacts.features("valid"))
    if schema.task != "regression" and target.nunique() < 2:
        raise NotApplicable("the training rows have only one class")
    cluster, block = settings.get("cluster"), settings.get("block", 1)
    predicting = Predicting(schema, cluster, block, (), settings.get("period"))
    return predicting.table(simple_estimator(schema).fit(features, target), rows, inputs)


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
