"""An environment with the wheel installed, made once for all workers, and a quick `crivo start`."""

from pathlib import Path

import pytest
from tests.crivo.made_once import made_once
from tests.crivo.project.started import User, install

from crivo.project import start
from crivo.project.choices import Choice


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of an environment and its wheel; don't change it."""
    # The first line of an installed program names its Python, where a shell reads `$(x)`.
    return made_once(tmp_path_factory, "installed", install, plain=True)


@pytest.fixture(scope="module")
def user(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> User:
    """Give a user of that environment, in a folder of their own."""
    return User(installed / "env/bin", tmp_path_factory.mktemp("user"))


@pytest.fixture
def no_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out the comparison of models, which takes most of the time: it has its own tests."""
    usual = {"model": "boosting", "models.boosting.max_iter": 50}
    told = "not compared: {}".format
    monkeypatch.setattr(start, "model_choice", lambda *_, **given: Choice(usual, told(given)))
