from importlib.metadata import version


def test_the_locked_environment_is_fine(project):
    project.leave("requirements.txt", f"pydantic=={version('pydantic')} \\\n    --hash=sha256:0\n")
    assert project.found("E001") == []


def test_another_version_and_a_missing_package_are_errors(project):
    project.leave("requirements.txt", "pydantic==1.0\nno-such-package==1.0\n")
    assert len(project.findings("E001")) == 2


def test_a_lock_that_is_not_there_is_an_error(project):
    (project.root / "requirements.txt").unlink()
    assert project.found("E001") == [("E001", "requirements.txt")]


def test_a_stage_that_does_not_record_the_lock_is_an_error(project):
    project.edit("dvc.yaml", "    - requirements.txt\n", "")
    assert project.found("E002") == [("E002", "train")]
