"""`Statistic`: a metric's value with a formula for its values without each cluster."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from crivo.statistics.jackknife import ratios_without


class NotDefined(Exception):
    """A metric has no value on these rows; the message says why."""


class Statistic(ABC):
    """A metric's value on weighted rows that has a formula for its values without each cluster."""

    @abstractmethod
    def __float__(self) -> float:
        """Return the value; NotDefined where there is none."""

    @abstractmethod
    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the value without each cluster (shape (groups,)), NaN where nothing is left.

        `codes`: each row's cluster as a number below `groups`.
        """

    @property
    def parts(self) -> Sequence[np.ndarray]:
        """The rows' weights in the sum that it divides by; none where that is pairs of classes."""
        return ()


@dataclass(frozen=True, eq=False)
class Ratio(Statistic):
    """A metric's value that is a ratio of two sums over the rows, such as a weighted mean.

    `above`, `below`: what each row adds to either sum, its weight included; `reason`: why there
    is no value where nothing is below; `root`: the value is the ratio's square root; `among`: the
    weights of the rows that it is a share of, if these aren't what is below.
    """

    above: np.ndarray
    below: np.ndarray
    reason: str = "it would divide by 0"
    root: bool = False
    among: np.ndarray | None = None

    def __float__(self) -> float:
        """Return the value; NotDefined where it would divide by 0."""
        below = float(self.below.sum())
        if not below > 0:
            raise NotDefined(self.reason)
        value = float(self.above.sum()) / below
        return sqrt(value) if self.root else value

    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the value without each cluster."""
        found = ratios_without(self.above, self.below, codes, groups)
        return np.sqrt(np.maximum(found, 0)) if self.root else found

    @property
    def parts(self) -> Sequence[np.ndarray]:
        """The weights of the rows that it is a share of."""
        return [self.below if self.among is None else self.among]
