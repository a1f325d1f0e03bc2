"""Running experiments for real, by DVC, in a project whose two stages take no time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from crivo.core.errors import CrivoError
from crivo.experiments import compare, confirm, known_looks, repeat, try_settings
from crivo.experiments.history import read_history
from crivo.experiments.repetition import Run, run_all
from crivo.experiments.sandbox import run_dvc
from tests.crivo.experiments.repository import Project

pytestmark = pytest.mark.pipeline

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

DVC_YAML = """
stages:
  train:
    cmd: python src/train.py
    deps: [src/train.py, data/raw/numbers]
    params: [seed, model, models.boosting]
    outs: [models/model.skops]
  evaluate:
    cmd: python src/evaluate.py
    deps: [src/evaluate.py, models/model.skops]
    params: [evaluate]
    outs:
    - metrics/evaluation/predictions.parquet
    - metrics/evaluation/evaluation.json: {cache: false}
    - metrics/evaluation/intervals.csv: {cache: false}
    - metrics/evaluation/jackknife.csv: {cache: false}
"""

# The "model" is the value of its metric: the rate, a little of the seed.
TRAIN = """
import pathlib, yaml
settings = yaml.safe_load(open("params.yaml"))
assert open("data/raw/numbers/some.csv").read()
if settings["seed"] == 666:
    raise SystemExit("an unlucky seed")
value = settings["models"]["boosting"]["learning_rate"] + settings["seed"] / 10000
pathlib.Path("models").mkdir(exist_ok=True)
open("models/model.skops", "w").write(str(value))
"""

EVALUATE = """
import json, pathlib, yaml
split = yaml.safe_load(open("params.yaml"))["evaluate"]["split"]
value = float(open("models/model.skops").read())
folder = pathlib.Path("metrics/evaluation")
folder.mkdir(parents=True, exist_ok=True)
steps = [.003, .003, .003, .003, -.003, -.003, -.003, -.003, 0]
deleted = [value + value * step for step in steps]
about = {"rows": split, "definition": "d", "split": split, "task": "binary",
         "primary": "roc_auc", "n_rows": 9}
(folder / "evaluation.json").write_text(json.dumps(about))
(folder / "intervals.csv").write_text(
    f"metric,of,value,se,low,high\\nroc_auc,model,{value},.01,{value - .02},{value + .02}\\n")
(folder / "jackknife.csv").write_text(
    "cluster,roc_auc\\n" + "".join(f"{i},{v}\\n" for i, v in enumerate(deleted)))
(folder / "predictions.parquet").write_text(f"{value} {split}")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Give a project whose stages have run; don't change it."""
    project = Project(tmp_path_factory.mktemp("made"))
    for key, value in (("user.name", "Ana"), ("user.email", "ana@example.org")):
        project.git("config", key, value)
    run_dvc(["init", "--quiet"], project.folder)
    files = {
        "dvc.yaml": DVC_YAML,
        "src/train.py": TRAIN,
        "src/evaluate.py": EVALUATE,
        "params.yaml": (ROOT / "params.yaml").read_text(encoding="utf-8"),
        "data/raw/numbers/some.csv": "1\n",
    }
    for name, text in files.items():
        path = project.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    dvc = run_dvc(["add", "--quiet", "--no-commit", "data/raw/numbers"], project.folder)
    assert dvc.returncode == 0, dvc.stderr
    dvc = run_dvc(["repro", "--quiet"], project.folder)
    assert dvc.returncode == 0, dvc.stderr
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message", "Start")
    return project


@pytest.fixture
def toy(made: Project, tmp_path: Path) -> Iterator[Project]:
    """Give a copy of the project; at the end its workspace must be as it was."""
    folder = tmp_path / "toy"
    shutil.copytree(made.folder, folder)
    copy = Project(folder)
    (folder / "notes.txt").write_text("mine\n")
    (folder / "params.yaml").open("a").write("# mine\n")
    before = (copy.git("status", "--porcelain"), copy.git("rev-parse", "HEAD"))
    yield copy
    assert (copy.git("status", "--porcelain"), copy.git("rev-parse", "HEAD")) == before


def test_a_trial_is_run_and_compared(toy: Project) -> None:
    name = try_settings(["models.boosting.learning_rate=0.2"], message="Faster", folder=toy.folder)
    assert name == "boosting-learning_rate=0.2"
    row = compare([name], folder=toy.folder).table.loc[name]
    assert (row["author"], row["message"], row["verdict"]) == ("Ana", "Faster", "better")
    with pytest.raises(CrivoError, match="has these settings and this code already"):
        try_settings(["models.boosting.learning_rate=0.2"], folder=toy.folder)


def test_confirming_opens_the_test_rows_once_for_each_model(toy: Project) -> None:
    name = try_settings(["models.boosting.learning_rate=0.2"], folder=toy.folder)
    first = confirm(name, folder=toy.folder)
    assert first.fate == "held"
    assert sorted(known_looks(toy.folder)["name"]) == [f"{name}-test", "main-test"]
    again = confirm(name, folder=toy.folder)
    assert again.answer == first.answer
    assert len(known_looks(toy.folder)) == 2
    test = read_history(toy.folder).find(f"{name}-test")
    assert test.origin.parent == toy.git("rev-parse", "HEAD")
    assert test.settings["models"]["boosting"]["learning_rate"] == 0.2


def test_seeds_are_real_experiments_and_one_row(toy: Project) -> None:
    found = repeat("main", seeds=3, folder=toy.folder)
    # The rate .1 plus a ten-thousandth of the seeds 13, 14 and 15.
    assert found.runs["value"].tolist() == pytest.approx([0.1013, 0.1014, 0.1015])
    assert list(found.summary.loc["main", ["runs", "value"]]) == pytest.approx([3, 0.1014])
    names = {record.name for record in read_history(toy.folder).trials}
    assert names == {"main-seed=14", "main-seed=15"}
    assert repeat("main", seeds=3, folder=toy.folder).answer == found.answer
    assert {record.name for record in read_history(toy.folder).trials} == names


def test_a_failed_run_tells_dvc_s_last_words_and_keeps_the_others(toy: Project) -> None:
    history = read_history(toy.folder)
    runs = [Run("bad", ("seed=666",), "x"), Run("good", ("seed=7",), "x")]
    with pytest.raises(CrivoError, match=r"(?s)1 of 2 runs failed.*an unlucky seed"):
        run_all(history, history.find("main"), runs, jobs=1)
    assert [record.name for record in read_history(toy.folder).trials] == ["good"]


def test_the_commands_print_the_answer_first(toy: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    import typer

    from crivo.commands import experiments

    monkeypatch.chdir(toy.folder)
    app = typer.Typer()
    experiments.register(app)
    run = CliRunner().invoke
    made = run(app, ["try", "models.boosting.learning_rate=0.2", "-m", "Faster"])
    assert made.exit_code == 0, made.output
    assert "\nbetter vs main: roc_auc" in made.output
    confirmed = run(app, ["confirm", "boosting-learning_rate=0.2"])
    assert "held: better, roc_auc" in confirmed.output
    repeated = run(app, ["repeat", "main", "--seeds", "2", "--json"])
    assert '"answer": "main over 2 seeds: roc_auc' in repeated.output
