"""The strength of columns as predictors of the target, from 0 (none) to 1 (perfect)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.tasks import task_of
from crivo.featurization.row_checks.split_rows import SplitRows

FOLDS = 3
# A class with fewer rows is left out, because it can't be in every fold.
ROWS_A_CLASS = 10
DEPTH = 4
TREES = 20
# Of a text the most frequent words are looked at.
PARTS = 500
# Sums of numbers up to here fit into 32 bits.
LARGEST = 1e30
# Of the normal distribution, 95 % lie below.
ONE_SIDED = 1.645


class Strengths:
    """Strengths of the features of a table, cross-validated on a sample of its training rows.

    For classes, it is the Gini coefficient, 2 · ROC AUC - 1, of each class against the others,
    averaged by class size; for numbers, it is R².
    """

    def __init__(self, splits: SplitRows) -> None:
        self.classes = task_of(splits.schema).has_classes
        rows = splits.sample
        rows = rows[rows[splits.schema.target].notna()]
        if self.classes:
            sizes = rows[splits.schema.target].value_counts()
            rows = rows[rows[splits.schema.target].isin(sizes.index[sizes >= ROWS_A_CLASS])]
        self.target = rows[splits.schema.target].to_numpy()
        if self.classes:
            self.target = np.unique(self.target, return_inverse=True)[1]
        self.columns = {name: as_number_or_code(rows[name]) for name in splits.features}
        self.texts = {name: rows[name] for name in splits.features if is_mostly_unique(rows[name])}

    @property
    def possible(self) -> bool:
        """Whether there are enough rows and different targets to measure strengths."""
        return len(self.target) >= FOLDS * ROWS_A_CLASS and len(set(self.target)) > 1

    def alone(self) -> dict[str, float]:
        """Return the strength of each feature by a small model, or by its order if higher."""
        return {
            name: max(self._strength(self._small_model(values), [values]), self._in_order(values))
            for name, values in self.columns.items()
        }

    def _in_order(self, values: np.ndarray) -> float:
        """Return the strength of a number by its order, or by a line; 0 for categories."""
        from sklearn.metrics import roc_auc_score

        if values.dtype.kind != "f" or np.isnan(values).any() or values.min() == values.max():
            return 0.0
        if not self.classes:
            return float(np.corrcoef(values, self.target)[0, 1] ** 2)
        sizes = np.bincount(self.target)
        areas = [roc_auc_score(self.target == i, values) for i in range(len(sizes))]
        return float(np.average(np.abs(2 * np.array(areas) - 1), weights=sizes))

    def alike(self, groups: np.ndarray) -> tuple[float, float]:
        """Return how alike the rows of a group are, beyond what the features explain.

        This is the intraclass correlation of the errors of a linear model and then a forest, which
        is fitted on other groups; and the p-value of the analysis of variance (Fisher 1925).
        """
        from scipy.stats import f
        from sklearn.model_selection import GroupKFold, cross_val_predict

        rest = np.eye(self.target.max() + 1)[self.target] if self.classes else self.target[:, None]
        numbers = [np.nan_to_num(one) for one in self.columns.values() if one.dtype.kind == "f"]
        line = np.column_stack([np.ones(len(rest)), *(one / (one.std() or 1) for one in numbers)])
        rest = rest - line @ np.linalg.lstsq(line, rest)[0]
        inputs, forest = np.column_stack([*self.columns.values()]), self._forest(classes=False)
        folds = GroupKFold(FOLDS)
        said = cross_val_predict(forest, inputs, np.squeeze(rest), cv=folds, groups=groups)
        rest = rest - said.reshape(rest.shape)
        sizes = np.bincount(groups)
        means = np.column_stack([np.bincount(groups, each) for each in rest.T]) / sizes[:, None]
        between = float((sizes[:, None] * (means - rest.mean(axis=0)) ** 2).sum())
        within = float(((rest - means[groups]) ** 2).sum())
        more, less = len(sizes) - 1, len(rest) - len(sizes)
        ratio = between / more / max(within / less, 1e-300)
        usual = (len(rest) - (sizes**2).sum() / len(rest)) / more
        return (ratio - 1) / (ratio - 1 + usual), float(f.sf(ratio, more, less))

    def in_parts(self) -> dict[str, float]:
        """Return the strength of each text or name by its frequent words, or pieces of a word."""
        return {
            name: self._strength(self._tree(), [_parts(text)]) for name, text in self.texts.items()
        }

    def without(self, name: str) -> float:
        """Return the strength of all other features together, by a small random forest."""
        others = [values for other, values in self.columns.items() if other != name]
        return self._strength(self._forest(self.classes), others)

    def at_least(self, strength: float) -> float:
        """Return the lower end of a one-sided interval of 95 % for a strength.

        Sources: Hanley and McNeil (1982) for ROC AUC; Olkin and Finn (1995) for R².
        """
        if not self.classes:
            error = 2 * sqrt(strength) * (1 - strength) / sqrt(len(self.target))
            return strength - ONE_SIDED * error
        sizes = [int((self.target == name).sum()) for name in set(self.target.tolist())]
        area = (1 + strength) / 2
        errors = [area_error(area, size, len(self.target) - size) for size in sizes]
        error = sum(size * one for size, one in zip(sizes, errors, strict=True)) / sum(sizes)
        return strength - ONE_SIDED * 2 * error

    def spoken(self, strength: float) -> str:
        """Return a strength as a well-known metric: ROC AUC or R²."""
        return f"ROC AUC {(1 + strength) / 2:.2f}" if self.classes else f"R² {strength:.2f}"

    def _forest(self, classes: bool) -> Any:
        """Return a forest on one thread; boosting on several is much slower on a busy machine."""
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        kind = RandomForestClassifier if classes else RandomForestRegressor
        return kind(TREES, max_depth=10, min_samples_leaf=3, max_features=0.3, random_state=0)

    def _tree(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        kind = DecisionTreeClassifier if self.classes else DecisionTreeRegressor
        return kind(max_depth=DEPTH, min_samples_leaf=5, random_state=0)

    def _small_model(self, codes: np.ndarray) -> Any:
        """Return a small tree for numbers, or smoothed shares or means for categories."""
        from sklearn.linear_model import Ridge
        from sklearn.naive_bayes import CategoricalNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        if codes.dtype.kind == "f":
            return self._tree()
        if self.classes:
            return CategoricalNB(min_categories=codes.max() + 1)
        return make_pipeline(OneHotEncoder(handle_unknown="ignore"), Ridge())

    def _strength(self, model: Any, columns: list[np.ndarray]) -> float:
        """Return how well a model predicts the rows of other folds from these columns."""
        from sklearn.metrics import r2_score, roc_auc_score
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

        kind = StratifiedKFold if self.classes else KFold
        folds = kind(FOLDS, shuffle=True, random_state=0)
        method = "predict_proba" if self.classes else "predict"
        inputs, target = np.column_stack(columns), self.target
        said = cross_val_predict(model, inputs, target, cv=folds, method=method)
        if not self.classes:
            # Targets near the end of what a number holds overflow in a model.
            return float(max(0.0, r2_score(target, said))) if np.isfinite(said).all() else 0.0
        sizes = np.bincount(target)
        areas = [roc_auc_score(target == i, said[:, i]) for i in range(len(sizes))]
        return float(max(0.0, 2 * np.average(areas, weights=sizes) - 1))


def area_error(area: float, positives: int, negatives: int) -> float:
    """Return the standard error of a ROC AUC.

    Source: Hanley and McNeil (1982), whose example this is.

    >>> round(area_error(0.893, 51, 58), 4)
    0.0325
    """
    two_positives, two_negatives = area / (2 - area), 2 * area**2 / (1 + area)
    variance = (
        area * (1 - area)
        + (positives - 1) * (two_positives - area**2)
        + (negatives - 1) * (two_negatives - area**2)
    )
    return sqrt(max(0.0, variance) / (positives * negatives))


def is_mostly_unique(values: pd.Series) -> bool:
    """Return whether a column holds texts, most of which occur once: its levels tell nothing."""
    if not isinstance(values.dtype, pd.StringDtype) or 2 * values.nunique() <= len(values):
        return False
    return bool(values.str.contains(r"\w").any())


def _parts(texts: pd.Series) -> np.ndarray:
    """Return which frequent words a text holds; which pieces of a word, where each is one word."""
    from sklearn.feature_extraction.text import CountVectorizer

    how: dict[str, Any] = {"token_pattern": r"(?u)\b\w+\b"}
    if not texts.str.contains(r"\s").any():
        how = {"analyzer": "char_wb", "ngram_range": (2, 4)}
    counter = CountVectorizer(binary=True, max_features=PARTS, dtype="float32", **how)
    counts: np.ndarray = counter.fit_transform(texts.fillna("")).toarray()
    return counts


def as_number_or_code(values: pd.Series) -> np.ndarray:
    """Return numbers and dates as floats, anything else as whole-number codes."""
    if is_datetime64_any_dtype(values.dtype):
        return np.where(values.isna(), np.nan, values.to_numpy("datetime64[s]").astype(float))
    if is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(float, na_value=np.nan)
        # scikit-learn's trees use 32 bits.
        return np.clip(np.where(np.isinf(numbers), np.nan, numbers), -LARGEST, LARGEST)
    return pd.factorize(values)[0] + 1  # a gap is 0
