"""Rows that are prepared once and weighted many times.

A jackknife computes every metric again without each cluster in turn. Nothing is sorted or
cut for that: the rows stay, sorted once, and those left out weigh 0. What depends on the rows
alone is computed once and shared by all weightings (`once`); what depends on the weights is
computed once per weighting and shared by the metrics (`weighted`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Self, TypeVar

import numpy as np

from crivo.statistics.jackknife import ratios_without

T = TypeVar("T")


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
    @abstractmethod
    def parts(self) -> Sequence[np.ndarray]:
        """The rows' weights in each sum that must not become 0; shape (rows,) each."""


@dataclass(frozen=True, eq=False)
class Ratio(Statistic):
    """A metric's value that is a ratio of two sums over the rows, such as a weighted mean.

    `above`, `below`: what each row adds to either sum, its weight included; `reason`: why there
    is no value where nothing is below; `root`: the value is the ratio's square root. All values
    without a cluster follow from the sums by cluster.
    """

    above: np.ndarray
    below: np.ndarray
    reason: str = "it would divide by 0"
    root: bool = False

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
        """The weights that the ratio divides by."""
        return [self.below]


class weighted(cached_property[T]):
    """A property that depends on the weights: reweighted rows compute it anew."""


def once(compute: Callable[[Any], Any]) -> property:
    """Make a property of the rows alone: all their weightings share it."""

    def read(rows: Rows) -> Any:
        if compute.__name__ not in rows.shared:
            rows.shared[compute.__name__] = compute(rows)
        return rows.shared[compute.__name__]

    return property(read, doc=compute.__doc__)


class Rows:
    """Rows with weights; `order` says where each stands in the predictions table.

    `whole` are the weights of all rows, with none left out.
    """

    def __init__(self, weight: np.ndarray, order: np.ndarray) -> None:
        self.order = order
        self.weight = self.whole = weight[order].astype(float)
        self.shared: dict[str, Any] = {}

    def reweighted(self, weight: np.ndarray) -> Self:
        """Return the same rows with other weights, 0 for a row that is left out."""
        other = copy(self)
        for name in vars(self):
            if isinstance(getattr(type(self), name, None), weighted):
                delattr(other, name)
        other.weight = weight
        return other

    @once
    def places(self) -> np.ndarray:
        """Where each row of the predictions table stands among these rows."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(places))
        return places

    @weighted
    def total_weight(self) -> float:
        """The weight of all rows."""
        return float(self.weight.sum())

    @property
    def class_weights(self) -> list[np.ndarray]:
        """The rows' weights in each class of the target; all rows where it has no classes."""
        return [self.weight]

    def sum(self, values: np.ndarray) -> float:
        """Return the weighted sum of one value per row."""
        # not a dot product, whose last digits depend on the number of threads
        return float(np.einsum("i,i->", values, self.weight))

    def mean(self, values: np.ndarray) -> float:
        """Return the weighted mean of one value per row."""
        return self.sum(values) / self.total_weight

    def ratio(
        self, values: np.ndarray, divisor: np.ndarray | None = None, reason: str = "", **how: bool
    ) -> Ratio:
        """Return the weighted sum of a value per row over that of another, 1 by default."""
        below = self.weight if divisor is None else self.weight * divisor
        return Ratio(self.weight * values, below, reason or Ratio.reason, **how)


R = TypeVar("R", bound=Rows)


def only(rows: R, inside: np.ndarray) -> R:
    """Return some of the rows, as the table of just those would give them, without sorting it.

    `inside` marks rows of the predictions table.
    """
    part = rows.reweighted(rows.whole)
    kept = np.flatnonzero(inside[rows.order])
    for name, values in vars(part).items():
        if isinstance(values, np.ndarray):
            setattr(part, name, values[kept])
    part.order = (np.cumsum(inside) - 1)[part.order]
    part.shared = {}
    return part
