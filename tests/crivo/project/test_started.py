"""As a user gets it: the wheel in an empty environment, and a project with the flights."""

import pytest
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
