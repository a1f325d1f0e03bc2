"""What a model is like on the evaluated rows: its loss by iteration, what it listens to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

# `evaluate` is paid for by every trial: both explanations use few rows, chosen by position.
CURVE_ROWS = 10_000
IMPORTANCE_ROWS = 1_000


def learning_curve(estimator: Any, features: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """Return the held-out loss after each iteration; no rows when the model has none.

    Log loss for classifiers, root mean squared error for regressors.
    """
    from sklearn.metrics import log_loss, root_mean_squared_error

    features, target = _sample(features, target, CURVE_ROWS)
    losses: list[float] = []
    if hasattr(estimator, "staged_predict_proba"):
        stages = estimator.staged_predict_proba(features)
        losses = [log_loss(target, scores, labels=estimator.classes_) for scores in stages]
    elif hasattr(estimator, "staged_predict") and not hasattr(estimator, "classes_"):
        stages = estimator.staged_predict(features)
        losses = [root_mean_squared_error(target, prediction) for prediction in stages]
    return pd.DataFrame({"iteration": range(len(losses)), "loss": losses})


def permutation_importance(
    estimator: Any, features: pd.DataFrame, target: pd.Series, seed: int
) -> pd.DataFrame:
    """Return how much the loss grows when a feature's values are shuffled, largest first.

    The loss is that of `learning_curve`; error rate for a classifier without probabilities.
    """
    from sklearn import inspection

    features, target = _sample(features, target, IMPORTANCE_ROWS)
    scoring = "neg_root_mean_squared_error"
    if hasattr(estimator, "classes_"):
        scoring = "neg_log_loss" if hasattr(estimator, "predict_proba") else "accuracy"
    if scoring == "neg_log_loss" and target.nunique() < 2:
        return pd.DataFrame({"feature": [], "loss_increase": []})
    result = inspection.permutation_importance(
        estimator, features, target, scoring=scoring, n_repeats=2, random_state=seed, n_jobs=1
    )
    table = pd.DataFrame(
        {"feature": features.columns, "loss_increase": result.importances_mean.round(10)}
    )
    return table.sort_values(["loss_increase", "feature"], ascending=[False, True])


def _sample(features: pd.DataFrame, target: pd.Series, size: int) -> tuple[pd.DataFrame, pd.Series]:
    chosen = np.linspace(0, len(features) - 1, min(size, len(features))).astype(int)
    return features.iloc[chosen], target.iloc[chosen]
