"""Plain pipelines on crivo's rows of a public table, as one would write them; see tables.py."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

DRAWS = 1000


class Rows(NamedTuple):
    """The rows that crivo made of a table: what plain pipelines get too."""

    train: pd.DataFrame
    valid: pd.DataFrame
    target: str
    numbers: list[str]
    categories: list[str]

    @classmethod
    def of(cls, project: Path) -> Rows:
        schema = json.loads((project / "data/prepared/schema.json").read_text())
        train, valid = (
            pd.read_parquet(project / f"data/prepared/{split}.parquet")
            for split in ("train", "valid")
        )
        features = [c for c in schema["columns"] if c["role"] == "feature"]
        target = next(c["name"] for c in schema["columns"] if c["role"] == "target")
        numbers = [c["name"] for c in features if c["type"] in ("number", "boolean")]
        categories = [c["name"] for c in features if c["name"] not in numbers]
        return cls(train, valid.sort_values(schema_id(schema)), target, numbers, categories)

    def inputs(self, rows: pd.DataFrame) -> pd.DataFrame:
        numbers = rows[self.numbers].astype(float)
        categories = rows[self.categories].astype(object).where(rows[self.categories].notna(), "?")
        return pd.concat([numbers, categories.astype(str)], axis=1)


def schema_id(schema: dict[str, Any]) -> str:
    return next(c["name"] for c in schema["columns"] if c["role"] == "id")


def linear(rows: Rows, classes: bool) -> Any:
    """Return what a course teaches: impute, scale, one-hot encode, then a penalised regression."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), rows.numbers),
        (OneHotEncoder(handle_unknown="ignore"), rows.categories),
    )
    regression = LogisticRegression(max_iter=2000) if classes else RidgeCV(np.logspace(-2, 4, 13))
    return make_pipeline(encode, regression)


def boosting(rows: Rows, classes: bool) -> Any:
    """Return scikit-learn's boosting with its defaults, categories as numbers of their own."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    codes = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=250
    )
    encode = make_column_transformer((codes, rows.categories), remainder="passthrough")
    kind = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    known = list(range(len(rows.categories)))
    return make_pipeline(encode, kind(categorical_features=known, random_state=0))


def scores_of(model: Any, rows: Rows, order: list[Any] | None) -> np.ndarray:
    """Fit a model; return its scores of the validation rows, a column for each class."""
    target = rows.train[rows.target]
    target = target.astype(str) if order else target.astype(float)
    model.fit(rows.inputs(rows.train), target)
    if not order:
        return model.predict(rows.inputs(rows.valid))
    places = [list(model.classes_).index(str(name)) for name in order]
    return model.predict_proba(rows.inputs(rows.valid))[:, places]


def roc_auc(actual: np.ndarray, scores: np.ndarray) -> float:
    """Return the share of pairs in the right order; a thousand draws need a quick one."""
    positives = int(actual.sum())
    ranks = pd.Series(scores).rank().to_numpy()[actual == 1].sum()
    pairs = positives * (len(actual) - positives)
    return float((ranks - positives * (positives + 1) / 2) / pairs)


def log_loss(actual: np.ndarray, scores: np.ndarray) -> float:
    own = np.clip(scores[np.arange(len(actual)), actual], np.finfo(float).eps, 1)
    return float(-np.log(own).mean())


def rmse(actual: np.ndarray, scores: np.ndarray) -> float:
    return float(np.sqrt(np.mean((actual - scores) ** 2)))


METRICS: dict[str, Callable[[np.ndarray, np.ndarray], float]] = {
    "roc_auc": roc_auc,
    "log_loss": log_loss,
    "rmse": rmse,
}


def difference(
    metric: str, actual: np.ndarray, ours: np.ndarray, theirs: np.ndarray
) -> tuple[float, float, float]:
    """Return how much better ours is, with a 95 % interval by paired bootstrap over the rows."""
    compute, rng = METRICS[metric], np.random.default_rng(0)
    sign = 1 if metric == "roc_auc" else -1
    drawn = []
    for _ in range(DRAWS):
        rows = rng.integers(len(actual), size=len(actual))
        if metric != "roc_auc" or 0 < actual[rows].mean() < 1:
            drawn.append(compute(actual[rows], ours[rows]) - compute(actual[rows], theirs[rows]))
    value = sign * (compute(actual, ours) - compute(actual, theirs))
    low, high = np.quantile(sign * np.array(drawn), [0.025, 0.975])
    return value, float(low), float(high)
