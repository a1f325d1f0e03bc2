"""`crivo trace` tells where a file comes from, and what an experiment is made of."""

from __future__ import annotations

import hashlib
import shutil
import time
from pathlib import Path

import pytest

from crivo.provenance import trace
from tests.crivo.made_once import plain_folder
from tests.crivo.pipeline.project import Project
from tests.crivo.provenance.toy import plant

MODEL = "models/model.skops"
OF_SEVEN = repr(0.5 + 0.07)  # the number in the data, a hundredth of the seed


@pytest.fixture(scope="module")
def made(finished_toy: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project with an experiment, and a commit after it; don't change it."""
    project = Project(plain_folder(tmp_path_factory) / "toy")
    shutil.copytree(finished_toy.folder, project.folder, symlinks=True)
    run = ["exp", "run", "--quiet", "--temp", "--name", "seven", "-S", "seed=7"]
    project.dvc(*run, "--message", "Seven is lucky")
    plant(project, "value += 1")
    project.dvc("repro", "--quiet")
    project.git("add", "--all")
    # git's times are whole seconds, and both may be made in one.
    later = f"--date=@{int(time.time()) + 60} +0000"
    project.git("commit", "--quiet", "--message", "Add one", later)
    return project


@pytest.fixture
def toy(made: Project, tmp_path: Path) -> Project:
    """Give a copy of the project to do anything with."""
    shutil.copytree(made.folder, tmp_path / "toy", symlinks=True)
    return Project(tmp_path / "toy")


def md5(content: str) -> str:
    return hashlib.md5(content.encode()).hexdigest()


def revision(toy: Project, name: str) -> str:
    return toy.git("rev-parse", name).strip()


def test_a_model_is_traced_to_the_commit_that_made_it(made: Project) -> None:
    found = trace(MODEL, made.folder)
    assert found.output is not None
    assert (found.output.path, found.output.md5, found.role) == (
        MODEL,
        md5("1.51"),
        "made by train",
    )
    source = found.source
    assert (source.kind, source.revision) == ("commit", revision(made, "HEAD"))
    assert (source.author, source.message) == ("Tester", "Add one")
    assert found.data == {"data/raw/numbers.txt": md5("0.5\n")}
    assert found.settings == {"seed": 1}
    assert found.changed == ("code src/train.py changed",)
    assert set(found.code) == {"src/prepare.py", "src/train.py"}
    assert found.environment == {"requirements.txt": md5("")}
    assert (found.current, found.in_workspace, found.also) == (True, True, ())


def test_an_experiment_s_model_is_traced_by_its_hash(made: Project, tmp_path: Path) -> None:
    (tmp_path / "model-from-a-mail").write_text(OF_SEVEN)
    for what in (md5(OF_SEVEN), md5(OF_SEVEN)[:6], str(tmp_path / "model-from-a-mail")):
        found = trace(what, made.folder)
        assert (found.source.name, found.source.kind) == ("seven", "experiment")
    assert found.source.message == "Seven is lucky"
    assert found.source.parent == revision(made, "HEAD~1")
    assert found.settings == {"seed": 7}
    assert found.changed == ("setting seed: 1 → 7",)
    assert (found.current, found.in_workspace) == (False, False)


def test_an_exported_predictor_is_traced_by_the_model_in_it(
    reproduced: Project, tmp_path: Path
) -> None:
    reproduced.run("crivo", "export", str(tmp_path / "late.zip"))
    found = trace(str(tmp_path / "late.zip"), reproduced.folder)
    assert found.output is not None
    assert (found.output.path, found.source.message) == (MODEL, "Run the pipeline")


def test_a_commit_is_traced_as_it_is_and_an_older_one_by_its_own_code(made: Project) -> None:
    assert trace("HEAD", made.folder).current
    older = trace("HEAD~1", made.folder)
    assert (older.current, older.source.message) == (False, "Start")
    assert older.commands[0] == f"crivo verify {revision(made, 'HEAD~1')[:7]}"
