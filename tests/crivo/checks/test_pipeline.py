import json

import pandas as pd
import pytest
from tests.crivo.checks.conftest import FILES


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("dvc.yaml", "stages: [", "dvc.yaml: "),
        ("dvc.yaml", FILES["dvc.yaml"].replace("outs:", "outz:"), "outz"),
        ("params.yaml", FILES["params.yaml"].replace("rows: 10", "rows: 2013-09-01"), "train.rows"),
        ("params.yaml", "a: [", "params.yaml: "),
        ("data/more.dvc", "outs: []", "data/more.dvc: "),
        ("params.yaml", "- a", "params.yaml: expected settings, lines of `key: value`."),
        ("params.yaml", "", "params.yaml: expected settings, lines of `key: value`."),
        ("params.yaml", None, "params.yaml: there is none here; run this in"),
    ],
)
def test_an_unreadable_file_is_named_whatever_is_asked(project, path, text, words):
    (project.folder / path).unlink(missing_ok=True)
    if text is not None:
        project.write(path, text)
    for code in ("P001", "S004"):
        (finding,) = project.findings(code)
        assert finding.code == "P001"
        assert words in f"{finding.subject}: {finding.message}"


def test_a_stage_that_runs_no_script_is_an_error(project):
    (project.folder / "src/train.py").unlink()
    assert project.found("P002") == [("P002", "train")]
    project.replace("dvc.yaml", "python src/train.py", "python -m crivo.train")
    assert project.found("P002") == [("P002", "train")]


@pytest.mark.parametrize("dep", ["prepared/valid.parquet", "prepared/test.parquet", "prepared"])
def test_held_out_rows_that_can_reach_training_are_an_error(project, dep):
    out, script = "    - metrics/evaluation.json", "- src/train.py\n"
    train, *held = (f"    - data/prepared/{one}.parquet\n" for one in ("train", "valid", "test"))
    project.replace("dvc.yaml", out, f"{''.join(held)}{train}{out}")
    project.replace("dvc.yaml", script, f"{script}{train}")
    assert project.found("P003") == []
    project.replace("dvc.yaml", script, f"{script}    - data/{dep}\n")
    assert project.found("P003") == [("P003", "train")]


def test_the_environment_is_that_of_the_lock_on_which_each_stage_depends(project):
    assert project.found("E") == []
    project.write("requirements.txt", "pandas==9.9.9 \\\n    --hash=sha256:0\n")
    project.replace("dvc.yaml", "    - requirements.txt\n    - src/train.py\n", "")
    other, unrecorded = project.findings("E")
    assert (other.code, unrecorded.code, unrecorded.subject) == ("E001", "E002", "train")
    assert f"pandas is {pd.__version__} (locked 9.9.9)" in other.message
    (project.folder / "requirements.txt").unlink()
    assert project.found("E001") == [("E001", "requirements.txt")]


def dvc_file(name: str) -> str:
    return f"outs:\n- path: {name}\n  md5: {'a' * 32}\n"


def test_code_in_use_that_git_ignores_is_an_error_with_the_rule(project):
    project.replace(".gitignore", "/models/", "/models/\nbeside.py")
    project.write("src/beside.py", "")
    project.replace("dvc.yaml", "    - src/train.py\n", "    - src/train.py\n    - src/beside.py\n")
    (finding,) = project.findings("G001")
    assert ".gitignore:3" in finding.message


@pytest.mark.parametrize(
    "path", ["dvc.lock", "dvc.yaml", "params.yaml", "data/more.dvc", ".dvc/config", ".gitignore"]
)
def test_what_dvc_writes_for_git_must_be_tracked(project, path):
    text = {"dvc.lock": "schema: '2.0'\n", "data/more.dvc": dvc_file("more")}
    project.write(path, text.get(path, FILES.get(path)))
    project.git("rm", "--quiet", "--cached", "--ignore-unmatch", path)
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
