"""Inputs have the same types and levels whatever rows come; a missing column is named."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.featurization.row_checks import SplitRows
from crivo.featurization.typed import TypedColumns, level_counts
from crivo.run import Run
from crivo.testing.fakes import example_rows, example_schema

ROWS = pd.DataFrame({"size": [1, 2, None, 4], "kind": ["b", "a", "b", None]})


def test_only_the_most_frequent_levels_are_kept() -> None:
    fitted = TypedColumns(["size"], ["kind"], max_levels=1).fit(ROWS)
    assert (fitted.levels_, fitted.n_features_in_) == ([["b"]], 2)
    many = pd.DataFrame({"kind": [f"k{i}" for i in range(201)]})
    assert len(TypedColumns(categories=["kind"]).fit(many).levels_[0]) == 200


@pytest.mark.parametrize("texts", [["b", None, "a", "b"], [None, None], []])
def test_a_category_has_the_levels_of_its_texts(texts: list[str | None]) -> None:
    values = pd.Series(texts, dtype="str")
    category = values.astype(pd.CategoricalDtype(["unused", "a", "b"]))
    pd.testing.assert_series_equal(as_text(values), as_text(category))
    pd.testing.assert_series_equal(level_counts(values), level_counts(category))


class AsksFor(TransformerMixin, BaseEstimator):
    """Uses a column by its name."""

    def fit(self, rows: pd.DataFrame, target: Any = None) -> "AsksFor":
        """Use it alone."""
        self.known_ = rows["amounts"]
        return self


class Made(Run):
    """A run of the made-up rows with this featurizer."""

    schema = example_schema()

    def block(self, kind: str) -> Any:
        """Return a block that makes the transformer."""
        return SimpleNamespace(build=lambda schema, seed: AsksFor())


def test_a_column_that_is_gone_is_said_with_those_that_are_there() -> None:
    run = Made(SimpleNamespace(seed=0), "featurize", lambda step: None)  # type: ignore[arg-type]
    rows = SplitRows(run.schema, lambda split: example_rows())
    with pytest.raises(CrivoError, match="KeyError: 'amounts'.*name another in .* amount"):
        run.featurize(rows)
