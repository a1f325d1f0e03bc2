"""A stage runs the code it stands beside, not that of another checkout."""

import shutil
from pathlib import Path

from tests.crivo.pipeline.project import Project


def test_a_trial_runs_the_code_of_its_own_checkout(project: Project) -> None:
    """The trial's checkout has the changed code; the workspace is put back while it runs."""
    project.replace("src/train.py", '"%s fitted', '"MARKED %s fitted')
    printed = project.dvc("exp", "run", "--temp", "-S", "models.boosting.max_iter=9")
    assert "MARKED boosting fitted" in printed


def test_an_older_commit_runs_its_older_code(project: Project, tmp_path: Path) -> None:
    project.replace("src/blocks/models/prior.py", "class Prior(Model):", "class Prior(Model):  #")
    project.replace("src/train.py", '"%s fitted', '"NEW %s fitted')
    project.commit("Change the code")
    clone = Project(tmp_path / "clone")
    project.git("clone", "--quiet", str(project.folder), str(clone.folder))
    clone.git("checkout", "--quiet", "HEAD~1")
    clone.run("cp", "-r", str(project.folder / "data/raw/flights"), "data/raw/flights")
    printed = clone.dvc("repro", "train")
    assert "boosting fitted" in printed
    assert "NEW" not in printed


def test_a_project_without_the_library_runs_the_installed_one_to_the_same_bytes(
    project: Project,
) -> None:
    """The blocks are its own all the same, and `crivo check` finds nothing missing."""
    shutil.rmtree(project.folder / "src/crivo")
    lines = project.read("dvc.yaml").splitlines(keepends=True)
    project.write("dvc.yaml", "".join(line for line in lines if "src/crivo" not in line))
    mark = "        print('OWN BLOCK')\n        kind = by_estimator("
    project.replace("src/blocks/models/boosting.py", "        kind = by_estimator(", mark)
    project.commit("Install the library")
    printed = project.dvc("repro", "--force")
    assert printed.count("Running stage") == 4
    assert "OWN BLOCK" in printed
    assert project.status() == " M dvc.lock\n"
    project.commit("Run the pipeline")
    assert "error" not in project.run("crivo", "check", "--only", "structure")
