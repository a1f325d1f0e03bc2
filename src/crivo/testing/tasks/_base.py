"""What a made-up target is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import pandas as pd

from crivo.core.schema import Type
from crivo.core.tasks import Class, Task

KNOWN: dict[Task, type[Example]] = {}


class Example(ABC):
    """A made-up target.

    `name`: that of the task; `type`: of the target's column; `classes`, `positive`: as in a
    schema.
    """

    name: ClassVar[Task]
    type: ClassVar[Type]
    classes: ClassVar[tuple[Class, ...]] = ()
    positive: ClassVar[Class | None] = None

    def __init_subclass__(cls) -> None:
        """Register a class that says which task it is of."""
        if "name" in vars(cls):
            KNOWN[cls.name] = cls

    @staticmethod
    @abstractmethod
    def target(signal: np.ndarray) -> pd.Series | np.ndarray:
        """Return the target of rows of which the features know this much, from about -1 to 5."""
