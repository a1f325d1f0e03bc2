"""The shop's project: one to look at, and copies to change."""

from pathlib import Path

import pytest

from tests.crivo.behaviour.shop import Shop, make_shop
from tests.crivo.made_once import made_once

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            # The project has remotes, and `dvc remote add` takes usual letters only.
            item.add_marker(pytest.mark.plain_path)


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Give the project that all workers share; don't change it."""
    return Shop(made_once(tmp_path_factory, "shop", make_shop, plain=True) / "project")


@pytest.fixture
def shop(seen: Shop, tmp_path: Path) -> Shop:
    """Give a copy of the project to do anything with."""
    return seen.copy(tmp_path / "shop")
