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


def test_local_settings_and_remotes_are_shared_with_full_paths(
    mine: Project, tmp_path: Path
) -> None:
    settings = "[cache]\n    type = copy\n['remote \"mine\"']\n    url = ../../store\n"
    write(mine.folder / ".dvc/config.local", settings)
    write(mine.folder / ".dvc/config", "['remote \"ours\"']\n    url = ../../store\n")
    shared(mine.folder, tmp_path)
    from dvc.config import Config

    config = Config(str(tmp_path / "clone/.dvc"))
    for name in ("mine", "ours"):
        assert Path(config["remote"][name]["url"]).resolve() == tmp_path / "store"
    assert Path(config["cache"]["dir"]).resolve() == mine.folder / ".dvc/cache"
    assert config["cache"]["type"] == ["copy"]


@pytest.mark.parametrize(
    ("in_cache", "text", "changed_data", "found"),
    [
        (False, "1\n", True, True),
        (False, "1\n", False, True),
        (True, "1\n", True, False),
        (True, "2\n", True, True),
        (True, "2\n", False, False),
    ],
    ids=["lacking", "lacking, past", "in the cache", "changed", "changed, past"],
)
def test_raw_data_are_copied_where_the_cache_lacks_them_or_a_new_trial_has_others(
    mine: Project, tmp_path: Path, in_cache: bool, text: str, changed_data: bool, found: bool
) -> None:
    if in_cache:
        write(mine.folder / ".dvc/cache/files/md5" / HASH[:2] / HASH[2:], "1\n")
    write(mine.folder / "raw/x", text)
    copied = shared(mine.folder, tmp_path, changed_data=changed_data) / "raw/x"
    assert copied.exists() == found
    assert not found or copied.read_text() == text
