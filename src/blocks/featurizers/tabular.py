"""Model inputs from any table, by the types that its schema gives the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from crivo import Count, Featurizer, Schema, block

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


@block
class Tabular(Featurizer):
    """Keeps numbers, booleans and categories; turns dates and text into numbers.

    `max_levels`: if a column has more categories, each is replaced by its frequency and by numbers
    from the pieces of its name; `components`: how many numbers replace a text or such a name;
    `keep_text`: text stays text, for a model that weights its words (linear, sklearn).
    """

    max_levels: Annotated[int, Field(ge=2, le=250)] = 100
    components: Count = 20
    keep_text: bool = False

    def build(self, schema: Schema, seed: int) -> BaseEstimator:
        """Return a transformer that encodes the schema's features by their types."""
        from crivo import TableEncoder

        columns = [schema.column(name) for name in schema.features]
        named: dict[str, list[str]] = {}
        for column in columns:
            named.setdefault(column.type, []).append(column.name)
        return TableEncoder(
            numbers=named.get("number", []) + named.get("boolean", []),
            categories=named.get("category", []),
            dates=named.get("date", []),
            texts=named.get("text", []),
            max_levels=self.max_levels,
            components=self.components,
            keep_text=self.keep_text,
            seed=seed,
        )
