"""A stage runs the code it stands beside, not that of another checkout."""

from pathlib import Path

from tests.crivo.pipeline.project import Project


def test_a_trial_runs_the_code_of_its_own_checkout(project: Project) -> None:
    """The trial's checkout has the changed code; the workspace is put back while it runs."""
    project.replace("src/train.py", '"%s fitted', '"MARKED %s fitted')
    printed = project.dvc("exp", "run", "--temp", "--force", "-S", "seed=14")
    assert "MARKED boosting fitted" in printed


def test_an_older_commit_runs_its_older_code(project: Project, tmp_path: Path) -> None:
    project.replace("src/blocks/models/prior.py", "class Prior(Model):", "class Prior(Model):  #")
    project.replace("src/train.py", '"%s fitted', '"NEW %s fitted')
    project.commit("Change the code")
    clone = Project(tmp_path / "clone")
    project.git("clone", "--quiet", str(project.folder), str(clone.folder))
    clone.git("checkout", "--quiet", "HEAD~1")
    clone.run("cp", "-r", str(project.folder / "data/raw/flights"), "data/raw/flights")
    printed = clone.dvc("repro")
    assert "boosting fitted" in printed
    assert "NEW" not in printed
