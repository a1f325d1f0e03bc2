"""The five interfaces, and how a block is found by its name.

A block is a file that defines one class; the file's name is the block's name. The folder
is the registry: `model: boosting` in `params.yaml` means `src/crivo/models/boosting.py`.
The class's fields are its settings.

Every stage imports the blocks that `params.yaml` mentions, to refuse a wrong setting before
any work. So a block imports a heavy library inside the method that needs it.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, dataclass_transform

from pydantic import AfterValidator, ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as validated

from crivo.core.errors import CrivoError
from crivo.core.schema import Schema, Task
from crivo.core.visible import visible

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from sklearn.base import BaseEstimator

    from crivo.core.evaluation import Context, Evaluation

PACKAGE = Path(__file__).resolve().parents[1]


def _not_tiny(value: float) -> float:
    if 0 < value < SMALLEST:
        raise ValueError(f"should be {SMALLEST:g} or more")
    return value


# YAML gives a date for 2013-09-01 and text for "2013-09-01"; both mean the day.
Day = Annotated[date, Field(strict=False)]
# A list in YAML is a tuple in a block: a block never changes.
Names = Annotated[tuple[str, ...], Field(strict=False)]
# A number of rows, trees or steps: what the libraries' 32 bits hold.
Count = Annotated[int, Field(gt=0, lt=2**31)]
# As many or none.
CountOrNone = Annotated[int, Field(ge=0, lt=2**31)]
# Rates and penalties: what the libraries' floats of 32 bits hold without becoming 0 or infinite.
SMALLEST, GREATEST = 1e-37, 1e38
Positive = Annotated[float, Field(gt=0, le=GREATEST), AfterValidator(_not_tiny)]
PositiveOrZero = Annotated[float, Field(ge=0, le=GREATEST), AfterValidator(_not_tiny)]

T = TypeVar("T", bound=type)

# A setting may be a list of thousands.
LONGEST_VALUE = 200


@dataclass_transform(kw_only_default=True, frozen_default=True)
def block(cls: T) -> T:
    """Make a class a block: its annotated fields become typed, read-only settings.

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


class Dataset(ABC):
    """Reads raw files and says what their columns are."""

    @abstractmethod
    def load(self, folder: Path) -> pd.DataFrame:
        """Return the raw rows, one per example, with a column that names each row.

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


class Splitter(ABC):
    """Deals the rows out to training, validation and test."""

    @abstractmethod
    def split(self, rows: pd.DataFrame, schema: Schema) -> pd.Series:
        """Return `train`, `valid` or `test` for each row, in the order and index of `rows`."""


class Featurizer(ABC):
    """Turns the rows' feature columns into model inputs."""

    @abstractmethod
    def build(self, schema: Schema, seed: int) -> BaseEstimator:
        """Return an unfitted scikit-learn transformer of a DataFrame of `schema.features`.

        It gives a DataFrame of numbers and pandas categories, a row per row. It is fitted on
        training rows only, and must take unseen categories and missing values afterwards.
        """


@dataclass(frozen=True)
class Training:
    """What a fit may know beyond features and target.

    `watch` marks the training rows set aside to stop early, cut by time or group, so that
    validation rows never enter a fit; `log` takes the metrics of one iteration.
    """

    watch: np.ndarray
    log: Callable[[Mapping[str, float]], None]


class Model(ABC):
    """Builds an estimator; scikit-learn's estimator interface is the model interface."""

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


class Evaluator(ABC):
    """Judges a predictions table; it never sees a model."""

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


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a setting: the key, and what is wrong and allowed."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}"


@dataclass
class Problems(CrivoError):
    """Everything wrong with the settings, one sentence each."""

    found: list[Problem] = field(default_factory=list)

    def __str__(self) -> str:
        return visible("\n".join(f"params.yaml: {problem}" for problem in self.found))


def block_names(kind: str) -> list[str]:
    """Return the names of all blocks of a kind: the files of its folder.

    >>> "prior" in block_names("model")
    True
    """
    folder = PACKAGE / KINDS[kind][0]
    return sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))


def find_block(kind: str, name: str) -> type[Any]:
    """Return the class that the block's file defines.

    CrivoError: there is no such file, or it doesn't define exactly one block of the kind.
    """
    folder, interface = KINDS[kind]
    names = block_names(kind)
    if name not in names:
        raise CrivoError(
            f"{name!r} is no {kind}{did_you_mean(name, names)}. There are: {', '.join(names)}; "
            f"a new one is a file src/crivo/{folder}/NAME.py."
        )
    module = importlib.import_module(f"crivo.{folder}.{name}")
    found = [
        cls
        for _, cls in inspect.getmembers(module, inspect.isclass)
        if issubclass(cls, interface) and cls.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise CrivoError(
            f"src/crivo/{folder}/{name}.py defines {len(found)} classes derived from "
            f"{interface.__name__}; a block file defines exactly one."
        )
    return found[0]


def make_block(kind: str, name: str, settings: Mapping[str, Any] | None) -> Any:
    """Return the block with its settings; Problems when a setting is wrong."""
    cls = find_block(kind, name)
    section = f"{KINDS[kind][0]}.{name}"
    if settings is None:
        settings = {}
    if not isinstance(settings, Mapping):
        raise Problems(
            [Problem(section, f"is {shown(settings)}; expected settings, or {{}} for none")]
        )
    try:
        return cls(**settings)
    except ValidationError as error:
        known = [f.name for f in fields(cls)]
        raise Problems(explain(error, section, known)) from None
    except TypeError as error:  # a key that isn't a name
        raise Problems([Problem(section, str(error))]) from None


def shown(value: Any) -> str:
    """Return a setting's value for a sentence; a long one is cut.

    >>> shown("a" * 500)[-3:]
    'aa…'
    """
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def did_you_mean(name: str, known: list[str]) -> str:
    """Return "; did you mean `x`?" for the nearest known name, or nothing."""
    near = difflib.get_close_matches(str(name), known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""


def explain(error: ValidationError, section: str, known: list[str]) -> list[Problem]:
    """Return a sentence for each of pydantic's findings: the key, its value, what is allowed."""
    problems = []
    for finding in error.errors():
        path = [str(part) for part in finding["loc"]]
        key = ".".join([section, *path] if section else path)
        if finding["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
            allowed = ", ".join(known) if known else "none"
            hint = did_you_mean(path[-1], known) if len(path) == 1 else ""
            problems.append(Problem(key, f"unknown setting{hint} (settings here: {allowed})"))
        elif finding["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
            problems.append(Problem(key, "this setting is missing; give it a value"))
        else:
            message = finding["msg"].removeprefix("Input ").removeprefix("Value error, ")
            problems.append(Problem(key, f"is {shown(finding['input'])}, but it {message}"))
    return problems
