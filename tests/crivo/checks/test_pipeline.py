import pandas as pd
import pytest


@pytest.mark.parametrize(
    ("path", "text", "subject"),
    [
        ("dvc.yaml", "stages: [", "dvc.yaml"),
        ("params.yaml", "a: [", "params.yaml"),
        ("params.yaml", "- a", "params.yaml"),
    ],
)
def test_an_unreadable_file_is_named_whatever_is_asked(project, path, text, subject):
    project.write(path, text)
    assert ("P001", subject) in project.found("P001")
    assert ("P001", subject) in project.found("S004")


def test_a_misspelt_stage_key_is_named(project):
    project.replace("dvc.yaml", "    outs:\n    - models", "    outz:\n    - models")
    (finding,) = project.findings("S003")
    assert (finding.code, finding.subject) == ("P001", "dvc.yaml")
    assert "outz" in finding.message


def test_a_bare_date_that_dvc_cannot_use_is_named(project):
    project.replace("params.yaml", "rows: 10", "rows: 2013-09-01")
    (finding,) = project.findings("P001")
    assert "train.rows" in finding.message


def test_a_script_that_is_not_there_is_an_error(project):
    (project.folder / "src/train.py").unlink()
    assert project.found("P002") == [("P002", "train")]


@pytest.mark.parametrize("dep", ["data/prepared/valid.parquet", "data/prepared"])
def test_held_out_rows_that_can_reach_training_are_an_error(project, dep):
    out = "    - data/prepared/valid.parquet\n    - data/prepared/train.parquet\n"
    project.replace(
        "dvc.yaml", "    - metrics/evaluation.json", f"{out}    - metrics/evaluation.json"
    )
    project.replace(
        "dvc.yaml", "- src/train.py\n", "- src/train.py\n    - data/prepared/train.parquet\n"
    )
    assert project.found("P003") == []
    project.replace("dvc.yaml", "- src/train.py\n", f"- src/train.py\n    - {dep}\n")
    assert project.found("P003") == [("P003", "train")]


def test_the_environment_is_that_of_the_lock_on_which_each_stage_depends(project):
    assert project.found("E") == []
    project.write("requirements.txt", "pandas==9.9.9 \\\n    --hash=sha256:0\n")
    project.replace("dvc.yaml", "    - requirements.txt\n    - src/train.py\n", "")
    other, unrecorded = project.findings("E")
    assert (other.code, unrecorded.code, unrecorded.subject) == ("E001", "E002", "train")
    assert f"pandas is {pd.__version__} (locked 9.9.9)" in other.message
    (project.folder / "requirements.txt").unlink()
    (missing,) = project.findings("E001")
    assert missing.message.startswith("There is no lock ")
