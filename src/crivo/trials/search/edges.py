"""Whether the best settings lie at the edge of what was searched, so that more may lie beyond."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from crivo.core.errors import CrivoError
from crivo.core.params import check_params
from crivo.core.results import result
from crivo.trials.search.dimensions import Dimension, Numbers
from crivo.trials.search.space import Space


@result
class SearchEdge:
    """A setting of the best trial that lies at an end of the searched range."""

    key: str
    """The setting."""
    value: Any
    """Its value."""
    end: Literal["lower", "upper"]
    """The end at which it lies."""
    searched: str
    """The range that was searched."""

    def __str__(self) -> str:
        """What a reader should do."""
        what = "range" if "(" in self.searched else "values"
        return (
            f"{self.key}={self.value} lies at the {self.end} end of the {what} "
            f"{self.searched}; better settings may lie beyond it."
        )


def at_edge(space: Space, values: Mapping[str, Any]) -> list[SearchEdge]:
    """Return those values of a point that lie at an end which the setting allows to move."""
    edges = []
    for key, value in values.items():
        dimension = space.dimensions.get(key)
        end = dimension.edge(value) if dimension else None
        if dimension and end and _goes_on(space, values, key, dimension, end):
            edges.append(SearchEdge(key, value, end, str(dimension)))
    return edges


def _goes_on(
    space: Space, values: Mapping[str, Any], key: str, dimension: Dimension, end: str
) -> bool:
    """Whether the setting allows a number beyond the end."""
    low, high = min(dimension.ends()), max(dimension.ends())
    if isinstance(dimension, Numbers) and dimension.logarithmic:
        beyond = low / 2 if end == "lower" else high * 2
    else:
        reach = max((high - low) / 10, 1 if isinstance(low, int) else 0)
        beyond = low - reach if end == "lower" else high + reach
    if all(isinstance(one, int) for one in (low, high)):
        beyond = int(beyond)
    try:
        check_params(space.settings({**values, key: beyond}))
    except CrivoError:
        return False
    return True
