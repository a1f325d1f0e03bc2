"""`crivo verify` tells results that come out again from those that don't, and says why."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.provenance import verify
from tests.crivo import forked
from tests.crivo.pipeline.project import Project
from tests.crivo.provenance.toy import plant

METRICS = "metrics/evaluation/metrics.json"


@pytest.fixture
def toy(
    finished_toy: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Project]:
    """Give a copy of the project; at the end no temporary clone may be left."""
    shutil.copytree(finished_toy.folder, tmp_path / "toy", symlinks=True)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    forked.fork_what_crivo_starts(monkeypatch)
    yield Project(tmp_path / "toy")
    assert list((tmp_path / "temporary").iterdir()) == []


def changed(toy: Project, line: str, **variables: str) -> Project:
    """Run the project with another line in its training, and commit the result."""
    plant(toy, line)
    toy.dvc("repro", "--quiet", **variables)
    toy.commit()
    return toy


def test_a_file_that_only_the_workspace_has_is_named(toy: Project) -> None:
    toy.write("weights.txt", "1")
    (toy.folder / ".git/info/exclude").write_text("weights.txt\n")
    found = verify(folder=changed(toy, 'value += float(open("weights.txt").read())').folder)
    assert found.outcome == "failed"
    assert "train failed" in found.answer
    assert any("FileNotFoundError" in line for line in found.words)


def test_another_environment_lock_is_refused_or_named(
    toy: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.write("requirements.txt", "packaging==0.0.1\n")
    toy.commit("Change the lock, forget the results")
    with pytest.raises(CrivoError, match=r"isn't that of its requirements.txt: packaging is"):
        verify(folder=toy.folder)
    monkeypatch.setenv("CRIVO_ENVIRONMENT", "warn")
    found = verify(folder=toy.folder)
    assert found.outcome == "identical"
    other = "The results were recorded with other inputs than the commit has (requirements.txt"
    assert other in found.causes[0]


def test_code_that_changed_after_the_run_is_named(toy: Project) -> None:
    plant(toy, "value += 1")
    toy.commit("Change the code, forget the results")
    found = verify(folder=toy.folder)
    assert (found.outcome, found.moved[0].stage) == ("moved", "train")
    assert [one.name for one in found.metrics] == ["roc_auc"]
    causes = " ".join(found.causes)
    assert "recorded with other inputs than the commit has (src/train.py changed" in causes


def test_metrics_edited_by_hand_and_raw_data_of_a_remote(toy: Project) -> None:
    toy.dvc("remote", "add", "--default", "store", "../store")
    toy.dvc("push", "--quiet", "data/raw/numbers.txt.dvc")
    toy.replace(METRICS, "0.51", "0.99")
    toy.commit("Add a remote, improve the model")
    shutil.rmtree(toy.folder / ".dvc/cache")
    (toy.folder / "data/raw/numbers.txt").unlink()
    found = verify(folder=toy.folder)
    assert (found.outcome, found.left) == ("moved", (f" M {METRICS}",))
    assert found.answer == f"Not reproduced: git reports changes besides the results:  M {METRICS}."
    assert not (toy.folder / ".dvc/cache").exists()


def test_raw_data_that_are_nowhere_are_a_sentence(toy: Project) -> None:
    shutil.rmtree(toy.folder / ".dvc/cache")
    toy.write("data/raw/numbers.txt", "0.6\n")
    lacking = r"HEAD \(\w{7}\) reads data/raw/numbers.txt \(md5 [0-9a-f]{32}\)"
    with pytest.raises(CrivoError, match=lacking):
        verify(folder=toy.folder)


@pytest.mark.parametrize(
    ("forgotten", "words"),
    [("data/raw/numbers.txt.dvc", "neither git nor DVC keeps"), ("dvc.lock", "has no dvc.lock")],
)
def test_a_commit_without_data_or_results_is_refused(
    toy: Project, forgotten: str, words: str
) -> None:
    toy.git("rm", "--quiet", forgotten)
    toy.commit("Forget something")
    with pytest.raises(CrivoError, match=words):
        verify(folder=toy.folder)
