"""A clone of the workspace finds the data where DVC keeps them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crivo.repository.clones import share_cache
from crivo.repository.git import open_repository
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of
from tests.crivo.experiments.workspaces import HASH, cloned, write


def shared(folder: Path, place: Path, *, changed_data: bool = True) -> Path:
    clone = cloned(folder, place)
    before = state_of(folder)
    share_cache(open_repository(folder), clone, changed_data=changed_data)
    assert state_of(folder) == before
    return clone.project


def cached(project: Project) -> None:
    """Put the raw data into the cache."""
    write(project.folder / ".dvc/cache/files/md5" / HASH[:2] / HASH[2:], "1\n")


def test_local_settings_are_shared_with_full_paths(mine: Project, tmp_path: Path) -> None:
    settings = "[cache]\n    type = copy\n['remote \"mine\"']\n    url = ../../store\n"
    write(mine.folder / ".dvc/config.local", settings)
    text = (shared(mine.folder, tmp_path) / ".dvc/config.local").read_text()
    from dvc.config import Config

    config = Config(str(tmp_path / "clone/.dvc"))
    assert Path(config["remote"]["mine"]["url"]).resolve() == tmp_path / "store", text
    assert Path(config["cache"]["dir"]).resolve() == mine.folder / ".dvc/cache"
    assert config["cache"]["type"] == ["copy"]


def test_remotes_that_git_records_are_the_project_s(mine: Project, tmp_path: Path) -> None:
    write(mine.folder / ".dvc/config", "['remote \"ours\"']\n    url = ../../store\n")
    shared(mine.folder, tmp_path)
    from dvc.config import Config

    url = Config(str(tmp_path / "clone/.dvc"))["remote"]["ours"]["url"]
    assert Path(url).resolve() == tmp_path / "store"


@pytest.mark.parametrize("changed_data", [True, False])
def test_raw_data_that_the_cache_lacks_are_copied(
    mine: Project, tmp_path: Path, changed_data: bool
) -> None:
    project = shared(mine.folder, tmp_path, changed_data=changed_data)
    assert (project / "raw/x").read_text() == "1\n"


def test_raw_data_of_the_cache_are_not_copied(mine: Project, tmp_path: Path) -> None:
    cached(mine)
    assert not (shared(mine.folder, tmp_path) / "raw").exists()


def test_raw_data_that_were_changed_come_along_for_a_new_trial(
    mine: Project, tmp_path: Path
) -> None:
    cached(mine)
    write(mine.folder / "raw/x", "2\n")
    assert (shared(mine.folder, tmp_path) / "raw/x").read_text() == "2\n"


def test_raw_data_that_were_changed_are_nothing_to_a_past_experiment(
    mine: Project, tmp_path: Path
) -> None:
    cached(mine)
    write(mine.folder / "raw/x", "2\n")
    assert not (shared(mine.folder, tmp_path, changed_data=False) / "raw").exists()
