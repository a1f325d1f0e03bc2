"""Requests that can't be meant, or can't be met here: one sentence, and status 1."""

import json
from contextlib import chdir, nullcontext
from pathlib import Path

import pytest

from crivo.core.errors import CrivoError
from crivo.trials.trial import BudgetUsedUp
from crivo.trials.worker import TrialFailed
from tests.crivo.cli import invoke
from tests.crivo.experiments.repository import Project, evaluated
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER, TEST, names
from tests.crivo.settings import SETTINGS

REFUSED = [
    ("compare --rows good", "--rows compares two experiments, A and B; expected two, not 1 name"),
    ("compare god", "There is no experiment, branch, tag or commit 'god'; did you mean `good`?"),
    ("compare --where modle=x", "--where modle: no experiment has such a setting; did you mean `"),
    ("compare --where model", "--where is 'model'; expected key=value"),
    ("compare --where since=soon", "'soon' isn't a time; expected a date"),
    ("compare --where since=99999999999d", "'99999999999d' isn't a time; expected a date"),
    ("board --output params.yaml", "params.yaml is tracked by git; name another file to write"),
    ("check --only limits", "metrics/evaluation/metrics.json doesn't exist yet; run `dvc repro`"),
    ("compare --rows main opened", "opened and main can't be compared row by row: other split: ev"),
    ("check --explain X001", "X001 is a check of your own; its docstring explains it"),
    ("check --only limitz", "There is no check 'limitz'; there are: structure, data, B001, "),
    ("incumbent opened", "opened was evaluated on the test rows, which aren't for choosing; name"),
    ("confirm even", "even shows no gain over main on the validation rows (it is undecided), so"),
    ("docs guid", "There is no page 'guid'; did you mean `guide`? (there are: blocks, checks, "),
    ("evaluate --predictions a.csv", "There is no file a.csv; give a CSV or Parquet file of pred"),
    ("board --output data/raw/page.html", "is in data/raw, and raw data are never changed; name a"),
    ("board --output params.yaml/page.html", "can't be written, as params.yaml isn't a folder; na"),
    ("compare --rows main good", "main was recorded without data/prepared/schema.json; run it aga"),
    ("compare main --quiet --verbose", "--quiet and --verbose can't be combined; give only one of"),
    ("export params.yaml", "params.yaml is tracked by git; name another file to write"),
    ("incumbent good --clear", "Give one experiment, or --clear, or neither to see the incumbent"),
    ("new kind x", "'kind' isn't a kind of block; there are: dataset, splitter, featurizer, mod"),
    ("note good words --remove", "Give either the text of a note or --remove"),
    ("plan main", "main can't be compared with itself; name another reference: `crivo plan main"),
    ("predict a.csv", "schema.json of . doesn't exist yet; run `dvc repro` in a project, or name"),
    ("predict a.csv --model params.yaml", "isn't a file that `crivo export` wrote ("),
    ("prune", "Say which experiments to remove"),
    ("prune good goood", "There is no experiment 'goood' to remove; did you mean `good`?"),
    ("prune --where verdict=wrose", "--where verdict is 'wrose'; expected one of better, worse"),
    ("prune --undo --dry-run", "leave out the rest"),
    ("prune good", "Nothing was removed: --yes removes without asking, and --dry-run only lists"),
    ("repeat good", "Give either --seeds or --folds, with a number of runs"),
    ("repeat good --folds 1", "--folds is 1; expected 2 or more"),
    ("repeat good --fractions 1.5", "--fractions is 1.5; expected two or more numbers between"),
    ("repeat good --fractions 0.5 --seeds 2", "leave out --seeds, --folds, --against and --sched"),
    ("report good", "good was recorded without metrics/evaluation/report.html; run it again"),
    ("report", "report.html doesn't exist yet; run `dvc repro` in the project's folder"),
    ("resolve", "dvc.lock has no conflict, so there is nothing to do"),
    ("search --resume seeds --seed 1", "as it began, so it takes no --seed; --trials, --minutes"),
    ("search --resume seeds slower", "as it began, so it takes no second name; --trials, --min"),
    ("search --resume", "There is no search to resume here; `crivo search` starts one"),
    ("search model=linear,prior --against opened", "Trials need a reference that was evaluated on"),
    ("search model=linear,prior --name a..b", "--name is 'a..b'; expected letters, digits, -, _"),
    ("search model=forest,prior models.linear.C=1,2", "no chosen block reads models.linear.C; cho"),
    ("search models.linear.C=log(0,1)", "is 'log(0,1)'; expected values"),
    ("search models.linear.C=uniform(2,1)", "or a range, the smaller end first"),
    ("search model=linear models.linear.C=-1,1", "models.linear.C: is -1, but it should be grea"),
    ("search seed=1,2", "the best seed is luck"),
    ("search", "There is no space to search: write what may vary below `search:` in params"),
    ("search seed=1 --scheduler here", "--scheduler is 'here'; expected the address of a Dask"),
    ("search seed=1 --scheduler slurm:a", "slurm: 'a' was given; expected OPTION=VALUE"),
    ("share good", "isn't a DVC project; run this in the project's folder, the one that has `"),
    ("start new --target y", "--target and similar options describe a file; name it with --data"),
    ("start new --data rows.csv", "--data needs --target, the column to predict"),
    ("start new --data a.csv --target y --task rank", "--task is 'rank'; expected one of binary"),
    ("start . --data rows.csv --target y", "Give the name of a new folder: crivo start doesn't re"),
    ("start .git", ".git already exists and isn't empty"),
    ("trace fefefefe", "There is no experiment, branch, tag or commit 'fefefefe'"),
    ("trace params.yaml", ") isn't in any commit or experiment of this clone. If a run in this"),
    ("try models.linear.C=2", "choose its block too: `crivo try model=linear models.linear.C=2`."),
    (
        "try compare.planned_trials=9",
        "No stage reads compare.planned_trials, so this trial would change nothing",
    ),
    ("try linear.C=2", "linear.C: params.yaml has no such setting; did you mean `models.linear.C`"),
    ("try models.linear.c=2", "has no such setting; did you mean `models.linear.C`? To add a sett"),
    ("try models.linear.C", "'models.linear.C' gives no value; expected key=value, such as seed=2"),
    ("try 2=seed", "2=seed has key and value swapped; write seed=2."),
    ("try seed=2 --name a/b", "--name is 'a/b'; expected letters, digits, -, _, ., +, = an"),
    ("try seed=[1", "'seed=[1' can't be applied to params.yaml: "),
    ("try model=café", "applied to params.yaml. Expected key=value; a value with accents, bracket"),
    ("try seed=1,2", "'seed=1,2' names several values; a trial has one for each setting"),
    ("try models.linear.C=-1 model=nothing", "models.linear.C: is -1, but it should be greater th"),
    ("try seed=2 --against goo", "did you mean `good`"),
    ("try seed=2 --budget 1", "The budget of 1 trial is used up: 3 trials on these rows so far"),
    ("try", "src/odd.py, and a trial contains only files that git tracks; run"),
    ("try ++evaluators.standard.metrics=[roc_auc,f1]", "git doesn't track src/blocks/metrics/f1.p"),
    ("try seed=1 seed=2", "seed is given twice; a trial has one value for each setting"),
    ("upgrade", "There is no dvc.yaml and params.yaml here; run this in the project"),
    ("verify good --workspace", "--workspace compares this folder with HEAD; leave out REV"),
]


VERDICTS = [
    ("good", "better", 0), ("even", "undecided", 2), ("main", "identical", 1),
    ("opened", "refused", 3),
]  # fmt: skip
ERRORS = [
    (TrialFailed("It failed."), "failed", False),
    (CrivoError("Not that."), "refused", False),
    (BudgetUsedUp("No more."), "refused", True),
    (ValueError("odd"), "refused", False),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with main and three trials; nothing that is refused changes it."""
    project = Project(tmp_path_factory.mktemp("refusing"))
    project.commit(MAIN)
    project.git("reset", "--quiet", "--hard")
    project.trial("good", GOOD)
    project.trial("even", OTHER)
    opened = evaluated(0.7, settings=TEST, split="test")
    project.trial("opened", opened)
    (project.folder / "params.yaml").write_text(SETTINGS)
    (project.folder / "src/blocks/metrics").mkdir(parents=True)
    for path in ("odd.py", "blocks/metrics/f1.py"):
        (project.folder / "src" / path).touch()
    return project.folder


@pytest.mark.parametrize(("command", "words"), REFUSED)
def test_what_is_refused_is_said_in_a_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    monkeypatch.setattr("crivo.trials.trial.local_engine", lambda *_: nullcontext())
    with chdir(folder):
        done = invoke(*command.split())
    assert done.exit_code == 1
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert names(folder) == {"good", "even", "opened"}


@pytest.mark.parametrize(("name", "outcome", "status"), VERDICTS)
def test_the_exit_status_of_a_trial_is_its_verdict(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, outcome: str, status: int
) -> None:
    monkeypatch.setattr("crivo.trials.trial.try_settings", lambda *_, **__: name)
    with chdir(folder):
        done = invoke("try", "--json", "seed=2")
    said = json.loads(done.stdout)
    assert (said["outcome"], said["experiment"], done.exit_code) == (outcome, name, status)
    assert (outcome == "refused") == str(said["error"]).endswith("main on the rows of opened")


@pytest.mark.parametrize(("error", "outcome", "stop"), ERRORS)
def test_a_program_is_told_why_there_is_no_trial(
    monkeypatch: pytest.MonkeyPatch, error: Exception, outcome: str, stop: bool
) -> None:
    def raises(*_: object, **__: object) -> str:
        print("what a stage says")
        raise error

    monkeypatch.setattr("crivo.trials.trial.try_settings", raises)
    done = invoke("try", "--json", "seed=2")
    said = json.loads(done.stdout)
    assert (said["outcome"], said["stop"], done.exit_code) == (outcome, stop, 3)
    assert str(error) in said["error"]
    assert ("Traceback" in done.stderr) == isinstance(error, ValueError)


ANSWERS = [
    ("incumbent", "There is no incumbent; `crivo incumbent REV` sets one."),
    ("incumbent slow", "slow is the incumbent now, chosen from 2 models"),
    ("incumbent", "slow ("),
    ("incumbent --clear", "The incumbent was removed; commit metrics/incumbent.json."),
    ("incumbent", "There is no incumbent"),
    ("board", "board/board.html"),
]


def test_an_incumbent_is_set_shown_and_cleared(tried: Project) -> None:
    with chdir(tried.folder):
        for command, words in ANSWERS:
            done = invoke(*command.split())
            assert done.output.startswith(words), command


def test_outside_of_a_project_nothing_is_fetched(tmp_path: Path) -> None:
    with chdir(tmp_path):
        done = invoke("fetch")
    assert (done.exit_code, "There is no params.yaml here" in done.output) == (1, True)
