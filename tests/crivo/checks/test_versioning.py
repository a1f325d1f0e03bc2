import json

import pytest


def dvc_file(name: str) -> str:
    return f"outs:\n- path: {name}\n  md5: {'a' * 32}\n"


def test_code_in_use_that_git_ignores_is_an_error_with_the_rule(project):
    project.replace(".gitignore", "/models/", "/models/\nbeside.py")
    project.write("src/beside.py", "")
    project.replace("dvc.yaml", "    - src/train.py\n", "    - src/train.py\n    - src/beside.py\n")
    (finding,) = project.findings("G001")
    assert ".gitignore:3" in finding.message


@pytest.mark.parametrize("path", ["dvc.lock", "data/more.dvc"])
def test_what_dvc_writes_for_git_must_be_tracked(project, path):
    text = {"dvc.lock": "schema: '2.0'\n", "data/more.dvc": dvc_file("more")}
    project.write(path, text[path])
    assert project.found("G001") == [("G001", path)]


def test_raw_data_that_nobody_keeps_is_an_error(project):
    project.git("rm", "--cached", "data/raw/table.csv")
    assert project.found("G") == [("G001", "data/raw/table.csv")]
    project.add("data/raw/table.csv.dvc", dvc_file("table.csv"))
    project.add(".gitignore", "/models/\n/data/raw/table.csv\n")
    assert project.found("G") == []


def notebook(**cell) -> str:
    clean = {"cell_type": "code", "outputs": [], "execution_count": None, "source": []}
    text = {"cell_type": "markdown", "source": ["# A"]}
    return json.dumps({"cells": [text, clean | cell], "nbformat": 4})


def test_only_a_notebook_of_the_project_that_can_be_read_and_has_no_output_is_fine(project):
    project.write("notebooks/a.ipynb", notebook())
    project.replace(".gitignore", "/models/", "/models/\n.ipynb_checkpoints")
    project.write("notebooks/.ipynb_checkpoints/a.ipynb", "{}")
    assert project.found("N001") == []
    for text in ("{}", notebook(execution_count=1), notebook(outputs=[{}])):
        project.write("notebooks/a.ipynb", text)
        assert project.found("N001") == [("N001", "notebooks/a.ipynb")]
