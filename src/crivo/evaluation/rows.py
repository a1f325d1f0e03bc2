"""The input of metrics: the rows of a predictions table, prepared for its task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.evaluation.weighting import NotDefined as NotDefined
from crivo.evaluation.weighting import Rows, once, weighted


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

    @once
    def negative(self) -> np.ndarray:
        """1 for a row that isn't positive, else 0."""
        return 1 - self.target

    @once
    def residuals(self) -> np.ndarray:
        """How far each row's score is above its target."""
        return self.score - self.target

    @once
    def log_losses(self) -> np.ndarray:
        """Each row's log loss."""
        return log_losses(np.where(self.target == 1, self.score, 1 - self.score))

    @once
    def tie_logits(self) -> np.ndarray:
        """The log odds of each group of equal scores, kept 1e-6 away from 0 and 1.

        A forest gives many scores of exactly 0 and 1, whose log odds would be infinite.
        """
        score = np.clip(self.score[self.tie_starts], 1e-6, 1 - 1e-6)
        return np.log(score / (1 - score))

    @once
    def tie_starts(self) -> np.ndarray:
        """The first row of each group of equal scores."""
        return np.append(0, np.flatnonzero(np.diff(self.score)) + 1)

    def per_tie(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of a value per row over each group of equal scores."""
        if len(self.tie_starts) == len(values):
            return values
        return np.add.reduceat(values, self.tie_starts)

    @weighted
    def tie_weight(self) -> np.ndarray:
        """The weight of each group of equal scores, the riskiest first."""
        return self.per_tie(self.weight)

    @weighted
    def tie_positives(self) -> np.ndarray:
        """The positives' weight in each group of equal scores."""
        return self.per_tie(self.weight * self.target)

    @weighted
    def tie_negatives(self) -> np.ndarray:
        """The negatives' weight in each group of equal scores."""
        return self.per_tie(self.weight * self.negative)

    @weighted
    def cumulative_weight(self) -> np.ndarray:
        """The weight from the riskiest row to the end of each group of equal scores."""
        return np.cumsum(self.tie_weight)

    @weighted
    def cumulative_positives(self) -> np.ndarray:
        """The positives' weight from the riskiest row to the end of each group."""
        return np.cumsum(self.tie_positives)

    @weighted
    def positives(self) -> float:
        """The weight of the positive rows; not defined when there is none."""
        positives = self.sum(self.target)
        if not positives > 0:
            raise NotDefined("no row is positive")
        return positives

    @weighted
    def negatives(self) -> float:
        """The weight of the negative rows; not defined when there is none."""
        negatives = self.sum(self.negative)
        if not negatives > 0:
            raise NotDefined("every row is positive")
        return negatives

    @once
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

    @once
    def log_losses(self) -> np.ndarray:
        """Each row's log loss."""
        return log_losses(np.take_along_axis(self.scores, self.target[:, None], axis=1)[:, 0])

    @weighted
    def one_against_rest(self) -> tuple[Binary, ...]:
        """For each class, the rows of the binary task "this class or another"."""
        return tuple(task.reweighted(self.weight[task.order]) for task in self._tasks)

    @once
    def _tasks(self) -> tuple[Binary, ...]:
        return tuple(
            Binary(self.target == k, self.predicted == k, self.scores[:, k], self.whole)
            for k in range(len(self.classes))
        )

    @weighted
    def confusion(self) -> np.ndarray:
        """The weight of each pair of target (row) and predicted class (column)."""
        size = len(self.classes)
        cells = np.bincount(self._cells, self.weight, minlength=size * size)
        return cells.reshape(size, size)

    @once
    def _cells(self) -> np.ndarray:
        return self.target * len(self.classes) + self.predicted


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

    @once
    def absolute_errors(self) -> np.ndarray:
        """Each row's distance from the truth, rising."""
        return np.abs(self.target - self.predicted)

    @once
    def squared_errors(self) -> np.ndarray:
        """Each row's squared distance from the truth, rising."""
        return self.absolute_errors**2

    @weighted
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
