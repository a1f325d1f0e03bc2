"""Model inputs from flights: features that were known an hour before departure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crivo import Featurizer, Schema, block

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

GROUPS = {
    "weather": ("weather_",),
    "plane": ("plane_",),
    "history": ("history_", "recent_"),
}


@block
class Flights(Featurizer):
    """Features of the schedule and, if switched on, of the weather, the plane and the history.

    `history` covers the 28 days up to yesterday and the delays of flights that have already left.
    """

    weather: bool = True
    plane: bool = True
    history: bool = True

    def build(self, schema: Schema, seed: int) -> BaseEstimator:
        """Return a transformer that keeps the columns of the groups that are switched on."""
        from crivo import TypedColumns

        off = tuple(p for group, ps in GROUPS.items() if not getattr(self, group) for p in ps)
        used = [schema.column(name) for name in schema.features if not name.startswith(off)]
        return TypedColumns(
            numbers=[column.name for column in used if column.type == "number"],
            categories=[column.name for column in used if column.type == "category"],
        )
