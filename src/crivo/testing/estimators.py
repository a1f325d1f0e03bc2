"""What models and featurizers promise alike: both build an estimator that is fitted and applied."""

from __future__ import annotations

from abc import ABC, abstractmethod
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
class EstimatorPromises(ABC):
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
    def _build(self) -> Any:
        """Return a new, unfitted estimator."""

    @abstractmethod
    def _fit_on(self, features: pd.DataFrame, target: pd.Series) -> Any:
        """Return a new estimator, fitted as the stage does it."""

    @abstractmethod
    def _apply(self, estimator: Any, features: pd.DataFrame) -> pd.DataFrame:
        """Return the answers for a copy of some rows as a table."""

    def _fit(self) -> Any:
        """Return a new estimator, fitted on a copy of the training rows."""
        return self._fit_on(self.features.copy(), self.target.copy())

    @cached_property
    def fitted(self) -> Any:
        return self._fit()

    @cached_property
    def again(self) -> Any:
        return self._fit()

    @cached_property
    def applied(self) -> pd.DataFrame:
        return self._apply(self.fitted, self.unseen)

    def builds_an_unfitted_estimator(self) -> None:
        """`build` returns a new, unfitted estimator of scikit-learn's kind."""
        from sklearn.base import clone

        built = self._build()
        for method in ("fit", self.method):
            promise(hasattr(built, method), f"it returned {built!r}, which has no {method}.")
        try:
            clone(built)
        except Exception as error:  # it isn't of scikit-learn's kind
            promise(False, f"its constructor must keep each parameter as it is: {error}.")
        try:
            getattr(built, self.method)(self.unseen.copy())
        except Exception:  # an unfitted estimator refuses in its own way
            return
        promise(False, f"it can {self.method} already; return an estimator that no row has taught.")

    def answers_each_row(self) -> None:
        """Columns as featurizers give and get them are taken, and each row gets its answer."""
        applied = self.applied
        promise(
            len(applied) == len(self.unseen),
            f"{len(self.unseen)} rows gave {len(applied)} {self.answers}.",
        )
        promise(
            applied.index.equals(self.unseen.index),
            f"the {self.answers} have another index than the rows.",
        )

    def same_seed_same_result(self) -> None:
        """The same seed and the same rows give the same result."""
        change = difference(self.applied, self._apply(self.again, self.unseen))
        promise(
            change is None,
            f"two fits with seed {SEED} disagree ({change}); give `seed` to each random "
            f"part{_unseeded(self.again)}.",
        )

    def leaves_its_inputs_alone(self) -> None:
        """Fitting and what follows change no table."""
        with unchanged(self.features, self.target, doing="fit"):
            fitted = self._fit_on(self.features, self.target)
        with unchanged(self.unseen, doing=self.method):
            getattr(fitted, self.method)(self.unseen)

    def rows_are_independent(self) -> None:
        """A row's answer is its own: the rows that stand beside it don't change it."""
        backwards = self._apply(self.fitted, self.unseen[::-1])[::-1]
        change = difference(self.applied, backwards)
        promise(change is None, f"another order of the rows gave other {self.answers} ({change}).")
        alone = self._apply(self.fitted, self.unseen[:1])
        change = difference(self.applied[:1], alone)
        promise(
            change is None,
            f"a row alone got other {self.answers} than among others ({change}); learn in "
            f"`fit`, from training rows, and not in `{self.method}`.",
        )

    def takes_missing_values(self) -> None:
        """Rows without any value are taken, also where training had one in each row."""
        gaps = self.unseen.mask(np.ones(self.unseen.shape, bool))
        change = difference(self.applied[:0], self._apply(self.fitted, gaps)[:0])
        promise(change is None, f"rows without any value ({change}).")

    def comes_back_from_its_file(self) -> None:
        """What is stored and loaded answers the same."""
        loaded = parse_model(dump_model(self.fitted), "The stored estimator")
        change = difference(self.applied, self._apply(loaded, self.unseen), exact=True)
        promise(change is None, f"after loading, {self.answers} differ ({change}).")

    def same_seed_same_file(self) -> None:
        """The same seed and the same rows give the same file, to the byte."""
        promise(
            dump_model(self._fit()) == dump_model(self._fit()),  # that nobody has used
            f"two fits with seed {SEED} are stored as different files; keep nothing in the "
            "estimator that differs from run to run.",
        )

    def applying_teaches_nothing(self) -> None:
        """Answering leaves the estimator as it was."""
        before = dump_model(self.fitted)
        self._apply(self.fitted, self.unseen)
        promise(
            dump_model(self.fitted) == before,
            f"its file differs after `{self.method}`; change no attribute there.",
        )


def _unseeded(estimator: Any) -> str:
    """Return a hint at the parameters named random_state that are null, or nothing."""
    names = [
        name
        for name, value in estimator.get_params().items()
        if name.rpartition("__")[2] == "random_state" and value is None
    ]
    return f" ({', '.join(names)} is None)" if names else ""
