"""Two people with a project on their own table: a clone without the data, a shared experiment."""

import shutil
from pathlib import Path

import pytest
from tests.crivo.project.started import User, start_on_table

# The pipeline runs three times; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def started(user: User) -> User:
    """Give a project on a table, as `crivo start` leaves it; don't change it."""
    return start_on_table(user, "binary", "team")


@pytest.fixture
def ana(started: User, tmp_path: Path) -> User:
    """Give a copy of the project."""
    shutil.copytree(started.folder, tmp_path / "ana", symlinks=True)
    return User(started.bin, tmp_path / "ana")


@pytest.mark.plain_path
def test_a_clone_without_the_data_says_where_they_would_come_from(
    ana: User, tmp_path: Path
) -> None:
    ana.run("git", "clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = User(ana.bin, tmp_path / "clone")
    said = clone.run("crivo", "fetch", fails=True)
    assert "data/raw/table is not here" in said
    assert "no DVC remote is set" in said
    shutil.copytree(ana.folder / "data/raw/table", clone.folder / "data/raw/table")
    clone.run("crivo", "fetch")  # what is there as recorded needs no remote
    (clone.folder / "data/raw/table/binary.csv").unlink()
    ana.run("dvc", "remote", "add", "--quiet", "--default", "storage", str(tmp_path / "storage"))
    ana.run("dvc", "push", "--quiet")
    ana.commit("Name the remote")
    clone.run("git", "pull", "--quiet")
    clone.run("crivo", "fetch")
    assert (clone.folder / "data/raw/table/binary.csv").is_file()


@pytest.mark.plain_path
def test_two_people_share_and_verify_an_experiment_on_their_own_table(
    ana: User, tmp_path: Path
) -> None:
    ana.run("dvc", "repro")
    ana.run("crivo", "check")  # before the results are committed, and afterwards, below
    ana.commit("Run the pipeline")
    hub = str(tmp_path / "hub.git")
    ana.run("git", "clone", "--quiet", "--bare", ".", hub)
    ana.run("git", "remote", "add", "origin", hub)
    ana.run("dvc", "remote", "add", "--quiet", "--default", "storage", str(tmp_path / "storage"))
    ana.commit("Name the remote")
    ana.run("git", "push", "--quiet", "--set-upstream", "origin", "main")
    ana.run("dvc", "push", "--quiet")
    ana.run("crivo", "try", "model=forest", "--name", "trees")
    assert "trees is shared" in ana.run("crivo", "share", "trees")

    ana.run("git", "clone", "--quiet", hub, str(tmp_path / "bob"))
    bob = User(ana.bin, tmp_path / "bob")
    bob.run("crivo", "fetch")  # what `make repro` begins with
    bob.run("dvc", "exp", "pull", "origin", "trees")
    assert bob.run("crivo", "compare", "trees") == ana.run("crivo", "compare", "trees")
    assert "Identical bytes" in bob.run("crivo", "verify", "trees")
    bob.run("dvc", "exp", "apply", "trees")
    assert "Running stage" not in bob.run("dvc", "repro")
    bob.commit("Take the trees over")
    assert bob.run("git", "status", "--porcelain") == ""
    bob.run("git", "push", "--quiet")
    ana.run("git", "pull", "--quiet")
    ana.run("dvc", "checkout", "--quiet")
    # The rest of what continuous integration does, where the result was made by somebody else.
    ana.run("crivo", "check")
    assert "Running stage" not in ana.run("dvc", "repro")
    ana.run("crivo", "verify", "--workspace")
    assert ana.run("git", "status", "--porcelain") == ""
