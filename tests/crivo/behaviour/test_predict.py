"""`crivo predict` and `crivo export`: rows get the pipeline's scores."""

import io

import pandas as pd

from tests.crivo.behaviour.shop import Shop


def validation(shop: Shop) -> pd.DataFrame:
    """Return the scores that the pipeline gave, by id."""
    path = shop.folder / "metrics/evaluation/predictions.parquet"
    return pd.read_parquet(path).set_index("id")


def scores(text: str) -> pd.Series:
    return pd.read_csv(io.StringIO(text)).set_index("order")["score"]


def test_rows_get_the_scores_of_the_pipeline(shop: Shop) -> None:
    evaluated = validation(shop)
    printed = shop.crivo("predict", "../orders.csv").out
    assert scores(printed).loc[evaluated.index].tolist() == evaluated["score"].tolist()
    said = shop.crivo("predict", "../orders.csv", "--output", "scored.csv").err
    assert " rows scored by model " in said
    assert shop.read("scored.csv") == printed
    shop.crivo("predict", "data/prepared/valid.parquet", "-o", "scored.parquet")
    stored = pd.read_parquet(shop.folder / "scored.parquet").set_index("order")
    assert stored["score"].loc[evaluated.index].tolist() == evaluated["score"].tolist()


def test_an_exported_file_predicts_the_same(shop: Shop) -> None:
    said = shop.crivo("export", "model.zip")
    assert "fitted on training rows" in said.text
    first = (shop.folder / "model.zip").read_bytes()
    shop.crivo("export", "again.zip")
    assert (shop.folder / "again.zip").read_bytes() == first
    by_file = shop.crivo("predict", "../orders.csv", "--model", "model.zip").out
    assert by_file == shop.crivo("predict", "../orders.csv").out
