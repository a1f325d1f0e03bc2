"""R: can the coefficients of a linear model be read?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.checks.modelfile import may_have_coefficients
from crivo.checks.project import Project
from crivo.checks.quality.evaluated import about, part, schema_of, training_sample
from crivo.checks.registry import Found, check
from crivo.core import artifacts
from crivo.core.findings import NotApplicable

# The usual limit of variance inflation: the other features say 90 % of this one.
MAX_INFLATION = 10.0
# How many standard errors a correlation is to be from 0 before its sign is taken for known.
SURE = 4.0
MIN_ROWS = 50
NOT_LINEAR = "the model isn't a linear model with one coefficient per input"


@check(
    "R017",
    "Coefficients that mislead",
    severity="note",
    example="coefficients: dep_time has the coefficient -0.31, but its correlation with the target "
    "is +0.22; other features carry nearly the same information (variance inflation 38), so don't "
    "interpret the sign as an effect: interpret a model without those features instead.",
)
def misleading_coefficients(project: Project) -> Iterator[Found]:
    """If several features carry nearly the same information, a linear model divides one effect
    between them, and may give one of them the opposite sign. The check reports numeric features
    with a variance inflation factor of at least 10 whose coefficient and whose correlation with
    the target have opposite signs. The correlation must be at least four standard errors from 0.
    The predictions aren't affected.
    """
    about(project)
    schema = schema_of(project)
    if schema.task == "multiclass":
        raise NotApplicable("with more than two classes, an input has several coefficients")
    if not part(project, may_have_coefficients, artifacts.MODEL):
        raise NotApplicable(NOT_LINEAR)
    features, target = training_sample(project)
    if len(features) < MIN_ROWS:
        raise NotApplicable(f"fewer than {MIN_ROWS} training rows")
    outcome = target.astype("str") == str(schema.positive)
    numbers = features.select_dtypes(include=["number"]).astype(float)
    goal = outcome.astype(float) if schema.task == "binary" else target.astype(float)
    suspects = [*inflated(numbers, goal)]
    if not suspects:
        return
    names, weights = _coefficients(part(project, _load_model, artifacts.MODEL))
    for name, inflation, correlation in suspects:
        weight = weights.get(names.get(name, ""), 0.0)
        if weight * correlation < 0:
            yield Found(
                "coefficients",
                f"{name} has the coefficient {weight:+.2g}, but its correlation with the target is "
                f"{correlation:+.2f}; other features carry nearly the same information (variance "
                f"inflation {inflation:.0f}), so don't interpret the sign as an effect: interpret "
                "a model without those features instead.",
            )


def inflated(numbers: pd.DataFrame, target: pd.Series) -> Iterator[tuple[str, float, float]]:
    """Yield inflated features: name, variance inflation, its sure correlation with the target."""
    numbers = numbers.fillna(numbers.median()).loc[:, lambda table: table.std() > 0]
    if numbers.shape[1] < 2:
        return
    matrix = np.corrcoef(numbers.to_numpy(), rowvar=False)
    inflation = np.diag(np.linalg.pinv(matrix, hermitian=True))
    for name, value in zip(numbers, inflation, strict=True):
        correlation = float(np.corrcoef(numbers[name], target)[0, 1])
        if value >= MAX_INFLATION and abs(correlation) > SURE / np.sqrt(len(numbers)):
            yield str(name), float(value), correlation


def _load_model(path: Path) -> Any:
    from crivo.core.modelfile import load_model  # and with it all of scikit-learn

    return load_model(path)


def _coefficients(model: Any) -> tuple[dict[str, str], dict[str, float]]:
    """Return by each number's name that of its coefficient, and the coefficients by names."""
    steps = [step for _, step in getattr(model, "steps", [])]
    weights = getattr(steps[-1], "coef_", None) if steps else None
    if weights is None or np.ndim(weights) > 2 or (np.ndim(weights) == 2 and len(weights) > 1):
        raise NotApplicable(NOT_LINEAR)
    try:
        titles = [str(name) for name in model[:-1].get_feature_names_out()]
    except (AttributeError, ValueError):
        raise NotApplicable("the model doesn't name its inputs") from None
    values = dict(zip(titles, np.ravel(weights).tolist(), strict=True))
    return {title.partition("__")[2] or title: title for title in titles}, values
