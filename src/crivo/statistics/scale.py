"""The scale of a metric: its direction, its best value and its bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf, isfinite
from typing import Any, Literal

Direction = Literal["higher", "lower", "nearest"]


@dataclass(frozen=True)
class Scale:
    """What the values of a metric mean: all that a comparison of recorded values needs.

    `direction` says which value is better; `nearest` means the one nearest to `best`.
    `bounds` hold the least and the greatest value. A metric without `interval` is shown and
    has no verdict. `definition`: the version of its code, or the hash of its file.
    """

    name: str
    direction: Direction
    bounds: tuple[float, float] = (-inf, inf)
    best: float | None = None
    interval: bool = True
    definition: str = ""
    description: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return what a record says of the metric; a bound that is infinite is none."""
        facts = {part.name: getattr(self, part.name) for part in fields(Scale)}
        bounds = [float(end) if isfinite(end) else None for end in self.bounds]
        return {key: value for key, value in facts.items() if key != "name"} | {"bounds": bounds}

    @classmethod
    def of(cls, name: str, facts: Mapping[str, Any]) -> Scale:
        """Return the metric that a record tells of."""
        low, high = facts["bounds"]
        bounds = -inf if low is None else low, inf if high is None else high
        return cls(**{**facts, "name": name, "bounds": bounds})
