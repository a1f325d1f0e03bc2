"""How much is it?"""

from __future__ import annotations

import numpy as np

from crivo.testing.tasks._base import Example


class RegressionExample(Example):
    """The signal itself."""

    name = "regression"
    type = "number"

    @staticmethod
    def target(signal: np.ndarray) -> np.ndarray:
        """Return the signal."""
        return signal
