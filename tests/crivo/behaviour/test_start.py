"""`crivo start`: a project in a new folder, in one command, or nothing."""

import re
from pathlib import Path

import pytest

from tests.crivo.behaviour.shop import Shop, orders

ROWS = 80


@pytest.fixture
def place(tmp_path: Path) -> Shop:
    """Give a folder with a table, in which nothing is a project; few rows compare no models."""
    orders().head(ROWS).to_csv(tmp_path / "orders.csv", index=False)
    return Shop(tmp_path)


def test_a_table_becomes_a_project_of_one_commit(place: Shop) -> None:
    table = ("--data", "orders.csv", "--target", "returned", "--id", "order")
    said = place.crivo("start", "sales", *table, "--positive", "no")
    assert "cd sales\n  make repro\n  make test\n" in said.out
    project = Shop(place.folder / "sales")
    tracked = project.git("ls-files").split()
    assert "AGENTS.md" in tracked
    assert not [name for name in tracked if name.startswith("src/crivo") or "flights" in name]
    others = ("requirements", "vendor/", "notebooks/", "dvc.lock", ".dvc/plots/offline.html")
    owned = [project.read(name) for name in tracked if not name.startswith(others)]
    assert sum(text.count("\n") for text in owned) <= 2500
    settings = project.read("params.yaml")
    assert "target: returned" in settings
    assert "flight" not in settings.lower()
    for name in ("requirements.txt", "pyproject.toml", ".gitignore"):
        assert "flights" not in project.read(name)
    assert project.read("dvc.yaml").count("- requirements.txt") == 4
    # Only the lock's wheel isn't the one that runs the tests.
    only = [word for letter in "PSDBGNLTR" for word in ("--only", letter)]
    assert project.crivo("check", *only, "--json").document["findings"] == []


def test_a_table_is_copied_described_and_tracked(seen: Shop) -> None:
    said = seen.said("init")
    assert said.status == 0
    assert said.out.startswith("orders.csv:\n  300 rows, 3 features\n")
    assert "target returned: binary, no " in said.text
    (sizes,) = re.findall(r"split at_random: (\d+) train, (\d+) valid, (\d+) test rows", said.text)
    assert sum(map(int, sizes)) == 300
    assert "splitter: at_random" in said.text
    assert f"folds of {sizes[0]} training rows" in said.text
    assert said.out.endswith("Now run: dvc repro\n")
    assert "    id:\n    - order\n" in seen.read("params.yaml")
