"""The tabular featurizer takes every feature of a schema by its type."""

import pandas as pd

from crivo.core.registry import make_block
from crivo.testing import example_rows, example_schema

SCHEMA, ROWS = example_schema(), example_rows()


def inputs(**settings: object) -> pd.DataFrame:
    block = make_block("featurizer", "tabular", settings)
    made: pd.DataFrame = block.build(SCHEMA, seed=1).fit(ROWS).transform(ROWS)
    return made


def test_features_enter_by_their_type_and_nothing_else_does() -> None:
    names = {name.partition(".")[0] for name in inputs()}
    assert names == set(SCHEMA.features)


def test_settings_say_how_many_numbers_levels_and_texts_become() -> None:
    made = inputs(max_levels=2, components=2)
    assert "kind.frequency" in made
    assert "kind" not in made
    assert len(made.filter(like="remark").columns) == 2
