"""Workers of any kind make the same experiments; failures stay apart, and nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import read_history
from crivo.repository.git import Repository
from crivo.trials import executors
from crivo.trials.engine import Engine, local_engine
from crivo.trials.executors import Workers
from crivo.trials.worker import Answer, Request, State, run_trial, state_of_trials
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.untouched import state_of
from tests.crivo.faults.killing import PATIENCE, alive, wait_for
from tests.crivo.pipeline.project import environment

pytestmark = pytest.mark.pipeline

RATE = "models.boosting.learning_rate"
TWO = {f"rate-{rate}": [f"{RATE}=0.{rate}"] for rate in (1, 2)}


class Lost(Exception):
    """The error of a worker that is gone."""


@contextmanager
def elsewhere(project: Project, losses: int = 0, **changed: str) -> Iterator[Engine]:
    """Give an engine whose workers might be other machines."""
    history, left = read_history(project.folder), [Lost("out of memory")] * losses
    with state_of_trials(history, elsewhere=True) as state:

        def run(request: Request) -> Answer:
            if left:
                raise left.pop()
            return run_trial(replace(state, **changed), request)

        workers = Workers(run, 1, (Lost,), attempts=3)
        with Engine(state, workers) as engine:
            yield engine


def trees(project: Project, engine: Engine) -> dict[str, str]:
    futures = {name: engine.submit(name, changes, name) for name, changes in TWO.items()}
    refs = {name: future.result(PATIENCE).reference for name, future in futures.items()}
    return {name: project.git("rev-parse", f"{ref}^{{tree}}") for name, ref in refs.items()}


@pytest.mark.slow
def test_workers_here_and_elsewhere_make_the_same_and_touch_nothing(toy: Project) -> None:
    script = toy.folder / "src/train.py"
    script.write_text(script.read_text().replace("/ 10000", "/ 1000"))
    before = state_of(toy.folder)
    with local_engine(read_history(toy.folder), 2) as engine:
        here = trees(toy, engine)
    for ref in toy.git("for-each-ref", "--format=%(refname)", "refs/exps").splitlines():
        toy.git("update-ref", "-d", ref)
    with elsewhere(toy) as engine:
        there = trees(toy, engine)
    assert here == there
    assert "/ 1000\n" in toy.git("show", f"{here['rate-1']}:src/train.py")
    assert state_of(toy.folder) == before
    assert not [*(toy.folder / ".dvc/tmp").glob("crivo-*")]


def test_a_failed_trial_says_why_and_changes_nothing_of_the_next(toy: Project) -> None:
    (toy.folder / "link").symlink_to("nowhere")  # a worker's clone has it, too
    toy.git("add", "link")
    with local_engine(read_history(toy.folder), 1) as engine:
        failed = engine.submit("unlucky", ["seed=666"], "")
        good = engine.submit("rate", [f"{RATE}=0.3"], "")
        with pytest.raises(CrivoError, match=r"unlucky failed[\s\S]*\ufffd an unlucky seed"):
            failed.result(PATIENCE)
        made = good.result(PATIENCE).reference
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == 1
    assert toy.git("show", f"{made}:metrics/toy.json") == '{"roc_auc": 0.3013}'


@pytest.mark.parametrize(
    ("forged", "why"),
    [
        ({"clone": "."}, "which this command didn't make"),
        ({"clone": "\0"}, "in a form that this version doesn't know"),
        ({"seconds": "long"}, "in a form that this version doesn't know"),
        ("git hash-object -w params.yaml", "has recorded no commit"),
        ("git tag -m rate made $({tree}); git rev-parse made", "has recorded no commit"),
        ("git rev-parse HEAD", "another trial, with another commit to start from, another message"),
        ("git rm -q params.yaml; {tree}", "another trial, with other settings;"),
        ("echo >> src/train.py; git add .; {tree}", r"trial, with other files \(src/train.py\);"),
        ("echo >> .dvcignore; git add .; {tree}", r"trial, with other files \(.dvcignore\);"),
        ("touch a b c d e; git add .; {tree}", r"other files \(a, b, c and 2 more\);"),
        ("sed -i s/toy.json/x/ dvc.lock; git add .; {tree}", "no output metrics/toy.json, met"),
        ("sed -i s/knife/x/ dvc.lock; git add .; {tree}", "output metrics/evaluation/jackknife"),
        ("git rm -q metrics/*/*.json; {tree}", "evaluation.json, no evaluation;"),
        ("sed -i s/models/x/ dvc.lock; git add .; {tree}", "with no output models/model.skops;"),
        ('rm -r "$(git remote get-url origin)/.dvc/cache"; {tree}', "no output .*model.skops;"),
    ],
)
def test_a_worker_s_answer_writes_only_what_was_asked_for(
    toy: Project, forged: Any, why: str
) -> None:
    before = toy.git("for-each-ref")
    with state_of_trials(read_history(toy.folder), elsewhere=False) as state:
        clone, ref = f"{state.folder}/clone", f"refs/exps/{state.base[:2]}/{state.base[2:]}/rate"
        shutil.copytree(f"{state.folder}/start", clone, symlinks=True)
        if isinstance(forged, str):
            made = forged.format(tree="git commit-tree -p HEAD -m rate $(git write-tree)")
            commit = toy.git("-C", clone, "-c", f"alias.forge=!{made}; :", "forge")
            toy.git("-C", clone, "update-ref", ref, commit)
            forged = {}
        answer = Answer(**{"clone": clone, "times": {}, "seconds": 1.0, **forged})
        with (
            Engine(state, Workers(lambda _: answer, 1)) as engine,
            pytest.raises(CrivoError, match=why),
        ):
            engine.submit("rate", [], "rate").result(PATIENCE)
    assert toy.git("for-each-ref") == before


def threads_of(state: State, _: Request) -> Any:
    return state.threads


@pytest.mark.parametrize(
    ("cores", "asked", "count", "threads"), [(3, None, 3, 1), (6, 1, 1, None), (7, 3, 3, 2)]
)
def test_trials_that_run_at_once_share_the_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, asked: int | None, count: int, threads: int | None
) -> None:
    monkeypatch.setattr(executors, "usable_cores", lambda: cores)
    monkeypatch.setattr(executors, "run_trial", threads_of)
    with executors.process_workers(State(Repository(Path()), "", "", False), asked) as workers:
        assert (workers.count, workers.run(Request("", (), "", False))) == (count, threads)


def test_an_interruption_while_workers_fork_ends_the_command(toy: Project) -> None:
    forked = "os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))"
    program = f"import os, signal; {forked}; from crivo.cli import main; main()"
    command = (sys.executable, "-c", program, "try", f"{RATE}=0.3")
    done = subprocess.run(command, cwd=toy.folder, env=environment(), capture_output=True)
    assert (done.returncode, done.stderr.partition(b";")[0]) == (130, b"crivo: interrupted")
    assert toy.git("for-each-ref", "refs/exps") == ""


@pytest.mark.slow
def test_a_killed_worker_s_stage_ends_and_nothing_is_recorded(toy: Project, tmp_path: Path) -> None:
    script, mark = toy.folder / "src/train.py", tmp_path / "mark"
    wait = f"pathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\ntime.sleep(600)\n"
    script.write_text(f"{script.read_text()}\nimport os, time\n{wait}")
    before = {one.pid for one in psutil.Process().children()}
    with local_engine(read_history(toy.folder), 1) as engine:
        future = engine.submit("rate", [f"{RATE}=0.3"], "")
        while not (mark.exists() and mark.read_text()):
            time.sleep(0.05)
        stage = psutil.Process(int(mark.read_text()))
        (worker,) = (one for one in psutil.Process().children() if one.pid not in before)
        os.kill(worker.pid, signal.SIGKILL)
        with pytest.raises(NotRun, match="The experiment rate didn't finish"):
            future.result(PATIENCE)
    with suppress(psutil.NoSuchProcess):
        wait_for([stage])
        assert not alive(stage)
    assert toy.git("for-each-ref", "refs/exps") == ""


def test_a_lost_worker_means_another_run_and_one_experiment(
    toy: Project, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(toy.folder / ".dvc/tmp")
    with elsewhere(toy, 2) as engine:
        engine.submit("rate", [f"{RATE}=0.3"], "").result(PATIENCE)
        assert len([*(toy.folder / ".dvc/tmp").glob("crivo-*")]) == 1
    assert caplog.messages == ["The worker of the experiment rate was lost; it runs again."] * 2
    for number, text in ((1, b"out"), (2, b"error")):
        os.write(number, text)  # what the stages printed went to a file
    assert capfd.readouterr() == ("out", "error")
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == 1
    said = r"Each worker that ran the experiment rate was lost; .* out of memory"
    with pytest.raises(CrivoError, match=said), elsewhere(toy, 9) as engine:
        engine.submit("rate", [f"{RATE}=0.4"], "").result(PATIENCE)


def test_a_worker_that_does_not_see_the_project_is_refused(toy: Project) -> None:
    why = "doesn't see the project in .*toy"
    with pytest.raises(NotRun, match=why), elsewhere(toy, folder="/nowhere") as engine:
        engine.submit("rate", [f"{RATE}=0.3"], "").result(PATIENCE)


@pytest.mark.parametrize("name", ["{x}", "%(x)s"])
def test_a_folder_in_which_dvc_fails_is_refused_at_once(toy: Project, name: str) -> None:
    folder = toy.folder.rename(toy.folder.parent / name)
    with pytest.raises(CrivoError, match="for a placeholder"), local_engine(read_history(folder)):
        pass


def test_a_branch_without_a_commit_is_nothing_to_start_from(toy: Project) -> None:
    toy.git("tag", "kept")
    toy.git("symbolic-ref", "HEAD", "refs/heads/none")
    with pytest.raises(CrivoError, match="has no commit"), local_engine(read_history(toy.folder)):
        pass
