"""As a user gets it: the wheel in an empty environment, and a project with the flights."""

import numpy as np
import pandas as pd
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


def test_an_installation_evaluates_a_file_outside_of_any_project(user: User) -> None:
    scores = np.linspace(0.1, 0.9, 80)
    targets = np.where(scores + np.tile([0.2, -0.2], 40) > 0.5, "yes", "no")
    rows = pd.DataFrame({"id": range(80), "target": targets, "score": scores})
    rows.to_csv(user.folder / "scores.csv", index=False)
    assert "roc_auc" in user.run("crivo", "evaluate", "--predictions", "scores.csv")
