"""The tabular featurizer takes every feature of a schema by its type."""

import pandas as pd

from crivo.core.registry import make_block
from crivo.core.schema import Column, Schema

SCHEMA = Schema(
    task="regression",
    columns=(
        Column(name="key", role="id", type="text"),
        Column(name="y", role="target", type="number"),
        Column(name="size", role="feature", type="number"),
        Column(name="flag", role="feature", type="boolean"),
        Column(name="kind", role="feature", type="category"),
        Column(name="when", role="time", type="date", also_feature=True),
        Column(name="shop", role="group", type="category"),
        Column(name="remark", role="feature", type="text"),
        Column(name="late", role="outcome", type="number"),
    ),
)
ROWS = pd.DataFrame(
    {
        "size": [1.0, 2.0, 3.0],
        "flag": [True, False, True],
        "kind": ["a", "b", "c"],
        "when": pd.to_datetime(["2013-01-01", "2013-01-02", "2013-01-03"]),
        "remark": ["good", "not so good", "bad"],
    }
)


def inputs(**settings: object) -> pd.DataFrame:
    block = make_block("featurizer", "tabular", settings)
    made: pd.DataFrame = block.build(SCHEMA, seed=1).fit(ROWS).transform(ROWS)
    return made


def test_features_enter_by_their_type_and_nothing_else_does() -> None:
    names = {name.partition(".")[0] for name in inputs()}
    assert names == {"size", "flag", "kind", "when", "remark"}


def test_settings_say_how_many_numbers_levels_and_texts_become() -> None:
    made = inputs(max_levels=2, components=2)
    assert "kind.frequency" in made
    assert "kind" not in made
    assert len(made.filter(like="remark").columns) == 2
