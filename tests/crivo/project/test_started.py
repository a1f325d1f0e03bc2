"""A project is started with the flights, or on one's own table, and runs, as a user gets it."""

import re

import numpy as np
import pytest
from tests.crivo.project.started import User, start
from tests.crivo.project.tables import KINDS, Kind

# A project runs its pipeline and some of its tests; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]


def test_a_project_with_the_flights_passes_a_run_of_the_pipeline(user: User) -> None:
    """It is made by the installed program itself, not by a fork."""
    flights = start(User(user.bin, user.folder, forks=False), "flights")
    flights.run("crivo", "fetch")
    flights.project_tests("row_has_a_prediction")


def started(user: User, name: str, kind: Kind) -> User:
    """Start a project on a table of a kind, with the settings of that kind."""
    rows = kind.rows(np.random.default_rng(0))
    rows.to_csv(user.folder / f"{name}.csv", index=False, sep=";")
    project = start(user, name, "--data", f"{name}.csv", "--target", "y", *kind.options)
    params = project.folder / "params.yaml"
    text = params.read_text()
    for pattern, replacement in kind.changes:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    params.write_text(text)
    return project


@pytest.mark.parametrize("name", KINDS)
def test_a_fresh_project_passes_all_of_its_tests(user: User, name: str) -> None:
    project = started(user, name, KINDS[name])
    project.project_tests("")
