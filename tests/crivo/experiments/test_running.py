"""Running experiments for real, by DVC, in a project whose two stages take no time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from crivo.trials.repetition import repeat
from crivo.trials.runs import Run, run_all
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.toy import made_toy
from tests.crivo.experiments.untouched import state_of

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose stages have run; don't change it."""
    return made_toy(tmp_path_factory)


@pytest.fixture
def toy(made: Project, tmp_path: Path) -> Iterator[Project]:
    """Give a copy of the project; at the end its workspace must be as it was."""
    folder = tmp_path / "toy"
    shutil.copytree(made.folder, folder)
    copy = Project(folder)
    (folder / "notes.txt").write_text("mine\n")
    (folder / "params.yaml").open("a").write("# mine\n")
    before = state_of(folder)
    yield copy
    assert state_of(folder) == before


def test_a_failed_run_tells_dvc_s_last_words_and_keeps_the_others(toy: Project) -> None:
    history = read_history(toy.folder)
    runs = [Run("seed", "bad", ("seed=666",), "x"), Run("seed", "good", ("seed=7",), "x")]
    main = history.find("main")
    with pytest.raises(CrivoError, match=r"(?s)1 of 2 runs failed.*an unlucky seed"):
        run_all(history, main, runs, workers=1)
    assert [record.name for record in read_history(toy.folder).trials] == ["good"]


def test_an_experiment_that_a_shallow_clone_lacks_is_refused_before_it_runs(
    toy: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its reference may have been fetched without the commit that it started from."""
    from crivo.trials import engine

    started = toy.git("rev-parse", "HEAD")
    missing = "0123456789" * 4
    toy.git("update-ref", f"refs/exps/{missing[:2]}/{missing[2:]}/slow", started)
    monkeypatch.setattr(engine, "run_trial", lambda *_: pytest.fail("an experiment was run"))
    with pytest.raises(CrivoError, match="commit 0123456 is not in this clone.*--unshallow"):
        repeat("slow", seeds=2, folder=toy.folder)
