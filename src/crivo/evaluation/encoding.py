"""Categories as the numbers that trees see, looked up once for each category.

Scikit-learn's histogram gradient boosting looks up the text of each cell, which takes half as long
as fifty trees.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from crivo.core.inputs import TEXT

# Where scikit-learn has the estimators whose steps these are; a class derived from one may differ.
BOOSTING = "sklearn.ensemble._hist_gradient_boosting.gradient_boosting"


def encoding_once(estimator: Any) -> Any:
    """Return an estimator that predicts the same, faster if it encodes categories for its trees."""
    if type(estimator).__module__ != BOOSTING:
        return estimator
    before = getattr(estimator, "_preprocessor", None)
    steps = getattr(before, "named_transformers_", {})
    if list(steps)[:2] != ["encoder", "numerical"] or not hasattr(before, "feature_names_in_"):
        return estimator
    faster = copy(estimator)
    faster._preprocessor = _Encoding(before)
    return faster


class _Encoding:
    """What a histogram gradient boosting does with rows before its trees see them."""

    def __init__(self, before: Any) -> None:
        self.before = before
        names = before.feature_names_in_
        (_, encoder, by_category), (_, _, by_number), *_ = before.transformers_
        self.categories = dict(zip(names[by_category], encoder.categories_, strict=True))
        self.numbers = names[by_number].tolist()

    def transform(self, features: pd.DataFrame) -> np.ndarray:
        """Return the categories' codes, then the numbers; what isn't known is missing."""
        if not self._takes(features):
            return np.asarray(self.before.transform(features))
        rows = np.empty((len(features), len(self.categories) + len(self.numbers)), order="F")
        for place, (name, known) in enumerate(self.categories.items()):
            values = features[name].array
            codes = pd.Index(known).get_indexer(values.categories).astype(float)
            rows[:, place] = np.append(np.where(codes < 0, np.nan, codes), np.nan)[values.codes]
        for place, name in enumerate(self.numbers, len(self.categories)):
            rows[:, place] = features[name].to_numpy(float, na_value=np.nan)
        return rows

    def _takes(self, features: Any) -> bool:
        """Return whether the columns are categories of text, and numbers."""
        if not isinstance(features, pd.DataFrame):
            return False
        kinds: Any = features.dtypes
        texts = (
            known.dtype == object and _of_text(kinds.get(name))
            for name, known in self.categories.items()
        )
        return all(texts) and all(is_numeric_dtype(kinds.get(name)) for name in self.numbers)


def _of_text(kind: Any) -> bool:
    return isinstance(kind, pd.CategoricalDtype) and kind.categories.dtype == TEXT
