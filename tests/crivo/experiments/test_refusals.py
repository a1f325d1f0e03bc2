"""Requests that can't be meant, or can't be met here: one sentence, and status 1."""

from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.cli import app
from tests.crivo.experiments.repository import Project, evaluation_files, spread
from tests.crivo.experiments.tried import GOOD, MAIN, OTHER, TEST, names
from tests.crivo.settings import SETTINGS

REFUSED = [
    ("compare --rows good", "--rows compares two experiments, A and B; 1 were given"),
    ("compare god", "There is no experiment, branch, tag or commit 'god'; did you mean `good`?"),
    ("compare --where modle=x", "--where modle: no experiment has such a setting; did you mean `"),
    ("compare --where model", "--where is 'model'; expected key=value"),
    ("compare --where since=soon", "'soon' isn't a time; expected a date"),
    ("compare --where since=99999999999d", "'99999999999d' isn't a time; expected a date"),
    ("board --output params.yaml", "params.yaml is kept by git; name another file to write"),
    ("check --only limits", "metrics/evaluation/metrics.json doesn't exist yet; run `dvc repro`"),
    ("compare --rows main opened", "opened and main can't be compared row by row: other split: ev"),
    ("check --only X9", "There is no check 'X9'; there are: structure, data, B001, "),
    ("incumbent opened", "opened was evaluated on the test rows, which aren't for choosing; name"),
    ("confirm even", "even shows no gain over main on the validation rows (it is undecided), so"),
    ("docs nopage", "There is no page 'nopage' (there are: blocks, checks, "),
    ("evaluate --predictions a.csv", "There is no file a.csv; give a CSV or Parquet file of pred"),
    ("export params.yaml", "params.yaml is kept by git; name another file to write"),
    ("incumbent good --clear", "Give one experiment, or --clear, or neither to see the incumbent"),
    ("new kind x", "'kind' isn't a kind of block; there are: dataset, splitter, featurizer, mod"),
    ("note good words --remove", "Give either the text of a note or --remove"),
    ("plan main", "main can't be compared with itself; name another reference: `crivo plan main"),
    ("predict a.csv", "schema.json of . doesn't exist yet; run `dvc repro`"),
    ("predict a.csv --model params.yaml", "isn't a file that `crivo export` wrote ("),
    ("prune", "Say which experiments to remove"),
    ("prune --where modle=x", "--where modle: no experiment has such a setting; did you mean `mo"),
    ("prune --where verdict=wrose", "--where verdict is 'wrose'; expected one of better, worse"),
    ("prune --undo --dry-run", "leave out the rest"),
    ("prune good", "Nothing was removed: --yes removes without asking, and --dry-run only lists"),
    ("repeat good", "Give either --seeds or --folds, with a number of runs"),
    ("repeat good --seeds 2 --folds 2", "Give either --seeds or --folds, with a number of runs"),
    ("repeat good --folds 1", "--folds is 1; expected 2 or more"),
    ("repeat good --seeds 0", "--seeds is 0; expected 2 or more"),
    ("repeat good --fractions 1.5", "--fractions is 1.5; expected two or more numbers between"),
    ("repeat good --fractions 0.5 --seeds 2", "leave out --seeds, --folds, --against and --sched"),
    ("report", "metrics/evaluation/report.html doesn't exist yet; run `dvc repro`"),
    ("resolve", "dvc.lock has no conflict, so there is nothing to do"),
    ("search --resume seeds --seed 1", "as it began, so it takes no --seed; --trials, --minutes"),
    ("search --resume", "There is no search to resume here; `crivo search` starts one"),
    ("search model=linear,prior --against opened", "Trials need a reference that was evaluated on"),
    ("search model=linear,prior --name a..b", "--name is 'a..b'; expected letters, digits, -, _"),
    ("search model=forest,prior models.linear.C=1,2", "no chosen block reads models.linear.C; cho"),
    ("search seed=1 --scheduler here", "--scheduler is 'here'; expected the address of a Dask"),
    ("search seed=1 --scheduler slurm:a", "slurm: 'a' was given; expected OPTION=VALUE"),
    ("search seed=1 --against nobody", "There is no experiment, branch, tag or commit 'nobody'"),
    ("share good", "isn't a DVC project; run this in the project's folder, the one that has `"),
    ("start new --target y", "--target and similar options describe a file; name it with --data"),
    ("start new --data rows.csv", "--data needs --target, the column to predict"),
    ("start new --data a.csv --target y --task rank", "--task is 'rank'; expected one of binary"),
    ("start .git", ".git already exists and isn't empty"),
    ("trace fefefefe", "There is no experiment, branch, tag or commit 'fefefefe'"),
    ("trace params.yaml", ") isn't in any commit or experiment of this clone. If a run in this"),
    ("trace nothing", "There is no experiment, branch, tag or commit 'nothing'"),
    ("try seed=1 seed=2", "seed is given twice; a trial has one value for each setting"),
    ("upgrade", "There is no dvc.yaml and params.yaml here; run this in the project"),
    ("verify good --workspace", "--workspace compares this folder with HEAD; leave out REV"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a project with main and three trials; nothing that is refused changes it."""
    project = Project(tmp_path_factory.mktemp("refusing"))
    project.commit(MAIN)
    project.git("reset", "--quiet", "--hard")
    project.trial("good", GOOD)
    project.trial("even", OTHER)
    opened = evaluation_files({"roc_auc": spread(0.7)}, settings=TEST, split="test")
    project.trial("opened", opened)
    (project.folder / "params.yaml").write_text(SETTINGS)
    return project.folder


@pytest.mark.parametrize(("command", "words"), REFUSED)
def test_what_is_refused_is_said_in_a_sentence(folder: Path, command: str, words: str) -> None:
    with chdir(folder):
        done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 1
    assert words in " ".join(done.output.split())
    assert "Traceback" not in done.output
    assert names(folder) == {"good", "even", "opened"}
