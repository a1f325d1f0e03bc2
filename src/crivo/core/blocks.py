"""The five interfaces of blocks: Dataset, Splitter, Featurizer, Model and Evaluator.

A block is a file that defines one class; the file's name is the block's name
(`crivo.core.registry` finds it). The class's fields are its settings.

Every stage imports the blocks that `params.yaml` mentions, to refuse a wrong setting before
any work. So a block imports a heavy library inside the method that needs it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as validated

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Task

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from sklearn.base import BaseEstimator


# YAML gives a date for 2013-09-01 and text for "2013-09-01"; both mean the day.
Day = Annotated[date, Field(strict=False)]
# A list in YAML is a tuple in a block: a block never changes.
Names = Annotated[tuple[str, ...], Field(strict=False)]
# A number of rows, trees or steps: what the libraries' 32 bits hold.
Count = Annotated[int, Field(gt=0, lt=2**31)]
# As many or none.
CountOrNone = Annotated[int, Field(ge=0, lt=2**31)]
# Rates and penalties: what the libraries' floats of 32 bits hold without becoming infinite.
Positive = Annotated[float, Field(gt=0, le=1e38)]
PositiveOrZero = Annotated[float, Field(ge=0, le=1e38)]

T = TypeVar("T", bound=type)


@dataclass_transform(kw_only_default=True, frozen_default=True)
def block(cls: T) -> T:
    """Make a class a block: each annotated field becomes a typed, read-only setting.

    >>> from pydantic import PositiveFloat
    >>> @block
    ... class Slow(Model):
    ...     learning_rate: PositiveFloat = 0.1
    ...     def build(self, task, seed): ...
    >>> Slow(learning_rate=0.5)
    Slow(learning_rate=0.5)
    """
    config = ConfigDict(extra="forbid", strict=True, validate_default=True)
    return validated(cls, config=config, frozen=True, kw_only=True)  # type: ignore[return-value]


@dataclass(frozen=True)
class RawContext:
    """What a dataset may use to turn raw rows into rows with the model's features.

    `schema` is the schema that the model was fitted with. `folder` contains the other raw files
    that the dataset needs, such as a table of shops: the files that were stored with the model
    (`kept`), or files with the same names that came with the new rows.
    """

    schema: Schema
    folder: Path


class Dataset(ABC):
    """Reads raw files and describes their columns.

    `load` and `schema` are required. To score raw rows with `crivo predict`, a dataset also needs
    `raw_columns`, `read_raw` and `rows_from_raw`. If these methods need raw files, `kept` lists the
    files, and `crivo export` writes them into its file together with the model.
    """

    kept: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def load(self, folder: Path) -> pd.DataFrame:
        """Return the rows, one per example, with a column that names each row.

        `folder` holds the raw files and must not be changed. Nothing is dropped here: rows
        that can't be used are named by `unusable` or refused by the schema.
        """

    @abstractmethod
    def schema(self, rows: pd.DataFrame) -> Schema:
        """Return what the columns of `rows` are and what a valid row is."""

    def unusable(self, rows: pd.DataFrame) -> pd.Series:
        """Return, for each row, the reason why it can't be used, or a missing value.

        For reasons that need knowledge of the data; what the schema can say, it says.
        """
        import pandas as pd

        return pd.Series(pd.NA, index=rows.index, dtype="str")

    def raw_columns(self, schema: Schema) -> tuple[str, ...]:
        """Return the columns that a new raw row must have, all known at its prediction time.

        None are named by a dataset that doesn't say how a raw row becomes a row.
        """
        return ()

    def read_raw(self, path: Path) -> pd.DataFrame:
        """Return the raw rows of the folder of raw files, or those of one file in their form."""
        raise NotImplementedError

    def rows_from_raw(self, raw: pd.DataFrame, context: RawContext) -> pd.DataFrame:
        """Return a row for each raw row, in its index, with the features that `load` gives it.

        Columns other than `raw_columns` may be missing, and change nothing.
        """
        raise NotImplementedError


class Splitter(ABC):
    """Divides the rows into training, validation and test rows.

    `needs` lists the columns that the block uses by name. If the splitter leaves rows out,
    `sets_aside` says why.
    """

    sets_aside: ClassVar[str | None] = None
    needs: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row, in the order and index of `rows`.

        Missing for a row to set aside, where the class says why there are such.
        """

    def folds(self, count: int, first_time: Callable[[], Any]) -> dict[str, dict[str, Any]]:
        """Return the folds of `crivo repeat --folds`: by title, the settings that a fold changes.

        Every row but the test rows is a validation row of at most one fold; rows that are only
        used for training are in none. Without this method, the settings decide: `valid_from` and
        `test_from` are moved through time, and `fold` is counted if there are also `valid` and
        `test`; other splitters have no folds (`{}`).
        `first_time` gives the first time of the training rows. CrivoError: there are too few rows.
        """
        from crivo.core.folds import folds_of

        return folds_of(self, count, first_time)


class Featurizer(ABC):
    """Turns the feature columns of the rows into model inputs.

    `needs` lists the columns that the block uses by name.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def build(self, schema: Schema, seed: int) -> BaseEstimator:
        """Return an unfitted scikit-learn transformer of a DataFrame of `schema.features`.

        It gives a DataFrame of numbers and pandas categories, a row per row; columns of text (of
        the type `str`) are for models that take them. It is fitted on training rows only, and must
        take unseen categories and missing values afterwards.
        """


@dataclass(frozen=True)
class Training:
    """What a model's `fit` may use besides features and target.

    `stopping_mask` is true for the training rows that are reserved for early stopping, chosen by
    time or by group. Early stopping uses these rows instead of validation rows, which must not be
    used for fitting. `fit_mask(estimator, target)` is true for the rows to fit on: all other
    training rows and, for a classifier, the rows of classes that would otherwise be missing. `log`
    records the metrics of one iteration.
    """

    stopping_mask: np.ndarray
    log: Callable[[Mapping[str, float]], None]

    @property
    def threads(self) -> int:
        """How many threads the fit may use."""
        from crivo.core.threads import fit_threads

        return fit_threads()

    def fit_mask(self, estimator: Any, target: pd.Series) -> np.ndarray:
        """Return a mask of the rows to fit on; by the others the fit stops early.

        A classifier is taught watched rows of a class that nothing else would teach. CrivoError:
        no row is left to watch.
        """
        import numpy as np
        from sklearn.base import is_classifier

        labels, watched = np.asarray(target), self.stopping_mask
        if is_classifier(estimator):
            watched = watched & np.isin(labels, np.unique(labels[~watched]))
        if not watched.any() or watched.all():
            raise CrivoError(
                f"Early stopping needs rows to watch and rows to fit on, but {int(watched.sum())} "
                f"of {len(watched)} training rows would be watched; change "
                "train.early_stopping_fraction, or set the model's early_stopping to 0."
            )
        return ~watched


class Model(ABC):
    """Builds an estimator with scikit-learn's interface.

    `takes_text` says whether the estimator accepts columns of text. `smallest_target` is the
    smallest value of the target that the estimator can be fitted on, such as 0 for counts.
    """

    takes_text: ClassVar[bool] = False
    smallest_target: ClassVar[float | None] = None

    @abstractmethod
    def build(self, task: Task, seed: int) -> BaseEstimator:
        """Return an unfitted scikit-learn compatible classifier or regressor."""

    def fit(
        self,
        estimator: BaseEstimator,
        features: pd.DataFrame,
        target: pd.Series,
        training: Training,
    ) -> BaseEstimator:
        """Fit on the training rows and return the estimator; override to stop early."""
        return estimator.fit(features, target)


@dataclass(frozen=True)
class Context:
    """What an evaluator may use besides the table of predictions.

    `classes` lists the classes in the order of the score columns. In a binary task, `score` is the
    probability of the class `positive`. `baseline` is the baseline's table of predictions, for the
    same rows in the same order.
    """

    task: Task
    classes: tuple[bool | int | float | str, ...] = ()
    positive: bool | int | float | str | None = None
    baseline: pd.DataFrame | None = None
    seed: int = 0

    @classmethod
    def of(cls, schema: Schema, baseline: pd.DataFrame | None = None, seed: int = 0) -> Context:
        """Return the context that a dataset's schema sets."""
        return cls(schema.task, schema.classes, schema.positive, baseline, seed)


@dataclass(frozen=True)
class Evaluation:
    """The result of an evaluation.

    - `metrics` and `baseline` have one row per metric (the index) and the columns `value`, `se`,
      `low` and `high`.
    - `against_baseline` has one row per metric and the columns `difference`, `se`, `low`, `high`
      and `verdict`.
    - `jackknife` contains all that a comparison needs. It has one row for each cluster that was
      left out (the index). Each metric has a column, and so has each metric of the baseline
      (`baseline.<metric>`).
    - `warnings` are sentences to show beside the numbers.
    - `definition` is the fingerprint of the metric functions and their settings.
    - `margin` is the largest difference in the primary metric that doesn't matter.
    - `effective_clusters` is the number of equal clusters that would carry as much information as
      the clusters of the jackknife. If it isn't given, all clusters count as equal.
    - `evaluated` contains the evaluated rows, from which slices and curves are computed.
    """

    metrics: pd.DataFrame
    baseline: pd.DataFrame
    against_baseline: pd.DataFrame
    jackknife: pd.DataFrame
    primary: str
    definition: str
    warnings: tuple[str, ...] = ()
    margin: float = 0.0
    effective_clusters: float | None = None
    evaluated: Any = None


class Evaluator(ABC):
    """Computes the metrics of a table of predictions; it never sees a model."""

    @abstractmethod
    def evaluate(self, predictions: pd.DataFrame, context: Context) -> Evaluation:
        """Return metrics with intervals, and what explains them."""


# kind -> (folder, interface)
KINDS: dict[str, tuple[str, type]] = {
    "dataset": ("datasets", Dataset),
    "splitter": ("splitters", Splitter),
    "featurizer": ("featurizers", Featurizer),
    "model": ("models", Model),
    "baseline": ("models", Model),
    "evaluator": ("evaluators", Evaluator),
}
