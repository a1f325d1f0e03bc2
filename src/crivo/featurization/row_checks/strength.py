"""How well columns predict the target: from 0, not at all, to 1, perfectly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crivo.core.tasks import task_of
from crivo.featurization.row_checks.split_rows import SplitRows

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

FOLDS = 3
# A class with fewer rows is left out: it can't be in every fold.
ROWS_A_CLASS = 10
DEPTH = 4
TREES = 20
# Sums of numbers up to here fit into 32 bits.
LARGEST = 1e30


class Strengths:
    """Strengths of the features of a table, cross-validated on a sample of its training rows.

    For classes it is the Gini coefficient, 2 · ROC AUC - 1, averaged over one class against
    the others by their sizes; for numbers it is R².
    """

    def __init__(self, splits: SplitRows) -> None:
        self.classes = task_of(splits.schema).has_classes
        rows = splits.sample
        rows = rows[rows[splits.schema.target].notna()]
        if self.classes:
            sizes = rows[splits.schema.target].value_counts()
            rows = rows[rows[splits.schema.target].isin(sizes.index[sizes >= ROWS_A_CLASS])]
        self.target = rows[splits.schema.target].to_numpy()
        self.columns = {name: as_number_or_code(rows[name]) for name in splits.features}

    @property
    def possible(self) -> bool:
        """Whether there are rows and targets enough to say anything."""
        return len(self.target) >= FOLDS * ROWS_A_CLASS and len(set(self.target)) > 1

    def alone(self) -> dict[str, float]:
        """Return the strength of each feature by a small model."""
        return {name: self._strength(self._small_model(name), [name]) for name in self.columns}

    def without(self, name: str) -> float:
        """Return the strength of all other features together, by a small random forest.

        One thread: boosting on several is slower by far when the machine is busy.
        """
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

        kind = RandomForestClassifier if self.classes else RandomForestRegressor
        model = kind(TREES, max_depth=10, min_samples_leaf=3, max_features=0.3, random_state=0)
        return self._strength(model, [other for other in self.columns if other != name])

    def spoken(self, strength: float) -> str:
        """Return a strength as people know it: ROC AUC or R²."""
        return f"ROC AUC {(1 + strength) / 2:.2f}" if self.classes else f"R² {strength:.2f}"

    def _small_model(self, name: str) -> Any:
        """Return a tree of few leaves for numbers, smoothed shares or means for categories."""
        from sklearn.linear_model import Ridge
        from sklearn.naive_bayes import CategoricalNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        codes = self.columns[name]
        if codes.dtype.kind == "f":
            kind = DecisionTreeClassifier if self.classes else DecisionTreeRegressor
            return kind(max_depth=DEPTH, min_samples_leaf=5, random_state=0)
        if self.classes:
            return CategoricalNB(min_categories=codes.max() + 1)
        return make_pipeline(OneHotEncoder(handle_unknown="ignore"), Ridge())

    def _strength(self, model: Any, names: list[str]) -> float:
        import numpy as np
        from sklearn.metrics import r2_score
        from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

        kind = StratifiedKFold if self.classes else KFold
        inputs = np.column_stack([self.columns[name] for name in names])
        predicted = cross_val_predict(
            model,
            inputs,
            self.target,
            cv=kind(FOLDS, shuffle=True, random_state=0),
            method="predict_proba" if self.classes else "predict",
        )
        if self.classes:
            return self._gini(predicted)
        return float(max(0.0, r2_score(self.target, predicted)))

    def _gini(self, scores: np.ndarray) -> float:
        import numpy as np
        from sklearn.metrics import roc_auc_score

        names, sizes = np.unique(self.target, return_counts=True)
        areas = [roc_auc_score(self.target == name, scores[:, i]) for i, name in enumerate(names)]
        return float(max(0.0, 2 * np.average(areas, weights=sizes) - 1))


def as_number_or_code(values: pd.Series) -> np.ndarray:
    """Return numbers and dates as floats, anything else as whole-number codes."""
    import numpy as np
    import pandas as pd
    from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype

    if is_datetime64_any_dtype(values.dtype):
        return np.where(values.isna(), np.nan, values.to_numpy("datetime64[s]").astype(float))
    if is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(float, na_value=np.nan)
        # scikit-learn's trees take 32 bits.
        return np.clip(np.where(np.isinf(numbers), np.nan, numbers), -LARGEST, LARGEST)
    return pd.factorize(values)[0] + 1  # a gap is 0
