"""The interface of a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Class = bool | int | float | str

KNOWN: dict[str, type[TaskType]] = {}

SCORE = "score"


@dataclass(frozen=True)
class TaskType(ABC):
    """A task, with the classes of a target in the order of its scores.

    `name`: what settings call it; `has_classes`: the target is one of some classes, else a
    number; `has_positive`: one class is of interest, so that a threshold decides which rows are
    acted on; `max_classes`: how many there may be.
    """

    classes: tuple[Class, ...] = ()
    positive: Class | None = None

    name: ClassVar[str]
    has_classes: ClassVar[bool] = True
    has_positive: ClassVar[bool] = False
    max_classes: ClassVar[float] = float("inf")

    def __init_subclass__(cls) -> None:
        """Register a class that has a name of its own."""
        if "name" in vars(cls):
            KNOWN[cls.name] = cls

    def check(self) -> None:
        """Raise ValueError, which says why, when the classes aren't those of such a task."""
        return

    @property
    @abstractmethod
    def score_columns(self) -> tuple[str, ...]:
        """The columns of a predictions table that hold probabilities."""

    @abstractmethod
    def to_columns(self, scores: np.ndarray) -> dict[str, np.ndarray]:
        """Return the score columns, from the probabilities of all classes in their order."""

    @abstractmethod
    def from_columns(self, table: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of all classes in their order, from the score columns."""

    @abstractmethod
    def decide(self, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
        """Return the class that each row's probabilities speak for.

        `threshold`: from which probability on the positive class is predicted, if there is one.
        """

    @abstractmethod
    def numbers(self, target: pd.Series) -> pd.Series | None:
        """Return targets as numbers whose mean says something; None when there are none."""

    @classmethod
    def recognises(cls, columns: Iterable[Any]) -> bool:
        """Return whether a table with such columns can be nothing but predictions of this task."""
        return False

    @classmethod
    def classes_named(cls, columns: Iterable[Any]) -> list[str]:
        """Return the classes that the names of score columns tell."""
        return []
