"""`Rows` and its subclasses: the input of metrics, a predictions table prepared for its task.

They are sorted once, and some of them, such as those without a cluster, are taken from there. What
follows from the rows is computed when it is asked for first, and shared by the metrics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.tasks import Task
from crivo.statistics.jackknife import NotDefined, Ratio

# What is left of a weight after a subtraction, if it's a smaller part than this, is rounding.
ROUNDING = 1e-9


class Rows:
    """Rows with weights; `order` says where each stands in the predictions table.

    Each task has a class, whose `of` prepares a predictions table. `plain_metric`: one that
    everybody understands, for the report's first sentence; `usual_metrics`: what is shown when no
    metrics are chosen, the primary one first; `usual_of_labels`: the same without scores;
    `loss_metric`: the mean of the losses, or 1 minus that mean (the accuracy); `scored`: whether
    there are probabilities.
    """

    plain_metric: ClassVar[str]
    usual_metrics: ClassVar[tuple[str, ...]]
    usual_of_labels: ClassVar[tuple[str, ...]]
    scored = False

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


class Labelled(Rows):
    """Rows whose labels are right or wrong; with probabilities, the loss is the log loss."""

    target: np.ndarray
    predicted: np.ndarray

    @property
    def given(self) -> np.ndarray:
        """The probability given to each row's actual class."""
        raise NotImplementedError

    @cached_property
    def log_losses(self) -> np.ndarray:
        """Each row's log loss.

        A probability of 0 or 1 is moved by the smallest step a number can take, as scikit-learn
        does, so that one row can't make the loss infinite.
        """
        epsilon = np.finfo(float).eps
        return -np.log(np.clip(self.given, epsilon, 1 - epsilon))

    @property
    def loss_metric(self) -> str:
        """Log loss, or accuracy, which is 1 minus the share of errors."""
        return "log_loss" if self.scored else "accuracy"

    @property
    def losses(self) -> np.ndarray:
        """Each row's log loss, or 1 for a wrong label."""
        return self.log_losses if self.scored else (self.target != self.predicted).astype(float)


class Binary(Labelled):
    """Rows of a binary task, the riskiest first: scores rank them, a threshold selects some.

    `target` and `predicted` are 1 for the positive class and 0 for the other.
    """

    plain_metric = "precision"
    usual_metrics = ("roc_auc", "average_precision", "log_loss", "brier", "precision_at_share")
    usual_of_labels = ("f1", "precision", "recall", "accuracy")

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
        self.scored = score is not None
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

    @property
    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray]:
        """The scores, and 1 for the positive rows."""
        return self.score, self.target

    @cached_property
    def negative(self) -> np.ndarray:
        """1 for a row that isn't positive, else 0."""
        return 1 - self.target

    @cached_property
    def residuals(self) -> np.ndarray:
        """How far each row's score is above its target."""
        return self.score - self.target

    @property
    def given(self) -> np.ndarray:
        """The probability given to each row's actual class."""
        return np.where(self.target == 1, self.score, 1 - self.score)

    @cached_property
    def tie_starts(self) -> np.ndarray:
        """The first row of each group of equal scores."""
        return np.append(0, np.flatnonzero(np.diff(self.score)) + 1)

    @cached_property
    def ties(self) -> np.ndarray:
        """The number of each row's group of equal scores."""
        sizes = np.diff(self.tie_starts, append=len(self.score))
        return np.repeat(np.arange(len(sizes)), sizes)

    def weights_without(
        self, ties: np.ndarray, codes: np.ndarray, groups: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Give the weights of ties, and of their positive rows, without each cluster in turn.

        `ties` and `codes`: the number of each row's tie, and of its cluster.
        """
        order, positive = np.argsort(codes, kind="stable"), self.class_weights[0]
        whole = np.bincount(ties, self.weight), np.bincount(ties, positive)
        for inside in np.split(order, np.cumsum(np.bincount(codes, minlength=groups))[:-1]):
            own, left = ties[inside], (whole[0].copy(), whole[1].copy())
            for of_ties, of_rows in zip(left, (self.weight, positive), strict=True):
                before = of_ties[own]
                np.subtract.at(of_ties, own, of_rows[inside])
                of_ties[own] *= of_ties[own] > ROUNDING * before
            yield left

    @cached_property
    def tie_weight(self) -> np.ndarray:
        """The weight of each group of equal scores, the riskiest first."""
        return np.bincount(self.ties, self.weight)

    @cached_property
    def tie_positives(self) -> np.ndarray:
        """The positives' weight in each group of equal scores."""
        return np.bincount(self.ties, self.weight * self.target)

    @cached_property
    def tie_negatives(self) -> np.ndarray:
        """The negatives' weight in each group of equal scores."""
        return np.bincount(self.ties, self.weight * self.negative)

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


class Multiclass(Labelled):
    """Rows of a multiclass task, in the order of the predictions table.

    `target` and `predicted` are the classes' places in `classes`; `scores` has a column for
    each class.
    """

    plain_metric = "accuracy"
    usual_metrics = ("log_loss", "accuracy", "balanced_accuracy", "macro_f1")
    usual_of_labels = ("balanced_accuracy", "accuracy", "macro_f1")

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
        self.scored, self._scores = scores is not None, scores

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

    @property
    def given(self) -> np.ndarray:
        """The probability given to each row's actual class."""
        return np.take_along_axis(self.scores, self.target[:, None], axis=1)[:, 0]

    @property
    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray]:
        """The probability of the predicted class, and 1 for the right rows."""
        return self.scores.max(axis=1), (self.target == self.predicted).astype(float)

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
    """Rows of a regression task, the smallest absolute error first; it is the loss."""

    plain_metric = loss_metric = "mae"
    usual_metrics = usual_of_labels = ("rmse", "mae", "r2")

    def __init__(self, target: np.ndarray, predicted: np.ndarray, weight: np.ndarray) -> None:
        super().__init__(weight, np.argsort(np.abs(target - predicted), kind="stable"))
        self.target = target[self.order].astype(float)
        self.predicted = predicted[self.order].astype(float)

    @classmethod
    def of(cls, predictions: pd.DataFrame, context: Context) -> Self:
        """Return the rows of a predictions table."""
        columns = ("target", "prediction", "weight")
        return cls(*(predictions[name].to_numpy(float) for name in columns))

    @property
    def level_and_outcome(self) -> tuple[np.ndarray, np.ndarray]:
        """Predictions and targets."""
        return self.predicted, self.target

    @property
    def losses(self) -> np.ndarray:
        """Each row's absolute error."""
        return self.absolute_errors

    @cached_property
    def absolute_errors(self) -> np.ndarray:
        """Each row's distance from the truth, rising."""
        return np.abs(self.target - self.predicted)

    @cached_property
    def squared_errors(self) -> np.ndarray:
        """Each row's squared distance from the truth, rising."""
        return self.absolute_errors**2

    def error_quantile(self, share: float) -> float:
        """Return the absolute error that a share of the rows doesn't exceed.

        A share that ends between two rows gives their mean: the median of 1 and 3 is 2
        (Hyndman & Fan 1996, definition 2, with weights).
        """
        down = np.cumsum(self.weight)
        goal, slack = share * down[-1], 1e-12 * down[-1]
        reached = np.searchsorted(down, goal - slack, side="left")
        passed = np.searchsorted(down, goal + slack, side="right")
        return float(self.absolute_errors[[reached, passed]].mean())


# The rows of each task.
ROWS: dict[Task, type[Any]] = {
    "binary": Binary,
    "multiclass": Multiclass,
    "regression": Regression,
}


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
