"""A colleague with a clone of a project on the team's own table, without the data."""

import shutil
from pathlib import Path

import pytest
from tests.crivo.project.started import User, start_on_table

pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


@pytest.mark.plain_path
def test_a_clone_without_the_data_says_where_they_would_come_from(
    user: User, tmp_path: Path
) -> None:
    ana = start_on_table(User(user.bin, tmp_path), "binary", "team", count=80)
    ana.run("git", "clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = User(ana.bin, tmp_path / "clone")
    said = clone.run("crivo", "fetch", fails=True)
    assert "data/raw/table doesn't match" in said
    assert "there is no DVC remote" in said
    shutil.copytree(ana.folder / "data/raw/table", clone.folder / "data/raw/table")
    clone.run("crivo", "fetch")  # what is there as recorded needs no remote
    (clone.folder / "data/raw/table/binary.csv").unlink()
    ana.run("dvc", "remote", "add", "--quiet", "--default", "storage", str(tmp_path / "storage"))
    ana.run("dvc", "push", "--quiet")
    ana.commit("Name the remote")
    clone.run("git", "pull", "--quiet")
    clone.run("crivo", "fetch")
    assert (clone.folder / "data/raw/table/binary.csv").is_file()
