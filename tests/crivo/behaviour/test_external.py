"""`crivo evaluate`: predictions of any other system get what the pipeline gives its own."""

from pathlib import Path

import pandas as pd

from tests.crivo.behaviour.shop import Said, Shop
from tests.crivo.behaviour.test_evaluation import FOLDER, predictions


def evaluate(shop: Shop, table: pd.DataFrame, folder: Path, *options: str, status: int = 0) -> Said:
    """Give a table to `crivo evaluate`, which changes nothing in the project."""
    table.to_csv(folder / "theirs.csv", index=False)
    file = str(folder / "theirs.csv")
    return shop.crivo("evaluate", "--predictions", file, *options, status=status)


def test_it_gets_the_stage_s_numbers(seen: Shop, tmp_path: Path) -> None:
    given = predictions(seen)[["id", "score"]]
    document = evaluate(seen, given, tmp_path, "--json").document
    stage = pd.read_csv(seen.folder / FOLDER / "intervals.csv").set_index(["metric", "of"])
    for one in document["metrics"]:
        row = stage.loc[(one["metric"], one["of"])]
        assert [one[end] for end in ("value", "low", "high")] == [*row[["value", "low", "high"]]]
    assert document["about"]["split"] == "valid"
