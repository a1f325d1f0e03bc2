"""`Rows` and its subclasses: the input of metrics, a predictions table prepared for its task.

They are sorted once, and some of them, such as those without a cluster, are taken from there. What
follows from the rows is computed when it is asked for first, and shared by the metrics.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any, Self

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.statistics.jackknife import ratios_without


class NotDefined(Exception):
    """Raised if a metric has no value on these rows; the message says why."""


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


class Rows:
    """Rows with weights; `order` says where each stands in the predictions table."""

    def __init__(self, weight: np.ndarray, order: np.ndarray) -> None:
        self.order, self.weight = order, weight[order].astype(float)

    def only(self, inside: np.ndarray) -> Self:
        """Return some of the rows, as the table of just those would give them, without sorting it.

        `inside` marks rows of the predictions table.
        """
        kept, part = np.flatnonzero(inside[self.order]), object.__new__(type(self))
        for name, value in vars(self).items():
            if not isinstance(getattr(type(self), name, None), cached_property):
                vars(part)[name] = value[kept] if isinstance(value, np.ndarray) else value
        part.order = (np.cumsum(inside) - 1)[part.order]
        return part

    @cached_property
    def places(self) -> np.ndarray:
        """Where each row of the predictions table stands among these rows."""
        return np.argsort(self.order)

    @cached_property
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
        self, values: np.ndarray, divisor: np.ndarray | float = 1.0, reason: str = Ratio.reason
    ) -> Ratio:
        """Return the weighted sum of a value per row over that of another, 1 by default."""
        return Ratio(self.weight * values, self.weight * divisor, reason)


class Binary(Rows):
    """Rows of a binary task, the riskiest first.

    `target` and `predicted` are 1 for the positive class and 0 for the other.
    """

    def __init__(
        self,
        target: np.ndarray,
        predicted: np.ndarray,
        score: np.ndarray | None,
        weight: np.ndarray,
    ) -> None:
        rank = np.zeros(len(target)) if score is None else -score
        super().__init__(weight, np.argsort(rank, kind="stable"))
        self.target = target[self.order].astype(float)
        self.predicted = predicted[self.order].astype(float)
        self._score = None if score is None else score[self.order].astype(float)

    @classmethod
    def of(cls, predictions: pd.DataFrame, context: Context) -> Self:
        """Return the rows of a predictions table."""
        positive = class_codes([context.positive], context.classes)[0]
        return cls(
            class_codes(predictions["target"], context.classes) == positive,
            class_codes(predictions["prediction"], context.classes) == positive,
            predictions["score"].to_numpy(float) if "score" in predictions else None,
            predictions["weight"].to_numpy(float),
        )

    @property
    def score(self) -> np.ndarray:
        """The probability of the positive class, falling; not defined for labels alone."""
        if self._score is None:
            raise NotDefined("the predictions are labels without scores")
        return self._score

    @property
    def class_weights(self) -> list[np.ndarray]:
        """The positive rows' weights and the negative rows'."""
        return [self.weight * self.target, self.weight * self.negative]

    @cached_property
    def negative(self) -> np.ndarray:
        """1 for a row that isn't positive, else 0."""
        return 1 - self.target

    @cached_property
    def residuals(self) -> np.ndarray:
        """How far each row's score is above its target."""
        return self.score - self.target

    @cached_property
    def log_losses(self) -> np.ndarray:
        """Each row's log loss."""
        return log_losses(np.where(self.target == 1, self.score, 1 - self.score))

    @cached_property
    def tie_starts(self) -> np.ndarray:
        """The first row of each group of equal scores."""
        return np.append(0, np.flatnonzero(np.diff(self.score)) + 1)

    def per_tie(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of a value per row over each group of equal scores."""
        if len(self.tie_starts) == len(values):
            return values
        return np.add.reduceat(values, self.tie_starts)

    @cached_property
    def tie_weight(self) -> np.ndarray:
        """The weight of each group of equal scores, the riskiest first."""
        return self.per_tie(self.weight)

    @cached_property
    def tie_positives(self) -> np.ndarray:
        """The positives' weight in each group of equal scores."""
        return self.per_tie(self.weight * self.target)

    @cached_property
    def tie_negatives(self) -> np.ndarray:
        """The negatives' weight in each group of equal scores."""
        return self.per_tie(self.weight * self.negative)

    @cached_property
    def cumulative_weight(self) -> np.ndarray:
        """The weight from the riskiest row to the end of each group of equal scores."""
        return np.cumsum(self.tie_weight)

    @cached_property
    def cumulative_positives(self) -> np.ndarray:
        """The positives' weight from the riskiest row to the end of each group."""
        return np.cumsum(self.tie_positives)

    @cached_property
    def positives(self) -> float:
        """The weight of the positive rows; not defined when there is none."""
        positives = self.sum(self.target)
        if not positives > 0:
            raise NotDefined("no row is positive")
        return positives

    @cached_property
    def negatives(self) -> float:
        """The weight of the negative rows; not defined when there is none."""
        negatives = self.sum(self.negative)
        if not negatives > 0:
            raise NotDefined("every row is positive")
        return negatives

    @cached_property
    def hit(self) -> np.ndarray:
        """1 for a positive row that is predicted positive, else 0."""
        return self.target * self.predicted


class Multiclass(Rows):
    """Rows of a multiclass task, in the order of the predictions table.

    `target` and `predicted` are the classes' places in `classes`; `scores` has a column for
    each class.
    """

    def __init__(
        self,
        target: np.ndarray,
        predicted: np.ndarray,
        scores: np.ndarray | None,
        weight: np.ndarray,
        classes: Sequence[Any],
    ) -> None:
        super().__init__(weight, np.arange(len(target)))
        self.target, self.predicted = target, predicted
        self.classes = tuple(classes)
        self._scores = scores

    @classmethod
    def of(cls, predictions: pd.DataFrame, context: Context) -> Self:
        """Return the rows of a predictions table."""
        columns = [f"score_{name}" for name in context.classes]
        scored = all(name in predictions for name in columns)
        return cls(
            class_codes(predictions["target"], context.classes),
            class_codes(predictions["prediction"], context.classes),
            predictions[columns].to_numpy(float) if scored else None,
            predictions["weight"].to_numpy(float),
            context.classes,
        )

    @property
    def scores(self) -> np.ndarray:
        """The probability of each class, a row per row; not defined for labels alone."""
        if self._scores is None:
            raise NotDefined("the predictions are labels without scores")
        return self._scores

    @property
    def class_weights(self) -> list[np.ndarray]:
        """The weights of each class's rows."""
        return [self.weight * (self.target == k) for k in range(len(self.classes))]

    @cached_property
    def log_losses(self) -> np.ndarray:
        """Each row's log loss."""
        return log_losses(np.take_along_axis(self.scores, self.target[:, None], axis=1)[:, 0])

    @cached_property
    def one_against_rest(self) -> tuple[Binary, ...]:
        """For each class, the rows of the binary task "this class or another"."""
        return tuple(
            Binary(self.target == k, self.predicted == k, self.scores[:, k], self.weight)
            for k in range(len(self.classes))
        )

    @cached_property
    def confusion(self) -> np.ndarray:
        """The weight of each pair of target (row) and predicted class (column)."""
        size = len(self.classes)
        pairs = self.target * size + self.predicted
        return np.bincount(pairs, self.weight, minlength=size * size).reshape(size, size)


class Regression(Rows):
    """Rows of a regression task, the smallest absolute error first."""

    def __init__(self, target: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> None:
        super().__init__(weight, np.argsort(np.abs(target - predicted), kind="stable"))
        self.target = target[self.order].astype(float)
        self.predicted = predicted[self.order].astype(float)

    @classmethod
    def of(cls, predictions: pd.DataFrame, context: Context) -> Self:
        """Return the rows of a predictions table."""
        columns = ("target", "prediction", "weight")
        return cls(*(predictions[name].to_numpy(float) for name in columns))

    @cached_property
    def absolute_errors(self) -> np.ndarray:
        """Each row's distance from the truth, rising."""
        return np.abs(self.target - self.predicted)

    @cached_property
    def squared_errors(self) -> np.ndarray:
        """Each row's squared distance from the truth, rising."""
        return self.absolute_errors**2

    @cached_property
    def cumulative_weight(self) -> np.ndarray:
        """The weight from the smallest error to the end of each row."""
        return np.cumsum(self.weight)

    def error_quantile(self, share: float) -> float:
        """Return the absolute error that a share of the rows doesn't exceed.

        A share that ends between two rows gives their mean: the median of 1 and 3 is 2
        (Hyndman & Fan 1996, definition 2, with weights).
        """
        down = self.cumulative_weight
        goal, slack = share * down[-1], 1e-12 * down[-1]
        reached = np.searchsorted(down, goal - slack, side="left")
        passed = np.searchsorted(down, goal + slack, side="right")
        return float(self.absolute_errors[[reached, passed]].mean())


def class_codes(values: Iterable[Any], classes: Sequence[Any]) -> np.ndarray:
    """Return each label's place in `classes`; a label that isn't a class is an error."""
    labels = np.asarray(values, dtype=object)
    codes = pd.Index(classes, dtype=object).get_indexer(pd.Index(labels, dtype=object))
    if (codes < 0).any():
        raise CrivoError(
            f"The predictions contain the label {labels[codes < 0][0]!r}; the classes are "
            f"{', '.join(map(repr, classes))}."
        )
    return codes


def log_losses(probability: np.ndarray) -> np.ndarray:
    """Return the log loss of each row from the probability given to what happened.

    A probability of 0 or 1 is moved by the smallest step a number can take, as scikit-learn
    does, so that one row can't make the loss infinite.
    """
    epsilon = np.finfo(float).eps
    return -np.log(np.clip(probability, epsilon, 1 - epsilon))
