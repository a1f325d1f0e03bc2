"""Metrics of multiclass tasks."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from crivo.evaluation.metrics import binary, metric
from crivo.evaluation.rows import Multiclass
from crivo.statistics.jackknife import NotDefined, Ratio, Statistic


@metric(task="multiclass", direction="higher", bounds=(0, 1), version=1)
def accuracy(rows: Multiclass) -> Ratio:
    """The share of rows whose predicted class is right."""
    return rows.ratio(rows.target == rows.predicted)


@metric(task="multiclass", direction="higher", bounds=(0, 1), version=1)
def balanced_accuracy(rows: Multiclass) -> float:
    """The share of rows predicted correctly in each class that occurs, averaged over these classes.

    Always predicting one of K classes gives 1/K (Brodersen et al. 2010).
    """
    happened = rows.confusion.sum(axis=1)
    occurs = happened > 0
    return float((rows.confusion.diagonal()[occurs] / happened[occurs]).mean())


@metric(task="multiclass", direction="higher", bounds=(0, 1), version=1)
def macro_f1(rows: Multiclass) -> float:
    """The F1 of each class that occurs or is predicted, averaged over these classes.

    The mean of the F1 values, not the F1 of the means (Opitz & Burst 2019).
    """
    both = rows.confusion.sum(axis=0) + rows.confusion.sum(axis=1)
    occurs = both > 0
    return float((2 * rows.confusion.diagonal()[occurs] / both[occurs]).mean())


@metric(task="multiclass", direction="lower", bounds=(0, inf), version=1)
def log_loss(rows: Multiclass) -> Ratio:
    """The mean of −log of the probability given to the actual class (Good 1952)."""
    return rows.ratio(rows.log_losses)


@dataclass(frozen=True, eq=False)
class MeanConcordance(Statistic):
    """The ROC AUC of each class against all others, averaged over the classes."""

    rows: Multiclass

    def __float__(self) -> float:
        """Return the mean."""
        tasks = self.rows.one_against_rest
        return float(np.mean([float(binary.roc_auc(task)) for task in tasks]))

    def without(self, codes: np.ndarray, groups: int) -> np.ndarray:
        """Return the mean without each cluster."""
        tasks = self.rows.one_against_rest
        found = [binary.roc_auc(task).without(codes[task.order], groups) for task in tasks]
        return np.asarray(np.mean(found, axis=0))


@metric(task="multiclass", direction="higher", bounds=(0, 1), version=1)
def roc_auc_ovr(rows: Multiclass) -> MeanConcordance:
    """The ROC AUC of each class against all others, averaged over the classes.

    Not defined unless every class occurs (Provost & Domingos 2000).
    """
    missing = np.flatnonzero(rows.confusion.sum(axis=1) == 0)
    if len(missing):
        raise NotDefined(f"no row is of class {rows.classes[missing[0]]!r}")
    return MeanConcordance(rows)
