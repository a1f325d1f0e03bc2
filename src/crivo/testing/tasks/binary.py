"""Is it more than usual?"""

from __future__ import annotations

import numpy as np

from crivo.testing.tasks._base import Example


class BinaryExample(Example):
    """True above a limit."""

    name = "binary"
    type = "boolean"
    classes = (False, True)
    positive = True

    @staticmethod
    def target(signal: np.ndarray) -> np.ndarray:
        """Return whether the signal is above 1.5."""
        return signal > 1.5
