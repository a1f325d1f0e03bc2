"""Is it much, little or in between?"""

from __future__ import annotations

import numpy as np
import pandas as pd

from crivo.testing.tasks._base import Example


class MulticlassExample(Example):
    """Three classes, in an order that isn't that of their names."""

    name = "multiclass"
    type = "text"
    classes = ("high", "low", "middle")

    @staticmethod
    def target(signal: np.ndarray) -> pd.Series:
        """Return the class of the signal."""
        names = np.select([signal < 0.9, signal > 1.9], ["low", "high"], "middle")
        return pd.Series(names, dtype="str")
