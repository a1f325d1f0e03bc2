"""`crivo init`: a table of one's own is examined, described and tracked, or nothing changes."""

import re
from typing import Any

from ruamel.yaml import YAML

from tests.crivo.behaviour.shop import ROWS, Shop, orders


def params(shop: Shop) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(shop.read("params.yaml"))
    return found


def test_a_table_is_copied_described_and_tracked(seen: Shop) -> None:
    said = seen.said("init")
    assert said.status == 0
    assert said.out.startswith("orders.csv:\n  300 rows, 3 features\n")
    assert "target returned: binary, no " in said.text
    (sizes,) = re.findall(r"split at_random: (\d+) train, (\d+) valid, (\d+) test rows", said.text)
    assert sum(map(int, sizes)) == ROWS
    assert "splitter: at_random" in said.text
    assert f"folds of {sizes[0]} training rows" in said.text
    assert said.out.endswith("Now run: dvc repro\n")
    settings = params(seen)
    assert settings["datasets"]["table"]["target"] == "returned"
    assert settings["datasets"]["table"]["id"] == ["order"]
    table = seen.folder / "data/raw/table/orders.csv"
    assert table.read_bytes() == (seen.folder.parent / "orders.csv").read_bytes()
    assert "data/raw/table.dvc" in seen.git("ls-files", "data/raw")


UNUSABLE = [
    ("nowhere.csv", ["--target", "returned"], "nowhere.csv"),
    ("orders.csv", ["--target", "sold"], "sold"),
    ("orders.csv", ["--target", "returned", "--id", "country"], "--group"),
    ("orders.csv", ["--target", "returned", "--time", "country"], "country"),
    ("orders.csv", ["--target", "returned", "--task", "ranking"], "ranking"),
    ("orders.csv", ["--target", "returned", "--positive", "maybe"], "maybe"),
]


def test_what_cannot_be_used_changes_nothing(shop: Shop) -> None:
    for file, options, sentence in UNUSABLE:
        said = shop.crivo("init", f"../{file}", *options, "--force", status=1)
        assert "crivo: " in said.err
        assert sentence in said.text
        assert shop.status() == ""
    orders().rename(columns={"order": "number"}).to_csv(shop.folder.parent / "new.csv", index=False)
    said = shop.crivo("init", "../new.csv", "--target", "returned", "--force", status=1)
    assert "datasets.table.id names the column 'order', which the table doesn't have" in said.text
    assert shop.status() == ""


def test_another_table_is_replaced_only_when_told_to(shop: Shop) -> None:
    rows = orders().head(200)
    rows.to_csv(shop.folder.parent / "fewer.csv", index=False, sep=";")
    given = ("../fewer.csv", "--target", "returned", "--id", "order")
    assert "--force" in shop.crivo("start", ".", "--data", *given, status=1).text
    assert shop.status() == ""
    shop.replace("params.yaml", "    missing:\n    - '?'", "    missing:\n    - '?'\n    - '-9'")
    said = shop.crivo("init", *given, "--force")
    assert "200 rows, 3 features" in said.out
    assert "-9" in params(shop)["datasets"]["table"]["missing"]
    assert [path.name for path in (shop.folder / "data/raw/table").iterdir()] == ["fewer.csv"]
