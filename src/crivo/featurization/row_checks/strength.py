"""The strength of columns as predictors of the target, from 0 (none) to 1 (perfect)."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pandas as pd
from numpy.polynomial import Polynomial
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

from crivo.core.findings import NotApplicable
from crivo.core.predictions import roc_auc
from crivo.core.tasks import task_of
from crivo.featurization.row_checks.split_rows import SplitRows

FOLDS = 3
# A class with fewer rows is left out, because it can't be in every fold.
ROWS_A_CLASS = 10
DEPTH, TREES = 4, 20
# Honest columns are rarely stronger; no check looks closer at less.
STRONG = 0.7
# Of a text the most frequent words are looked at.
PARTS = 500
# Sums of numbers up to here fit into 32 bits.
LARGEST = 1e30
# An error's variance counts from here on, as a share of the target's.
SMALL = 1e-12
# Of the normal distribution, 95 % lie below.
ONE_SIDED = 1.645


class Strengths:
    """Strengths of the features of a table, cross-validated on a sample of its training rows.

    For classes, it is the Gini coefficient, 2 · ROC AUC - 1, of each class against the others,
    averaged by class size; for numbers, it is R². All models predict numbers: a class is a column
    of zeros and ones, and one column stands for two classes. NotApplicable: there are too few rows,
    or all targets are the same.
    """

    def __init__(self, splits: SplitRows) -> None:
        from sklearn.model_selection import KFold, StratifiedKFold

        self.has_classes = task_of(splits.schema).has_classes
        rows = splits.sample().dropna(subset=[splits.schema.target])
        target: Any = rows[splits.schema.target]
        if self.has_classes:
            sizes = target.value_counts()
            rows = rows[target.isin(sizes.index[sizes >= ROWS_A_CLASS])]
            # A code for each class that is left: a categorical target names others as well.
            target = pd.factorize(rows[splits.schema.target])[0]
            self.sizes = np.bincount(target)
        if len(rows) < FOLDS * ROWS_A_CLASS or len(pd.unique(target)) < 2:
            raise NotApplicable("there are too few training rows, or all targets are the same")
        folds = StratifiedKFold if self.has_classes else KFold
        self.folds = [*folds(FOLDS, shuffle=True, random_state=0).split(rows, target)]
        if self.has_classes and len(self.sizes) > 2:
            target = np.eye(len(self.sizes))[target]
        self.target = np.asarray(target, float)
        self.columns = {name: as_number_or_code(rows[name]) for name in splits.features}
        self.texts = {name: rows[name] for name in splits.features if is_mostly_unique(rows[name])}

    def alone(self) -> dict[str, float]:
        """Return the strength of each feature.

        It is that of a number by a small tree or, if higher, by a line; and that of a category by
        the means of its levels, drawn to the mean of all rows. One below `STRONG` may be that of
        the rows that the model was fitted on, which is higher.
        """
        from sklearn.linear_model import Ridge
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder

        levels = make_pipeline(OneHotEncoder(handle_unknown="ignore"), Ridge())
        return {
            name: max(self._strength(_tree(), values[:, None]), self._by_line(values))
            if values.dtype.kind == "f"
            else self._strength(levels, values[:, None])
            for name, values in self.columns.items()
        }

    def in_parts(self) -> dict[str, float]:
        """Return the strength of each text or name by its frequent words, or pieces of a word."""
        return {name: self._strength(_tree(), _parts(text)) for name, text in self.texts.items()}

    def without(self, name: str) -> float:
        """Return the strength of all other features together, by a small random forest."""
        others = [values for other, values in self.columns.items() if other != name]
        return self._crossed(_forest(), np.column_stack(others))

    def alike(self, groups: np.ndarray) -> tuple[float, float]:
        """Return how alike the rows of a group are, beyond what the features explain.

        This is the intraclass correlation of the errors of a linear model and then a forest, which
        is fitted on other groups; and the p-value of the analysis of variance (Fisher 1925).
        """
        from scipy.special import fdtrc
        from sklearn.model_selection import GroupKFold, cross_val_predict

        rest = self.target.reshape(len(groups), -1)
        numbers = [np.nan_to_num(one) for one in self.columns.values() if one.dtype.kind == "f"]
        line = np.column_stack([np.ones(len(rest)), *(one / (one.std() or 1) for one in numbers)])
        rest = rest - line @ np.linalg.lstsq(line, rest)[0]
        inputs, folds = np.column_stack([*self.columns.values()]), GroupKFold(FOLDS)
        said = cross_val_predict(_forest(), inputs, np.squeeze(rest), cv=folds, groups=groups)
        rest = rest - said.reshape(rest.shape)
        sizes = np.bincount(groups)
        means = np.column_stack([np.bincount(groups, each) for each in rest.T]) / sizes[:, None]
        between = float((sizes[:, None] * (means - rest.mean(axis=0)) ** 2).sum())
        within = float(((rest - means[groups]) ** 2).sum())
        more, less = len(sizes) - 1, len(rest) - len(sizes)
        # Errors may be as small as rounding makes them.
        ratio = between / more / max(within / less, SMALL * float(self.target.var()))
        usual = (len(rest) - (sizes**2).sum() / len(rest)) / more
        return (ratio - 1) / (ratio - 1 + usual), float(fdtrc(more, less, ratio))

    def at_least(self, strength: float) -> float:
        """Return the lower end of a one-sided interval of 95 % for a strength.

        Sources: Hanley and McNeil (1982) for ROC AUC; Olkin and Finn (1995) for R².
        """
        rows = len(self.target)
        if not self.has_classes:
            return strength - ONE_SIDED * 2 * sqrt(strength) * (1 - strength) / sqrt(rows)
        errors = [area_error((1 + strength) / 2, size, rows - size) for size in self.sizes]
        return strength - ONE_SIDED * 2 * float(np.average(errors, weights=self.sizes))

    def spoken(self, strength: float) -> str:
        """Return a strength as a well-known metric: ROC AUC or R²."""
        return f"ROC AUC {(1 + strength) / 2:.2f}" if self.has_classes else f"R² {strength:.2f}"

    def _by_line(self, values: np.ndarray) -> float:
        """Return how well a line predicts the rows; a missing number counts as the mean.

        A line keeps the order of the values, or reverses it, which is all that the ROC AUC needs.
        """
        if np.isnan(values).all():
            return 0.0
        filled = np.nan_to_num(values, nan=np.nanmean(values))
        if not self.has_classes:
            said = np.zeros(len(filled))
            for fitted, others in self.folds:
                # `full`: no warning if all rows of the other folds have the same value.
                line, _ = Polynomial.fit(filled[fitted], self.target[fitted], 1, full=True)
                said[others] = line(filled[others])
            return self._agreement(said)
        return self._gini(filled, either_way=True)

    def _strength(self, model: Any, inputs: np.ndarray) -> float:
        """Return how well a model predicts rows of other folds, or its own if that is little."""
        own = self._agreement(model.fit(inputs, self.target).predict(inputs))
        return own if own < STRONG else self._crossed(model, inputs)

    def _crossed(self, model: Any, inputs: np.ndarray) -> float:
        from sklearn.model_selection import cross_val_predict

        return self._agreement(cross_val_predict(model, inputs, self.target, cv=self.folds))

    def _agreement(self, said: np.ndarray) -> float:
        """Return how well predictions agree with the targets."""
        from sklearn.metrics import r2_score

        if not np.isfinite(said).all():  # targets near the end of what a number holds overflow
            return 0.0
        if not self.has_classes:
            return max(0.0, float(r2_score(self.target, said)))
        return max(0.0, self._gini(said))

    def _gini(self, said: np.ndarray, *, either_way: bool = False) -> float:
        """Return the mean of the classes' Gini coefficients, weighted by the size of the class.

        `either_way`: the reverse order of the scores counts as much.
        """
        classes = self.target.reshape(len(said), -1)
        pairs = zip(classes.T, np.broadcast_to(said.T, classes.T.shape), strict=True)
        ginis = np.array([2 * roc_auc(one, scores) - 1 for one, scores in pairs])
        return float(
            np.average(np.abs(ginis) if either_way else ginis, weights=classes.sum(axis=0))
        )


def _forest() -> Any:
    """Return a forest on one thread; boosting on several is much slower on a busy machine."""
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(
        TREES, max_depth=10, min_samples_leaf=3, max_features=0.3, random_state=0
    )


def _tree() -> Any:
    from sklearn.tree import DecisionTreeRegressor

    return DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=5, random_state=0)


def area_error(area: float, positives: float, negatives: float) -> float:
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
