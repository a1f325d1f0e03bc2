"""What a colleague gets of an experiment that is older than the remote's configuration."""

from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from crivo.repository.dvc_project import edit_config
from crivo.sharing import share
from tests.crivo.sharing.mini import Mini


@pytest.fixture
def clone(mini: Mini) -> Path:
    """Give a colleague's clone, to which the old experiment was shared."""
    share("early", folder=mini.folder)
    mini.git("clone", "--quiet", "../hub.git", "../clone")
    return mini.folder.parent / "clone"


def bring(clone: Path) -> dict[str, Any]:
    """Pull and apply the experiment, and return DVC's status after that."""
    from dvc.repo import Repo

    with chdir(clone):
        Repo().experiments.pull("origin", ["early"], pull_cache=True)
        Repo().experiments.apply("early")
        return Repo().status()


def test_the_noted_command_brings_the_data(mini: Mini, clone: Path) -> None:
    with edit_config(clone) as config:  # what `dvc remote add --local` does
        config["remote"]["storage"] = {"url": str(mini.store)}
        config["core"]["remote"] = "storage"
    status = bring(clone)
    assert (clone / "model.txt").read_text() == "model of a: 2\n"
    assert status == {}


def test_without_it_dvc_finds_no_data(clone: Path) -> None:
    from dvc.exceptions import CheckoutError

    with pytest.raises(CheckoutError):
        bring(clone)
