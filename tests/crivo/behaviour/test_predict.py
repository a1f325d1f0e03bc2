"""`crivo predict`: rows get the pipeline's scores."""

import io

import pandas as pd

from tests.crivo.behaviour.shop import Shop


def test_rows_get_the_scores_of_the_pipeline(shop: Shop) -> None:
    path = shop.folder / "metrics/evaluation/predictions.parquet"
    evaluated = pd.read_parquet(path).set_index("id")
    printed = shop.crivo("predict", "../orders.csv").out
    scored = pd.read_csv(io.StringIO(printed)).set_index("order")
    assert scored["score"].loc[evaluated.index].tolist() == evaluated["score"].tolist()
    said = shop.crivo("predict", "../orders.csv", "--output", "scored.csv").err
    assert " rows scored by model " in said
    assert shop.read("scored.csv") == printed
    shop.crivo("predict", "data/prepared/valid.parquet", "-o", "scored.parquet")
    stored = pd.read_parquet(shop.folder / "scored.parquet").set_index("order")
    assert stored["score"].loc[evaluated.index].tolist() == evaluated["score"].tolist()
