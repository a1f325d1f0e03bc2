"""How a table is read: types, gaps, classes and rows that are set aside."""

import json
from typing import Any

import numpy as np
import pandas as pd

from tests.crivo.behaviour.shop import Shop, orders


def described(shop: Shop, table: pd.DataFrame, *options: str, sep: str = ",") -> dict[str, Any]:
    """Describe a table by `crivo init`, prepare it, and return the schema's columns by name."""
    table.to_csv(shop.folder.parent / "odd.csv", index=False, sep=sep)
    given = ("--target", "returned", "--id", "order", "--force", *options)
    shop.crivo("init", "../odd.csv", *given)
    shop.commit("Take an odd table")
    shop.dvc("repro", "--quiet", "prepare")
    columns = json.loads(shop.read("data/prepared/schema.json"))["columns"]
    return {one["name"]: one for one in columns}


def test_csv_files_for_people_are_safe_in_spreadsheets(shop: Shop) -> None:
    table = orders()
    table["country"] = np.where(table["country"] == "pt", "=1+1", table["country"])
    columns = described(shop, table)
    assert columns["country"]["type"] == "category"
    shop.dvc("repro", "--quiet")
    worst = shop.read("metrics/evaluation/errors/worst.csv") + shop.read(
        "metrics/evaluation/slices.csv"
    )
    assert ",=1+1" not in worst
    assert "'=1+1" in worst or "country = =1+1" in worst
    features = pd.read_parquet(shop.folder / "data/prepared/train.parquet")["country"]
    assert "=1+1" in set(features)
