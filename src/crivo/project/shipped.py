"""The settings that a new project comes with; `crivo start` starts from them each time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from crivo.core.params import ValueSettings
from crivo.core.parsing import parse_yaml
from crivo.project.contents import shipped_file

# Whatever an earlier table asked for is undone: its costs and limits, its few trees, its bad rows.
RESET = (
    *("baseline", "evaluator", "prepare", "train", "evaluate.split", "splitters.by_group"),
    *("splitters.by_time_and_group", "splitters.at_random", "featurizers.tabular"),
    *("models.boosting", "models.linear", "evaluators.standard"),
)
# What params.yaml says of the flights there, and a table of one's own doesn't have.
EMPTY: dict[str, Any] = {
    "evaluate.slices": [],
    "evaluate.value": ValueSettings().model_dump(),
    "limits": {},
    "evaluators.standard.primary": None,
    "evaluators.standard.metrics": [],
}
# Dates that cut another table mean nothing here.
BY_TIME = {"splitters.by_time.valid_from": 0.6, "splitters.by_time.test_from": 0.8}


@cache
def shipped() -> dict[str, Any]:
    """Return the values of a new project's params.yaml by their dotted keys, less the flights'."""
    settings = parse_yaml(shipped_file("params.yaml").encode())
    found: dict[str, Any] = {}
    for key in RESET:
        value = settings
        for name in key.split("."):
            value = value[name]
        inner = value.items() if isinstance(value, Mapping) else ()
        found |= {f"{key}.{name}": one for name, one in inner} if inner else {key: value}
    return {key: value for key, value in found.items() if key not in EMPTY}
