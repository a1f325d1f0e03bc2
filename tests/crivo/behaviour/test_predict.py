"""`crivo predict`, `crivo export` and `load_predictor`: rows get the pipeline's scores."""

import io

import pandas as pd
import pytest

from crivo.prediction.bundle import load_predictor
from tests.crivo.behaviour.shop import Shop, orders

MODEL = "models/model.skops"


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
    shop.write("scored.csv", "mine")
    assert "--force" in shop.crivo("predict", "../orders.csv", "-o", "scored.csv", status=1).text
    said = shop.crivo("predict", "../orders.csv", "--output", "scored.csv", "--force").err
    assert " rows scored by model " in said
    assert shop.read("scored.csv") == printed
    shop.crivo("predict", "data/prepared/valid.parquet", "-o", "scored.parquet")
    stored = pd.read_parquet(shop.folder / "scored.parquet").set_index("order")
    assert stored["score"].loc[evaluated.index].tolist() == evaluated["score"].tolist()


def test_an_exported_file_predicts_the_same(shop: Shop) -> None:
    said = shop.crivo("export", "model.zip")
    assert "fitted on training rows" in said.text
    first = (shop.folder / "model.zip").read_bytes()
    shop.write("again.zip", "mine")
    assert "--force" in shop.crivo("export", "again.zip", status=1).text
    shop.crivo("export", "again.zip", "--force")
    assert (shop.folder / "again.zip").read_bytes() == first
    by_file = shop.crivo("predict", "../orders.csv", "--model", "model.zip").out
    assert by_file == shop.crivo("predict", "../orders.csv").out


def test_a_program_gets_the_same_scores(shop: Shop) -> None:
    shop.crivo("export", "model.zip")
    evaluated = validation(shop)
    predictor = load_predictor(shop.folder / "model.zip")
    assert set(predictor.columns) == {"price", "age", "country"}
    rows = orders().set_index("order").loc[evaluated.index].drop(columns="returned")
    answer = predictor.predict(rows.reset_index(drop=True))
    assert answer["score"].tolist() == pytest.approx(evaluated["score"].tolist(), abs=1e-12)
    one = predictor.predict({"price": 1.0, "age": 1.0, "country": "pt"})
    assert one["prediction"].iloc[0] in ("yes", "no")
    assert predictor.version


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda rows: pd.concat([rows, rows.iloc[:1]]), "order is not unique"),
        (lambda rows: rows.assign(order=None), "order"),
    ],
    ids=["repeated id", "no id"],
)
def test_rows_that_do_not_fit_are_refused(shop: Shop, change: object, words: str) -> None:
    assert callable(change)
    change(orders()).to_csv(shop.folder / "rows.csv", index=False)
    said = shop.crivo("predict", "rows.csv", "-o", "scored.csv", status=1)
    assert "crivo: " in said.err
    assert words in said.text
    assert not (shop.folder / "scored.csv").exists()


def test_what_is_kept_is_never_overwritten(shop: Shop) -> None:
    """Not by another name either: a link counts as itself and as what it points to."""
    folder = shop.folder
    (folder / "to-rows.csv").symlink_to("../orders.csv")
    (folder / "hard-rows.csv").hardlink_to(folder / "../orders.csv")
    (folder / "to-data").symlink_to("data")
    raw, rows = "data/raw/table/orders.csv", "../orders.csv"
    before = [(folder / one).read_bytes() for one in ("params.yaml", MODEL, raw, rows)]
    for kept, why in {
        "params.yaml": "is tracked by git",
        ".git/new.zip": "is tracked by git",
        MODEL: "is an input",
        raw: "raw data",
        "to-data/raw/new.zip": "raw data",
        "params.yaml/new.zip": "params.yaml isn't a folder",
    }.items():
        assert why in shop.crivo("export", kept, "--force", status=1).text
    for kept in (rows, "to-rows.csv", "hard-rows.csv"):
        assert "is an input" in shop.crivo("predict", rows, "-o", kept, "--force", status=1).text
    assert "raw data" in shop.crivo("predict", rows, "-o", raw, "--force", status=1).text
    assert [(folder / one).read_bytes() for one in ("params.yaml", MODEL, raw, rows)] == before
