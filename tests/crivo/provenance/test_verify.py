"""`crivo verify` tells results that come out again from those that don't, and says why."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.provenance.verification import Verification, verification_text, verify
from tests.crivo import forked
from tests.crivo.experiments.repository import Project as Repository
from tests.crivo.pipeline.project import Project

FOUND = Path(__file__).with_name("found.txt").read_text(encoding="utf-8").strip().split("\n\n")
RAW, METRICS = "data/raw/numbers", "metrics/toy.json"


@pytest.fixture
def project(toy: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """Give a project that has run; at the end no temporary clone may be left."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    forked.fork_what_crivo_starts(monkeypatch)
    yield Project(toy.folder)
    assert list((tmp_path / "temporary").iterdir()) == []


def plant(project: Project, line: str) -> None:
    """Put a line of Python into the training stage."""
    project.replace("src/train.py", "# planted", line)


def changed(project: Project, line: str, **variables: str) -> Project:
    """Run the project with another line in its training, and commit the result."""
    plant(project, line)
    project.dvc("repro", "--quiet", **variables)
    project.commit()
    return project


def verified(project: Project) -> Verification:
    """Verify; unless a stage fails, compare all that is found but commits with `found.txt`."""
    found = verify(folder=project.folder)
    moved = [f"{one.stage} {one.path} {one.recorded} {one.found}" for one in found.moved]
    text = "\n".join([verification_text(found), *moved])
    text = re.sub(r"HEAD \(\w+\)|\w+\.dir", "#", text)
    assert found.outcome == "failed" or text in FOUND
    return found


def test_a_file_that_only_the_workspace_has_is_named(project: Project) -> None:
    project.write("weights.txt", "1")
    project.write(".git/info/exclude", "weights.txt\n")
    found = verified(changed(project, 'value += float(open("weights.txt").read())'))
    assert found.outcome == "failed"
    assert found.answer == "Not reproduced: train failed in a fresh clone."
    assert any("FileNotFoundError" in line for line in found.words)


def test_another_environment_lock_is_refused_or_named(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("requirements.txt", "packaging==0.0.1\n")
    project.commit("Change the lock, forget the results")
    with pytest.raises(CrivoError, match=r"isn't that of its requirements.txt: packaging is"):
        verify(folder=project.folder)
    monkeypatch.setenv("CRIVO_ENVIRONMENT", "warn")
    assert verified(project).outcome == "identical"


TIMED = """
import time
pathlib.Path("metrics/train").mkdir(parents=True)
pathlib.Path("metrics/train/timed.json").write_text(f'{{"loss": 0.5, "time": {time.time()}}}')
"""


def test_metrics_that_dvc_keeps_count_by_their_bytes(project: Project) -> None:
    project.replace("dvc.yaml", "[models/model.skops]", "[models/model.skops, metrics/train]")
    both = "[metrics/toy.json, metrics/train/timed.json]"
    project.replace("dvc.yaml", "[metrics/toy.json]", both)
    assert verified(changed(project, TIMED)).outcome == "equal"


def test_code_that_changed_after_the_run_is_named(project: Project) -> None:
    """So are a setting and a command that did."""
    plant(project, "value += 1")
    project.replace("params.yaml", "model: boosting", "model: linear")
    project.replace("dvc.yaml", "python src/train.py", "python -B src/train.py")
    project.commit("Change the code, forget the results")
    assert verified(project).outcome == "moved"


@pytest.mark.slow
def test_metrics_edited_by_hand_and_raw_data_of_a_remote(project: Project) -> None:
    project.dvc("add", "--quiet", RAW)
    project.dvc("remote", "add", "--default", "store", "../store")
    project.dvc("push", "--quiet", f"{RAW}.dvc")
    project.replace(METRICS, "0.1013", "0.99")
    project.commit("Add a remote, improve the model")
    shutil.rmtree(project.folder / ".dvc/cache")
    shutil.rmtree(project.folder / RAW)
    found = verified(project)
    assert found.outcome == "moved"
    assert not (project.folder / ".dvc/cache").exists()


def test_raw_data_that_are_nowhere_are_a_sentence(project: Project) -> None:
    shutil.rmtree(project.folder / ".dvc/cache")
    project.write(f"{RAW}/some.csv", "2\n")
    lacking = r"HEAD \(\w{7}\) reads data/raw/numbers \(md5 [0-9a-f]{32}.dir\)"
    with pytest.raises(CrivoError, match=lacking):
        verify(folder=project.folder)


def test_a_commit_without_results_is_refused_and_one_without_its_data_fails(
    project: Project,
) -> None:
    project.git("rm", "--quiet", f"{RAW}.dvc")
    project.commit("Forget the data")
    found = verified(project)
    assert found.outcome == "failed"
    assert RAW in " ".join(found.words)
    project.git("rm", "--quiet", "dvc.lock")
    project.commit("Forget the results")
    with pytest.raises(CrivoError, match=r"it was recorded without dvc\.lock"):
        verify(folder=project.folder)
