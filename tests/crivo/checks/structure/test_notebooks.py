import json

import pytest


def notebook(**cell) -> str:
    clean = {"cell_type": "code", "outputs": [], "execution_count": None, "source": []}
    text = {"cell_type": "markdown", "source": ["# A"]}
    return json.dumps({"cells": [text, clean | cell], "nbformat": 4})


@pytest.mark.parametrize("cell", [{"outputs": [{"output_type": "stream"}]}, {"execution_count": 3}])
def test_a_notebook_with_output_or_counts_is_an_error(project, cell):
    project.leave("notebooks/a.ipynb", notebook(**cell))
    assert project.found("N001") == [("N001", "notebooks/a.ipynb")]


def test_a_notebook_without_output_is_fine(project):
    project.leave("notebooks/a.ipynb", notebook())
    assert project.found("N001") == []


def test_a_broken_notebook_is_an_error(project):
    project.leave("notebooks/a.ipynb", "{}")
    assert project.found("N001") == [("N001", "notebooks/a.ipynb")]


def test_what_git_ignores_is_no_notebook_of_the_project(project):
    project.edit(".gitignore", "/models/", "/models/\n.ipynb_checkpoints")
    project.leave("notebooks/.ipynb_checkpoints/a.ipynb", "{}")
    assert project.found("N001") == []
