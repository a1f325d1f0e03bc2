"""What models and featurizers promise alike: both build an estimator that is fitted and applied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from crivo.modelfile.canonical import dump_model, parse_model
from crivo.testing.contract import promise
from crivo.testing.tables import difference, unchanged

SEED = 7


@dataclass
class EstimatorCase(ABC):
    """A block that builds an estimator, training rows, and rows that it has never seen.

    `method` is what the estimator is asked for; `answers` are what that gives.
    """

    block: Any
    features: pd.DataFrame
    target: pd.Series
    unseen: pd.DataFrame

    method: ClassVar[str]
    answers: ClassVar[str]

    @abstractmethod
    def build(self) -> Any:
        """Return a new, unfitted estimator."""

    @abstractmethod
    def fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new estimator, fitted as the stage does it."""

    @abstractmethod
    def apply(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the answers for a copy of some rows as a table."""

    def fit(self) -> Any:
        """Return a new estimator, fitted on a copy of the training rows."""
        return self.fit_on(self.features.copy(), self.target.copy())

    @cached_property
    def fitted(self) -> Any:
        return self.fit()

    @cached_property
    def again(self) -> Any:
        return self.fit()

    @cached_property
    def applied(self) -> pd.DataFrame:
        return self.apply(self.fitted, self.unseen)


def builds_an_unfitted_estimator(case: EstimatorCase) -> None:
    """`build` returns a new, unfitted estimator of scikit-learn's kind."""
    from sklearn.base import clone

    built = case.build()
    for method in ("fit", case.method):
        promise(hasattr(built, method), f"it returned {built!r}, which has no {method}.")
    try:
        clone(built)
    except Exception as error:  # it isn't of scikit-learn's kind
        promise(False, f"its constructor must keep each parameter as it is: {error}.")
    try:
        getattr(built, case.method)(case.unseen.copy())
    except Exception:  # an unfitted estimator refuses in its own way
        return
    promise(False, f"it can {case.method} already; return an estimator that no row has taught.")


def answers_each_row(case: EstimatorCase) -> None:
    """Columns as featurizers give and get them are taken, and each row gets its answer."""
    applied = case.applied
    promise(
        len(applied) == len(case.unseen),
        f"{len(case.unseen)} rows gave {len(applied)} {case.answers}.",
    )
    promise(
        applied.index.equals(case.unseen.index),
        f"the {case.answers} have another index than the rows.",
    )


def same_seed_same_result(case: EstimatorCase) -> None:
    """The same seed and the same rows give the same result."""
    change = difference(case.applied, case.apply(case.again, case.unseen))
    promise(
        change is None,
        f"two fits with seed {SEED} disagree ({change}); give `seed` to each random part"
        f"{_unseeded(case.again)}.",
    )


def leaves_its_inputs_alone(case: EstimatorCase) -> None:
    """Fitting and what follows change no table."""
    with unchanged(case.features, case.target, doing="fit"):
        fitted = case.fit_on(case.features, case.target)
    with unchanged(case.unseen, doing=case.method):
        getattr(fitted, case.method)(case.unseen)


def rows_are_independent(case: EstimatorCase) -> None:
    """A row's answer is its own: the rows that stand beside it don't change it."""
    backwards = case.apply(case.fitted, case.unseen[::-1])[::-1]
    change = difference(case.applied, backwards)
    promise(change is None, f"another order of the rows gave other {case.answers} ({change}).")
    alone = case.apply(case.fitted, case.unseen[:1])
    change = difference(case.applied[:1], alone)
    promise(
        change is None,
        f"a row alone got other {case.answers} than among others ({change}); learn in `fit`, "
        f"from training rows, and not in `{case.method}`.",
    )


def takes_missing_values(case: EstimatorCase) -> None:
    """Rows without any value are taken, also where training had one in each row."""
    gaps = case.unseen.mask(np.ones(case.unseen.shape, bool))
    change = difference(case.applied[:0], case.apply(case.fitted, gaps)[:0])
    promise(change is None, f"rows without any value: {change}.")


def comes_back_from_its_file(case: EstimatorCase) -> None:
    """What is stored and loaded answers the same."""
    loaded = parse_model(dump_model(case.fitted), "The stored estimator")
    change = difference(case.applied, case.apply(loaded, case.unseen), exact=True)
    promise(change is None, f"after loading, {case.answers} differ ({change}).")


def same_seed_same_file(case: EstimatorCase) -> None:
    """The same seed and the same rows give the same file, to the byte."""
    promise(
        dump_model(case.fit()) == dump_model(case.fit()),  # that nobody has used
        f"two fits with seed {SEED} are stored as different files; keep nothing in the estimator "
        "that differs from run to run.",
    )


def applying_teaches_nothing(case: EstimatorCase) -> None:
    """Answering leaves the estimator as it was."""
    before = dump_model(case.fitted)
    case.apply(case.fitted, case.unseen)
    promise(
        dump_model(case.fitted) == before,
        f"its file differs after `{case.method}`; change no attribute there.",
    )


ESTIMATOR_CHECKS: Sequence[Callable[[Any], None]] = (
    builds_an_unfitted_estimator,
    answers_each_row,
    same_seed_same_result,
    leaves_its_inputs_alone,
    rows_are_independent,
    takes_missing_values,
    comes_back_from_its_file,
    same_seed_same_file,
    applying_teaches_nothing,
)


def _unseeded(estimator: Any) -> str:
    """Return a hint at the parameters named random_state that are null, or nothing."""
    names = [
        name
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return f" ({', '.join(names)} is None)" if names else ""
