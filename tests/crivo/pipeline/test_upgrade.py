"""A started project gets the next crivo: what is the same keeps its results, edits stay."""

import re
import shutil

import pytest

from crivo.project.upgrade import read_release
from tests.crivo.behaviour.shop import orders
from tests.crivo.pipeline.project import Project
from tests.crivo.project.wheels import FILES, adding, wheel_of

INSTALLED = "0.1.0"  # the crivo that runs the tests stands for the first wheel
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project of the first wheel, with an edited stage script, that has run."""
    parent = tmp_path_factory.mktemp("started")
    project = Project(parent / "churn")
    read_release(wheel_of(INSTALLED), "churn", parent / "first")
    shutil.copytree(parent / "first/files", project.folder, dirs_exist_ok=True)
    project.git("init", "--quiet", "--initial-branch", "main")
    orders().to_csv(parent / "rows.csv", index=False)
    project.run("crivo", "init", "../rows.csv", "--target", "returned", "--id", "order")
    text = project.read("src/train.py")
    project.write("src/train.py", DOCSTRING.sub('"""Our own training."""', text, count=1))
    project.commit("Bring our table")
    project.dvc("repro", "--quiet")
    project.commit("Run the pipeline")
    changes = {
        "crivo/evaluation/assess.py": adding("# changed\n"),
        f"{FILES}/src/train.py": lambda text: DOCSTRING.sub('"""Fit."""', text, count=1),
    }
    second = wheel_of("0.2.0", changes)
    (parent / second.name).write_bytes(second.content)
    return project


def upgrade(project: Project, *, fails: bool = True) -> str:
    return project.run("crivo", "upgrade", "../crivo-0.2.0-py3-none-any.whl", fails=fails)


def tree(project: Project) -> dict[str, bytes]:
    """Return every file that git knows or could add."""
    listed = project.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = [project.folder / path for path in listed.split("\0") if path]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def test_from_one_wheel_to_the_next_and_back(started: Project) -> None:
    project, before = started, tree(started)
    printed = upgrade(project)
    for stage in ("prepare", "featurize"):
        assert re.search(rf"^  {stage}: kept$", printed, re.MULTILINE)
    assert "train: runs again (src/train.py)" in printed
    assert "evaluate: runs again (src/crivo/evaluation/assess.py)" in printed
    assert printed.splitlines()[-1] == "  src/train.py"
    both = '<<<<<<< HEAD\n"""Our own training."""\n=======\n"""Fit."""\n>>>>>>> '
    assert project.read("src/train.py").startswith(both)
    vendor = sorted(path.name for path in (project.folder / "vendor").iterdir())
    assert vendor == ["AGENTS.md", "CHANGELOG.md", "LICENSE", "crivo-0.2.0-py3-none-any.whl"]
    assert "crivo-0.2.0" in project.read("requirements.txt")
    stale = re.findall(r"^(\w+):$", project.dvc("status"), re.MULTILINE)
    assert {*stale} == {"train", "evaluate"}
    assert "last commit" in upgrade(project)  # a second one before this is committed

    project.git("reset", "--hard", "--quiet")
    assert tree(project) == before
    assert project.status() == ""
    assert "up to date" in project.dvc("status")
