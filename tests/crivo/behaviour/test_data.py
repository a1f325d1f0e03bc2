"""`crivo init`: a table of one's own is examined, described and tracked, or nothing changes."""

import re
from typing import Any

from ruamel.yaml import YAML

from tests.crivo.behaviour.shop import ROWS, Shop


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
