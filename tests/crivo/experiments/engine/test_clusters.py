"""A Dask cluster of four workers, one of which is killed, and submitit's jobs on this machine."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from crivo.experiments.engine.choice import engine_of
from crivo.experiments.engine.slurm import slurm_engine
from crivo.experiments.engine.state import workspace_state
from crivo.experiments.history import read_history
from tests.crivo.experiments.engine.conftest import PATIENCE, RATES, trees
from tests.crivo.experiments.repository import Project

pytestmark = pytest.mark.pipeline

TELL = """
import os, pathlib
pathlib.Path({mark!r}).write_text(os.environ["OMP_NUM_THREADS"])
"""
# Whoever first runs this rate waits to be killed.
WAIT = """
import pathlib, time
mark = pathlib.Path({mark!r})
if settings["models"]["boosting"]["learning_rate"] == 0.2 and not mark.exists():
    mark.touch()
    time.sleep(600)
"""


def test_a_killed_worker_of_four_changes_no_experiment(
    toy: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
    mark, temporary = tmp_path / "running", tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))  # of the workers
    script = toy.folder / "src/train.py"
    script.write_text(script.read_text() + WAIT.format(mark=str(mark)))
    with (
        # A worker that is forked needs no seconds for its imports.
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
    ):
        with engine_of(cluster.scheduler_address)(read_history(toy.folder), None) as engine:
            assert engine.workers == 4
            futures = {name: engine.submit(name, changes) for name, changes in RATES.items()}
            for name in RATES.keys() - {"rate-2"}:
                futures[name].result(PATIENCE)
            while not mark.exists():
                time.sleep(0.05)
            (busy,) = (one.address for one in cluster.scheduler.workers.values() if one.processing)
            (pid,) = (one.pid for one in cluster.workers.values() if one.worker_address == busy)
            os.kill(pid, signal.SIGKILL)
            refs = {name: future.result(PATIENCE) for name, future in futures.items()}
        for nanny in cluster.workers.values():
            # The cluster itself would kill a worker that has not ended in four seconds.
            cluster.sync(nanny.close, timeout=PATIENCE)
    rates = {name: toy.git("show", f"{ref}:params.yaml") for name, ref in refs.items()}
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == len(RATES)
    assert all(RATES[name][0].partition("=")[2] in text for name, text in rates.items())
    left = list(temporary.glob("crivo-worker-*"))
    assert len(left) <= 1, "only the killed worker leaves its copy of the project"


def test_jobs_give_the_experiments_that_this_machine_gives(
    toy: Project, local_trees: dict[str, str]
) -> None:
    pytest.importorskip("submitit")
    history = read_history(toy.folder)
    two = {name: RATES[name] for name in ("rate-1", "rate-2")}
    engine = slurm_engine(
        history.repository, workspace_state(history), {"timeout_min": 5}, 2, cluster="local"
    )
    assert trees(toy, engine, two) == {name: local_trees[name] for name in two}


@pytest.mark.parametrize(("cores", "threads"), [({}, "1"), ({"cpus_per_task": 3}, "3")])
def test_a_job_s_trial_has_as_many_threads_as_the_job_has_cores(
    cores: dict[str, int], threads: str, toy: Project, tmp_path: Path
) -> None:
    pytest.importorskip("submitit")
    mark, script = tmp_path / "threads", toy.folder / "src/train.py"
    script.write_text(script.read_text() + TELL.format(mark=str(mark)))
    history, options = read_history(toy.folder), {"timeout_min": 5, **cores}
    with slurm_engine(
        history.repository, workspace_state(history), options, 1, cluster="local"
    ) as engine:
        engine.submit("rate-1", RATES["rate-1"]).result(PATIENCE)
    assert mark.read_text() == threads
