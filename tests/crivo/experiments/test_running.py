"""Running experiments for real, by DVC, in a project whose two stages take no time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.comparison.compare import compare
from crivo.core.errors import CrivoError
from crivo.records.history import read_history
from crivo.records.looks import known_looks
from crivo.trials.confirmation import confirm
from crivo.trials.learning_curve import learning_curve
from crivo.trials.repetition import repeat
from crivo.trials.runs import Run, run_all
from crivo.trials.trial import try_settings
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


def test_a_trial_is_run_and_compared(toy: Project) -> None:
    name = try_settings(["models.boosting.learning_rate=0.2"], message="Faster", folder=toy.folder)
    assert name == "boosting-learning_rate=0.2"
    row = compare([name], folder=toy.folder).table.loc[name]
    assert (row["author"], row["message"], row["verdict"]) == ("Ana", "Faster", "better")
    with pytest.raises(CrivoError, match="has these settings and this code already"):
        try_settings(["models.boosting.learning_rate=0.2"], folder=toy.folder)


def test_a_learning_curve_is_made_of_experiments_that_are_no_trials(toy: Project) -> None:
    found = learning_curve("main", fractions=(0.25, 0.5), folder=toy.folder)
    assert [point.fraction for point in found.points] == [0.25, 0.5, 1.0]
    assert [point.experiment for point in found.points[:2]] == [
        "main-fraction=0.25",
        "main-fraction=0.5",
    ]
    # 0.1013 of all rows, a half and a quarter: (1 - 1/4) / 2 of it with each doubling.
    assert found.gain.value == pytest.approx(0.1013 * 0.375)
    assert [*compare(folder=toy.folder).table.index] == ["main"]
    trials = len(read_history(toy.folder).trials)
    learning_curve("main", fractions=(0.25, 0.5), folder=toy.folder)
    assert len(read_history(toy.folder).trials) == trials


def test_confirming_opens_the_test_rows_once_for_each_model(toy: Project) -> None:
    name = try_settings(["models.boosting.learning_rate=0.2"], folder=toy.folder)
    first = confirm(name, folder=toy.folder)
    assert first.outcome == "held"
    assert sorted(known_looks(toy.folder)["name"]) == [f"{name}-test", "main-test"]
    again = confirm(name, folder=toy.folder)
    assert again.answer == first.answer
    assert len(known_looks(toy.folder)) == 2
    test = read_history(toy.folder).find(f"{name}-test")
    assert test.origin.parent == toy.git("rev-parse", "HEAD")
    assert test.settings["models"]["boosting"]["learning_rate"] == 0.2


def test_seeds_are_real_experiments_and_one_row(toy: Project) -> None:
    found = repeat("main", seeds=3, folder=toy.folder)
    # The rate 0.1 plus a ten-thousandth of the seeds 13, 14 and 15.
    assert [run.value for run in found.runs] == pytest.approx([0.1013, 0.1014, 0.1015])
    assert (found.summary.recipe, found.summary.runs) == ("main", 3)
    assert found.summary.value == pytest.approx(0.1014)
    names = {record.name for record in read_history(toy.folder).trials}
    assert names == {"main-seed=14", "main-seed=15"}
    assert repeat("main", seeds=3, folder=toy.folder).answer == found.answer
    assert {record.name for record in read_history(toy.folder).trials} == names


def test_a_failed_run_tells_dvc_s_last_words_and_keeps_the_others(toy: Project) -> None:
    history = read_history(toy.folder)
    runs = [Run("seed", "bad", ("seed=666",), "x"), Run("seed", "good", ("seed=7",), "x")]
    main = history.find("main")
    with pytest.raises(CrivoError, match=r"(?s)1 of 2 runs failed.*an unlucky seed"):
        run_all(history, main, runs, workers=1)
    assert [record.name for record in read_history(toy.folder).trials] == ["good"]


def test_the_commands_print_the_answer_first(toy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    from crivo.commands import experiments, trial

    monkeypatch.chdir(toy.folder)
    app = typer.Typer()
    experiments.register(app)
    trial.register(app)
    run = CliRunner().invoke
    made = run(app, ["try", "models.boosting.learning_rate=0.2", "-m", "Faster"])
    assert made.exit_code == 0, made.output
    assert " is better than main: roc_auc" in made.output
    confirmed = run(app, ["confirm", "boosting-learning_rate=0.2"])
    assert "held: better, roc_auc" in confirmed.output
    repeated = run(app, ["repeat", "main", "--seeds", "2", "--json"])
    assert '"answer": "main over 2 seeds: roc_auc' in repeated.output


def test_a_shallow_clone_runs_new_experiments_and_those_it_has(
    made: Project, tmp_path: Path
) -> None:
    shutil.copytree(made.folder, tmp_path / "whole")
    whole, folder = Project(tmp_path / "whole"), tmp_path / "shallow"
    whole.git("commit", "--quiet", "--allow-empty", "--message", "Second")
    whole.git("clone", "--quiet", "--depth", "1", f"file://{whole.folder}", str(folder))
    shallow = Project(folder)
    shallow.identify()
    shutil.copytree(whole.folder / ".dvc/cache", folder / ".dvc/cache")
    (folder / "src/train.py").open("a").write("# mine\n")
    before = state_of(folder)
    name = try_settings(["models.boosting.learning_rate=0.2"], folder=folder)
    assert len(repeat(name, seeds=2, folder=folder).runs) == 2
    assert {record.name for record in read_history(folder).trials} == {name, f"{name}-seed=14"}
    assert state_of(folder) == before
    shallow.git("fsck")


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
