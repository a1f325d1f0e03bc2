"""As a user gets it: the wheel in an empty environment, and a project with the flights."""

import shutil
from pathlib import Path

import pytest
from tests.crivo.behaviour.shop import orders
from tests.crivo.project.started import User, start

# A project runs its pipeline and some of its tests; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def flights(user: User) -> User:
    """Give a project with the flights, made by the installed program itself, not by a fork."""
    return start(User(user.bin, user.folder, forks=False), "flights")


def test_a_project_with_the_flights_passes_a_run_of_the_pipeline(flights: User) -> None:
    flights.run("crivo", "fetch")
    flights.project_tests("row_has_a_prediction")


def test_an_installation_starts_the_same_project_as_the_repository(flights: User) -> None:
    (wheel,) = (flights.folder / "vendor").glob("*.whl")
    assert wheel.read_bytes() == flights.wheel.read_bytes()


@pytest.mark.plain_path
def test_a_clone_without_the_data_says_where_they_come_from(user: User, tmp_path: Path) -> None:
    """And with a remote it brings them."""
    orders().head(80).to_csv(tmp_path / "orders.csv", index=False)
    given = ("--data", "orders.csv", "--target", "returned", "--id", "order")
    ana = start(User(user.bin, tmp_path), "team", *given)
    ana.run("git", "clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = User(ana.bin, tmp_path / "clone")
    said = clone.run("crivo", "fetch", fails=True)
    assert "data/raw/table doesn't match" in said
    assert "there is no DVC remote" in said
    shutil.copytree(ana.folder / "data/raw/table", clone.folder / "data/raw/table")
    clone.run("crivo", "fetch")  # what is there as recorded needs no remote
    (clone.folder / "data/raw/table/orders.csv").unlink()
    ana.run("dvc", "remote", "add", "--quiet", "--default", "storage", str(tmp_path / "storage"))
    ana.run("dvc", "push", "--quiet")
    ana.commit("Name the remote")
    clone.run("git", "pull", "--quiet")
    clone.run("crivo", "fetch")
    assert (clone.folder / "data/raw/table/orders.csv").is_file()
