import shutil

import pytest


@pytest.mark.parametrize(
    ("path", "text", "subject"),
    [
        ("dvc.yaml", "stages: [", "dvc.yaml"),
        ("params.yaml", "a: [", "params.yaml"),
        ("params.yaml", "- a", "params.yaml"),
        ("src/train.py", "def", "src/train.py"),
    ],
)
def test_an_unreadable_file_is_named_whatever_is_asked(project, path, text, subject):
    project.leave(path, text)
    assert ("P001", subject) in project.found("P001")
    assert ("P001", subject) in project.found("D001")


def test_a_misspelt_stage_key_is_named(project):
    project.edit("dvc.yaml", "    outs:", "    outz:")
    (finding,) = project.findings("S003")
    assert (finding.code, finding.subject) == ("P001", "dvc.yaml")
    assert "outz" in finding.message


def test_a_bare_date_that_dvc_cannot_use_is_named(project):
    project.edit("params.yaml", "rows: 10", "rows: 2013-09-01")
    (finding,) = project.findings("P001")
    assert "train.rows" in finding.message


def test_a_folder_without_git_is_named(project):
    shutil.rmtree(project.root / ".git")
    assert ("P001", "git") in project.found("P001")


@pytest.mark.parametrize("command", ["python -m crivo.train", "make train", "python run/train.py"])
def test_a_command_of_another_form_is_an_error(project, command):
    project.edit("dvc.yaml", "python src/train.py", command)
    assert project.found("P002") == [("P002", "train")]
    assert "P001" not in {finding.code for finding in project.findings()}


def test_a_script_that_is_not_there_is_an_error(project):
    (project.root / "src/train.py").unlink()
    assert project.found("P002") == [("P002", "train")]


@pytest.mark.parametrize("dep", ["data/prepared/valid.parquet", "data/prepared"])
def test_held_out_rows_that_can_reach_training_are_an_error(project, dep):
    out = "    - data/prepared/valid.parquet\n    - data/prepared/train.parquet\n"
    project.edit("dvc.yaml", "    - metrics/evaluation.json", f"{out}    - metrics/evaluation.json")
    project.edit(
        "dvc.yaml", "- src/train.py\n", "- src/train.py\n    - data/prepared/train.parquet\n"
    )
    assert project.found("P003") == []
    project.edit("dvc.yaml", "- src/train.py\n", f"- src/train.py\n    - {dep}\n")
    assert project.found("P003") == [("P003", "train")]


START = """\
if __name__ == "__main__":
    from crivo.core.start import start_stage

    start_stage()
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (START, ""),
        (START, "import pandas\n\n" + START),
        ("    start_stage()\n", "    start_stage\n"),
        ('if __name__ == "__main__":\n    from', 'if __name__ == "main":\n    from'),
    ],
)
def test_a_script_that_imports_before_it_starts_is_an_error(project, old, new):
    project.edit("src/train.py", old, new)
    assert project.found("P004") == [("P004", "src/train.py")]


def test_a_script_may_begin_with_a_docstring_and_a_plain_one_as_it_likes(project):
    project.edit("src/train.py", START, f'"""Train."""  # the model\n\n{START}')
    project.leave("src/evaluate.py", "import pandas\n")
    assert project.found("P004") == []
