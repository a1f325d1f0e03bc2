"""What the user says of a file, and what follows for the settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crivo.core.params import ValueSettings
from crivo.core.schema import Schema, Task
from crivo.core.tasks import task_of

# Two hundred trees learn a small table by heart: stop after so many without a gain, where a
# tenth of the training rows is enough to see one, and after fifty anyway where it isn't.
EARLY, ENOUGH_FOR_EARLY_STOPPING, FEW_TREES = 20, 500, 50
# Below these a random split is cut just at its shares, and rare classes can't be judged.
FEW_ROWS, FEW_OF_A_CLASS, RARE = 1_000, 100, 10
# Dates that cut another table mean nothing here.
BY_TIME = {"valid_from": 0.6, "test_from": 0.8}


@dataclass(frozen=True)
class Request:
    """The options of `crivo init`; what is left out is found out."""

    target: str
    task: Task | None = None
    positive: str | None = None
    id: tuple[str, ...] = ()
    time: str | None = None
    group: str | None = None
    weight: str | None = None
    outcome: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()

    def table(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of `datasets.table`: how to read stays as it was, roles are new."""
        reading = ("types", "missing", "delimiter", "encoding", "decimal", "day_first", "header")
        settings = {name: known[name] for name in reading if known.get(name) is not None}
        return settings | {
            "target": self.target,
            "task": self.task,
            "positive": self.positive,
            "id": list(self.id),
            "time": self.time,
            "group": self.group,
            "weight": self.weight,
            "outcome": list(self.outcome),
            "info": [],
            "drop": list(self.drop),
            "min_class_rows": 1,
        }

    @property
    def splitter(self) -> str:
        """The name of the splitter that suits the roles."""
        return "by_time" if self.time else "by_group" if self.group else "at_random"


def splitter_settings(splitter: str, schema: Schema, rows: int, rarest: int) -> dict[str, Any]:
    """Return the settings of the splitter: shares, and an exact cut where rows are few."""
    if splitter == "by_time":
        return dict(BY_TIME)
    shares: dict[str, Any] = {"valid": 0.2, "test": 0.2, "seed": 0}
    if splitter == "at_random":
        few = task_of(schema).has_classes and rarest < FEW_OF_A_CLASS
        shares["exact"] = rows < FEW_ROWS or few
    return shares


def pipeline_settings(
    request: Request, table: Mapping[str, Any], splitter: Mapping[str, Any], training_rows: int
) -> dict[str, Any]:
    """Return every setting that changes, by its dotted key; so many rows are for training.

    What was set for another table's columns, costs and limits is undone.
    """
    chosen: dict[str, Any] = {
        "dataset": "table",
        "splitter": request.splitter,
        "featurizer": "tabular",
        "model": "boosting",
        "evaluate.split": "valid",
        "evaluate.cluster": request.group,
        "evaluate.block": 1,
        "evaluate.slices": [],
        "evaluate.value": ValueSettings().model_dump(),
        "limits": {},
        **boosting_settings(training_rows),
        "evaluators.standard.primary": None,
        "evaluators.standard.metrics": [],
    }
    chosen |= {f"datasets.table.{name}": value for name, value in table.items()}
    chosen |= {f"splitters.by_time.{name}": value for name, value in BY_TIME.items()}
    return chosen | {f"splitters.{request.splitter}.{k}": v for k, v in splitter.items()}


def boosting_settings(training_rows: int) -> dict[str, int]:
    """Return when boosting stops, for so many training rows."""
    if training_rows < ENOUGH_FOR_EARLY_STOPPING:
        return {"models.boosting.max_iter": FEW_TREES, "models.boosting.early_stopping": 0}
    return {"models.boosting.early_stopping": EARLY}


def raised_limit(limit: float, bad: int, rows: int) -> float:
    """Return a quarantine limit that lets the bad rows pass: the old one, or the next percent.

    >>> raised_limit(0.05, bad=2, rows=100), raised_limit(0.05, bad=62, rows=1000)
    (0.05, 0.07)
    """
    share = bad / rows
    return limit if share <= limit else math.ceil(share * 100) / 100
