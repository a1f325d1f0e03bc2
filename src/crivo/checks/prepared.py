"""The tables that the stages wrote, as the data checks read them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from crivo.checks.unreadable import Unreadable
from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.schema import Schema

if TYPE_CHECKING:
    import pandas as pd

# Rows that a costly check looks at: enough for what is blatant, quick on any table.
SAMPLE = 10_000


class Prepared:
    """The prepared rows of each side, and their schema."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._sides: dict[str, pd.DataFrame] = {}

    @property
    def exists(self) -> bool:
        """Whether `prepare` has run; there is nothing to check before."""
        paths = [artifacts.SCHEMA, *map(artifacts.prepared, artifacts.SPLITS)]
        return all((self.root / path).is_file() for path in paths)

    @cached_property
    def schema(self) -> Schema:
        try:
            return artifacts.read_schema(self.root / artifacts.SCHEMA)
        except (CrivoError, TypeError, ValueError) as error:
            raise Unreadable(artifacts.SCHEMA.as_posix(), str(error)) from None

    def side(self, name: str) -> pd.DataFrame:
        """Return the rows of `train`, `valid` or `test`."""
        if name not in self._sides:
            path = artifacts.prepared(name)
            try:
                self._sides[name] = artifacts.read_table(self.root / path)
            except CrivoError as error:
                raise Unreadable(path.as_posix(), str(error)) from None
        return self._sides[name]

    def pairs(self) -> Iterator[tuple[str, pd.DataFrame, str, pd.DataFrame]]:
        """Yield each two sides, the one that should come first first, with their rows."""
        for one, other in combinations(artifacts.SPLITS, 2):
            yield one, self.side(one), other, self.side(other)

    @property
    def features(self) -> list[str]:
        """The columns that may enter a model."""
        return [c.name for c in self.schema.columns if c.role == "feature" or c.also_feature]

    @cached_property
    def sample(self) -> pd.DataFrame:
        """Training rows, at equal steps through all of them."""
        return at_equal_steps(self.side("train"))


def at_equal_steps(rows: pd.DataFrame, size: int = SAMPLE) -> pd.DataFrame:
    """Return at most `size` rows, the same ones every time."""
    step = -(-len(rows) // size) or 1
    return rows.iloc[::step]
