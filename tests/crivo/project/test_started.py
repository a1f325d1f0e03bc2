"""As a user gets it: the wheel in an empty environment, a project started, run and tested there.

No repository is at hand. The other packages are those of the development environment, linked,
so that nothing is downloaded.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_wine
from tests.crivo.pipeline.project import environment

from crivo.project.wheel import built

ROOT = Path(__file__).parents[3]
ROWS = 300
OURS = ("crivo", "__editable__", "distutils-precedence.pth")
SHIM = '#!/bin/sh\nexec "{python}" -m {module} "$@"\n'

# A project runs its pipeline and all of its tests; many minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900), pytest.mark.long]


@dataclass
class User:
    """Somebody with an environment, in a folder."""

    bin: Path
    folder: Path

    def run(self, *command: str, fails: bool = False) -> str:
        """Run a command and return what it printed; it must succeed, or fail when told to."""
        env = environment(PATH=f"{self.bin}{os.pathsep}{os.environ['PATH']}")
        done = subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)
        printed = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{' '.join(command)}\n{printed}"
        return printed

    def project_tests(self, *options: str) -> str:
        return self.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *options)


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> User:
    """Give a user who has installed the wheel that `make wheel` makes, and nothing of ours else."""
    folder = tmp_path_factory.mktemp("user")
    wheel = built(ROOT)
    (folder / wheel.name).write_bytes(wheel.content)
    venv.create(folder / "env", symlinks=True)
    bin_folder = folder / "env/bin"
    user = User(bin_folder, folder)
    site = Path(user.run("python", "-c", "import site; print(site.getsitepackages()[0])").strip())
    (folder / "others").mkdir()
    for path in (path for place in sys.path if place.endswith("-packages")
                 for path in Path(place).iterdir()):  # fmt: skip
        if not path.name.startswith(OURS):
            (folder / "others" / path.name).symlink_to(path)
    (site / "others.pth").write_text(f"{folder / 'others'}\n")
    user.run("python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel.name)
    (bin_folder / "dvc").write_text(SHIM.format(python=bin_folder / "python", module="dvc"))
    (bin_folder / "dvc").chmod(0o755)
    return user


def table(task: str) -> pd.DataFrame:
    """Return made-up rows of two classes, or scikit-learn's own of the other tasks."""
    if task == "multiclass":
        wine = load_wine(as_frame=True).frame.rename(columns={"target": "y"})
        return wine.assign(grape=wine["y"].map({0: "red", 1: "white", 2: "rosé"}))
    if task == "regression":
        rows = load_diabetes(as_frame=True).frame.rename(columns={"target": "y"})
        rows["s1"] = rows["s1"].where(np.arange(len(rows)) % 3 > 0)
        return rows.assign(visit=pd.date_range("2013-01-01", periods=len(rows)))
    rng = np.random.default_rng(0)
    number = rng.normal(size=ROWS)
    noisy = number + rng.normal(size=ROWS)
    kinds = rng.choice(["a", "b", "c"], ROWS)
    return pd.DataFrame({"number": number, "kind": kinds, "y": np.where(noisy > 0.5, "yes", "no")})


def started(user: User, name: str, options: Sequence[str]) -> User:
    said = user.run("crivo", "start", name, *options)
    assert f"cd {name}\n  make repro\n  make test\n" in said
    return User(user.bin, user.folder / name)


def start_on_table(user: User, task: str, name: str, *options: str) -> User:
    table(task).to_csv(user.folder / f"{task}.csv", index=False)
    given = ["--data", f"{task}.csv", "--target", "y", "--task", task, *options]
    return started(user, name, given)


def run_of_the_pipeline(project: User, tests: str) -> Path:
    """Run some of a project's tests and return the folder of their run on few rows."""
    folder = project.folder.with_name(f"{project.folder.name}-tests")
    assert " passed" in project.project_tests("-k", tests, "--basetemp", str(folder))
    return folder / "sample0"


def result_of(sample: Path) -> tuple[dict[str, float], str]:
    folder = sample / "metrics/evaluation"
    return json.loads((folder / "metrics.json").read_text()), (folder / "report.md").read_text()


def test_three_classes_go_all_the_way_and_what_gives_them_away_is_said(user: User) -> None:
    project = start_on_table(user, "multiclass", "wine")
    sample = run_of_the_pipeline(project, "row_has_a_prediction or rows_are_scored")
    metrics, report = result_of(sample)
    assert "L006,error,grape," in (sample / "metrics/features/findings.csv").read_text()
    assert "> L006, grape: gives `y` exactly wherever known" in report
    assert "| L006 | error | grape |" in report
    assert metrics["accuracy"] > 0.9
    assert metrics["balanced_accuracy"] > metrics["baseline_balanced_accuracy"]
    assert metrics["baseline_balanced_accuracy"] == pytest.approx(1 / 3)


def test_a_quantity_split_by_time_goes_all_the_way_without_a_false_alarm(user: User) -> None:
    project = start_on_table(user, "regression", "diabetes", "--time", "visit")
    sample = run_of_the_pipeline(project, "row_has_a_prediction or rows_are_scored")
    metrics, report = result_of(sample)
    assert "R003" not in report
    assert metrics["r2"] > 0.25
    assert metrics["rmse"] < metrics["baseline_rmse"]


def test_a_project_with_the_flights_passes_a_run_of_the_pipeline(user: User) -> None:
    project = started(user, "flights", [])
    project.run("crivo", "fetch")
    run_of_the_pipeline(project, "row_has_a_prediction")


def test_an_installation_starts_the_same_project_as_the_repository(user: User) -> None:
    started(user, "same", [])
    vendor = user.folder / "same/vendor"
    (wheel,) = vendor.glob("*.whl")
    assert wheel.read_bytes() == (user.folder / wheel.name).read_bytes()


def test_an_installation_evaluates_a_file_outside_of_any_project(user: User) -> None:
    scores = np.linspace(0.1, 0.9, 80)
    targets = np.where(scores + np.tile([0.2, -0.2], 40) > 0.5, "yes", "no")
    rows = pd.DataFrame({"id": range(80), "target": targets, "score": scores})
    rows.to_csv(user.folder / "scores.csv", index=False)
    assert "roc_auc" in user.run("crivo", "evaluate", "--predictions", "scores.csv")


def test_a_changed_installation_is_found_byte_by_byte(user: User) -> None:
    project = started(user, "changed", [])
    stage = next((user.folder / "env").rglob("crivo/core/stage.py"))
    text = stage.read_text()
    stage.write_text(text + "\n# changed\n")
    try:
        said = project.run("crivo", "check", "--only", "E", fails=True)
        assert "the installed crivo/core/stage.py is not that of vendor/crivo-" in said
        assert "is not as it was installed" in user.run("crivo", "start", "no", fails=True)
        assert not (user.folder / "no").exists()
    finally:
        stage.write_text(text)


def test_a_clone_without_the_data_says_where_they_would_come_from(user: User) -> None:
    table("binary").to_csv(user.folder / "shared.csv", index=False)
    project = started(user, "shared", ["--data", "shared.csv", "--target", "y"])
    project.run("git", "clone", "--quiet", str(project.folder), str(user.folder / "clone"))
    clone = User(user.bin, user.folder / "clone")
    said = clone.run("crivo", "fetch", fails=True)
    assert "data/raw/table is not here" in said
    assert "no DVC remote is set" in said
    brought = user.folder / "shared/data/raw/table"
    shutil.copytree(brought, clone.folder / "data/raw/table")
    clone.run("crivo", "fetch")  # what is there as recorded needs no remote
    (clone.folder / "data/raw/table/shared.csv").unlink()
    storage = str(user.folder / "storage")
    project.run("dvc", "remote", "add", "--quiet", "--default", "storage", storage)
    project.run("dvc", "push", "--quiet")
    project.run("git", "commit", "--quiet", "--all", "--message", "Name the remote")
    clone.run("git", "pull", "--quiet")
    clone.run("crivo", "fetch")
    assert (clone.folder / "data/raw/table/shared.csv").is_file()


def test_two_people_share_and_verify_an_experiment_on_their_own_table(user: User) -> None:
    ana = start_on_table(user, "binary", "team")
    ana.run("dvc", "repro")
    ana.run("crivo", "check")  # before the results are committed, and afterwards
    commit(ana, "Run the pipeline")
    ana.run("crivo", "check")
    hub, storage = str(user.folder / "hub.git"), str(user.folder / "team-storage")
    ana.run("git", "clone", "--quiet", "--bare", ".", hub)
    ana.run("git", "remote", "add", "origin", hub)
    ana.run("dvc", "remote", "add", "--quiet", "--default", "storage", storage)
    commit(ana, "Name the remote")
    ana.run("git", "push", "--quiet", "--set-upstream", "origin", "main")
    ana.run("dvc", "push", "--quiet")
    ana.run("crivo", "try", "model=boosting", "--name", "trees")
    assert "trees is shared" in ana.run("crivo", "share", "trees")

    user.run("git", "clone", "--quiet", hub, "bob")
    bob = User(user.bin, user.folder / "bob")
    bob.run("crivo", "fetch")  # what `make repro` begins with
    bob.run("dvc", "exp", "pull", "origin", "trees")
    assert bob.run("crivo", "compare", "trees") == ana.run("crivo", "compare", "trees")
    assert "Identical bytes" in bob.run("crivo", "verify", "trees")
    bob.run("dvc", "exp", "apply", "trees")
    assert "Running stage" not in bob.run("dvc", "repro")
    commit(bob, "Take the trees over")
    bob.run("git", "push", "--quiet")
    ana.run("git", "pull", "--quiet")
    ana.run("dvc", "checkout", "--quiet")
    # The models' contracts are those of the repository, whose own tests ask for each.
    assert " passed" in bob.project_tests("-k", "not a_model_keeps_its_contract or prior")
    for clone in (ana, bob):  # the rest of what continuous integration does, on the same commit
        clone.run("crivo", "check")
        assert "Running stage" not in clone.run("dvc", "repro")
        clone.run("crivo", "verify", "--workspace")
        assert clone.run("git", "status", "--porcelain") == ""


def commit(project: User, message: str) -> None:
    project.run("git", "add", "--all")
    project.run("git", "commit", "--quiet", "--message", message)
