"""A started project gets the next crivo: what is the same keeps its results, edits stay."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from crivo.project.upgrade.release import read_release
from tests.crivo.faults.tiny import write_rows
from tests.crivo.pipeline.project import Project, environment
from tests.crivo.project.wheels import FILES, adding, replacing, wheel_of

INSTALLED = "0.1.0"  # the crivo that runs the tests stands for the first wheel
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project of the first wheel, with an edited stage script, that has run."""
    parent = tmp_path_factory.mktemp("started")
    project = Project(parent / "churn")
    first = wheel_of(INSTALLED)
    for path, content in read_release(first, "churn", parent / "first").files.items():
        place = project.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    project.git("init", "--quiet", "--initial-branch", "main")
    write_rows(parent / "rows.csv")
    project.run("crivo", "init", "../rows.csv", "--target", "won")
    text = project.read("src/train.py")
    project.write("src/train.py", DOCSTRING.sub('"""Our own training."""', text, count=1))
    project.write("Makefile", project.read("Makefile") + "\n# ours\n")
    project.commit("Bring our table")
    project.dvc("repro", "--quiet")
    project.commit("Run the pipeline")
    second = wheel_of(
        "0.2.0",
        {
            "crivo/evaluation/summary.py": adding("# changed\n"),
            "crivo/checks/report.py": adding("# changed\n"),
            f"{FILES}/src/train.py": lambda text: DOCSTRING.sub('"""Fit."""', text, count=1),
            f"{FILES}/Makefile": replacing("# Everything here", "# All that is here"),
            f"{FILES}/.ci/run": adding("# changed\n"),
            f"{FILES}/tests/project/test_new.py": adding("# new\n"),
            f"{FILES}/src/blocks/models/forest.py": None,
        },
    )
    (parent / second.name).write_bytes(second.content)
    return project


@pytest.fixture
def project(started: Project, tmp_path: Path) -> Project:
    """Give a copy of it, with the second wheel beside."""
    shutil.copytree(started.folder.parent, tmp_path / "copy", symlinks=True)
    return Project(tmp_path / "copy/churn")


def upgrade(project: Project, *, fails: bool = True) -> str:
    return project.run("crivo", "upgrade", "../crivo-0.2.0-py3-none-any.whl", fails=fails)


def tree(project: Project) -> dict[str, bytes]:
    """Return every file that git knows or could add."""
    listed = project.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    paths = [project.folder / path for path in listed.split("\0") if path]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


@pytest.fixture(scope="module")
def upgraded(
    started: Project, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, str, dict[str, bytes]]:
    """Give a copy of it after the upgrade, what that printed, and the files that it left."""
    parent = tmp_path_factory.mktemp("upgraded") / "copy"
    project = Project(shutil.copytree(started.folder.parent, parent, symlinks=True) / "churn")
    printed = upgrade(project)
    return project, printed, tree(project)


def test_from_one_wheel_to_the_next_and_back(
    started: Project, upgraded: tuple[Project, str, dict[str, bytes]]
) -> None:
    before = tree(started)
    project, printed, _ = upgraded
    for stage in ("prepare", "featurize", "train"):
        assert re.search(rf"^  {stage}: kept$", printed, re.MULTILINE)
    assert "evaluate: made again (src/crivo/evaluation/summary.py)" in printed
    assert "src/train.py.new" in printed.splitlines()[-1]
    assert "Our own training" in project.read("src/train.py")
    assert '"""Fit."""' in project.read("src/train.py.new")
    assert "All that is here" in project.read("Makefile")
    assert project.read("Makefile").endswith("# ours\n")
    assert project.read(".ci/run").endswith("# changed\n")
    assert not (project.folder / "src/blocks/models/forest.py").exists()
    vendor = sorted(path.name for path in (project.folder / "vendor").iterdir())
    assert vendor == ["AGENTS.md", "LICENSE", "crivo-0.2.0-py3-none-any.whl"]
    assert "crivo-0.2.0" in project.read("requirements.txt")
    assert set(re.findall(r"^(\w+):$", project.dvc("status"), re.MULTILINE)) == {"evaluate"}
    assert "last commit" in upgrade(project)  # a second one before this is committed

    project.run("sh", "-c", "git checkout . && git clean -fd")
    assert tree(project) == before
    assert project.status() == ""
    assert "up to date" in project.dvc("status")


def test_killed_in_the_middle_it_is_finished_by_the_next(
    project: Project, upgraded: tuple[Project, str, dict[str, bytes]]
) -> None:
    command = [sys.executable, "-m", "crivo.cli", "upgrade", "../crivo-0.2.0-py3-none-any.whl"]
    running = subprocess.Popen(
        command, cwd=project.folder, env=environment(), start_new_session=True
    )
    while running.poll() is None and not (project.folder / ".dvc/tmp/crivo-upgrade").exists():
        time.sleep(0.001)
    with suppress(ProcessLookupError):  # this process was slow, and that one has finished
        os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    upgrade(project)
    assert tree(project) == upgraded[2]
    assert not (project.folder / ".dvc/tmp/crivo-upgrade").exists()
