"""`crivo upgrade`: what it refuses; `pipeline/test_upgrade.py` follows a real one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.crivo.behaviour.shop import Shop, orders


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Give a started project beside its table; don't change it."""
    place = Shop(tmp_path_factory.mktemp("started"))
    orders().head(80).to_csv(place.folder / "orders.csv", index=False)
    table = ("--data", "orders.csv", "--target", "returned", "--id", "order")
    place.crivo("start", "sales", *table)
    return Shop(place.folder / "sales")


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
@pytest.mark.parametrize("wheel", ["../nowhere.whl", "../orders.csv", "the same"])
def test_what_cannot_be_upgraded_is_refused_in_a_sentence(
    started: Shop, wheel: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    given = Path(wheel)
    if wheel == "the same":
        (own,) = (started.folder / "vendor").glob("*.whl")
        given = Path(shutil.copy(own, tmp_path))
    said = started.crivo("upgrade", str(given), *options, status=1)
    assert said.err.startswith("crivo: ")
    assert given.name in said.text
    assert started.status() == ""


def test_uncommitted_changes_are_committed_first(started: Shop, tmp_path: Path) -> None:
    folder = tmp_path / "sales"
    shutil.copytree(started.folder, folder, symlinks=True)
    dirty = Shop(folder)
    dirty.replace("params.yaml", "seed: 13", "seed: 14")
    (own,) = (folder / "vendor").glob("*.whl")
    newer = tmp_path / "crivo-9.9.9-py3-none-any.whl"
    shutil.copy(own, newer)
    assert "crivo: " in dirty.crivo("upgrade", str(newer), status=1).err
    assert dirty.status() == " M params.yaml\n"


def test_a_project_that_was_not_started_is_refused(seen: Shop) -> None:
    said = seen.crivo("upgrade", status=1)
    assert "expected a project that `crivo start` made" in said.text
    assert seen.status() == ""
