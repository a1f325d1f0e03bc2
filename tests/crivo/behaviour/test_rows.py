"""`crivo compare --rows`: row by row, counted here again from the stored predictions."""

import pandas as pd

from tests.crivo.behaviour.shop import Shop


def predictions(shop: Shop, revision: str) -> pd.DataFrame:
    """Return the predictions that an experiment stored, read by DVC."""
    path = "metrics/evaluation/predictions.parquet"
    shop.dvc("get", ".", path, "--rev", revision, "--out", f"{revision}.parquet", "--quiet")
    return pd.read_parquet(shop.folder / f"{revision}.parquet").set_index("id")


def test_rows_are_fixed_and_broken_as_their_predictions_say(shop: Shop) -> None:
    one, other = predictions(shop, "main"), predictions(shop, "trees")
    before, after = (table["prediction"] == table["target"] for table in (one, other))
    document = shop.crivo("compare", "--rows", "main", "trees", "--json").document
    fixed, broken = int((~before & after).sum()), int((before & ~after).sum())
    assert fixed > broken > 0
    counts = document["counts"]
    assert (counts["fixed"], counts["broken"]) == (fixed, broken)
    assert document["net"]["value"] == round((fixed - broken) / len(one), 10)
    assert document["net"]["low"] > 0
    assert {row["id"] for row in document["rows"]} <= set(one.index)


def test_it_names_what_differs_in_making_and_the_rows_with_their_columns(seen: Shop) -> None:
    text = seen.crivo("compare", "main", "trees", "--rows").text
    assert "fixed minus broken +0." in text
    assert "setting model: linear → boosting" in text
    assert "price=" in text
    assert "A row is fixed or broken only if its decision changed." in text
    document = seen.crivo("compare", "--rows", "main", "trees", "--json").document
    assert (document["one"], document["other"]) == ("main", "trees")
