"""A Dask cluster of four workers, one of which is killed, and submitit's jobs on this machine."""

import os
import signal
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from crivo.core.errors import CrivoError, NotRun
from crivo.records.history import read_history
from crivo.trials import executors
from crivo.trials.engine import engine_of
from crivo.trials.executors import slurm_workers
from tests.crivo.experiments.repository import Project
from tests.crivo.experiments.test_engine import PATIENCE, RATE

pytestmark = pytest.mark.pipeline

RATES = {f"rate-{rate}": [f"{RATE}=0.{rate}"] for rate in range(1, 7)}
GENERAL = {"name": "a", "nodes": 1, "tasks_per_node": 1, "gpus_per_node": 0, "mem_gb": 1}
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


def test_a_killed_worker_of_four_changes_no_experiment(toy: Project, tmp_path: Path) -> None:
    dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
    mark = tmp_path / "running"
    script = toy.folder / "src/train.py"
    script.write_text(script.read_text() + WAIT.format(mark=str(mark)))
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        distributed.LocalCluster(
            n_workers=4, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
    ):
        with engine_of(cluster.scheduler_address)(read_history(toy.folder), None) as engine:
            assert engine.workers == 4
            futures = {name: engine.submit(name, changes, "") for name, changes in RATES.items()}
            for name in RATES.keys() - {"rate-2"}:
                futures[name].result(PATIENCE)
            while not mark.exists():
                time.sleep(0.05)
            (busy,) = (one.address for one in cluster.scheduler.workers.values() if one.processing)
            (pid,) = (one.pid for one in cluster.workers.values() if one.worker_address == busy)
            os.kill(pid, signal.SIGKILL)
            refs = {name: future.result(PATIENCE).reference for name, future in futures.items()}
        with (
            suppress(KeyboardInterrupt),
            engine_of(cluster.scheduler_address)(read_history(toy.folder), None) as engine,
        ):
            waiting = engine.submit("rate-8", [f"{RATE}=0.8"], "")
            while not any(one.processing for one in cluster.scheduler.workers.values()):
                time.sleep(0.05)
            raise KeyboardInterrupt
        with pytest.raises(NotRun, match="The experiment rate-8 didn't finish"):
            waiting.result(PATIENCE)
        for nanny in cluster.workers.values():
            cluster.sync(nanny.close, timeout=PATIENCE)  # else it kills one that ends slowly
    rates = {name: toy.git("show", f"{ref}:params.yaml") for name, ref in refs.items()}
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == len(RATES)
    assert all(RATES[name][0].partition("=")[2] in text for name, text in rates.items())
    assert not [*(toy.folder / ".dvc/tmp").glob("crivo-*")]


@pytest.mark.parametrize(("cores", "threads"), [(GENERAL, "1"), ({"cpus_per_task": 3}, "3")])
def test_a_job_makes_an_experiment_with_as_many_threads_as_it_has_cores(
    cores: dict[str, Any], threads: str, toy: Project, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    pytest.importorskip("submitit")
    mark, script = tmp_path / "threads", toy.folder / "src/train.py"
    script.write_text(script.read_text() + TELL.format(mark=str(mark)))
    here = partial(slurm_workers, cluster="local")
    monkeypatch.setattr(executors, "slurm_workers", here)
    given = ",".join(f"{key}={value}" for key, value in {"timeout_min": 5, **cores}.items())
    with engine_of(f"slurm:{given}")(read_history(toy.folder), None) as engine:
        assert engine.workers == 8
        ref = engine.submit("rate-1", RATES["rate-1"], "").result(PATIENCE).reference
        with pytest.raises(CrivoError, match=r"unlucky failed[\s\S]*an unlucky seed"):
            engine.submit("unlucky", ["seed=666"], "").result(PATIENCE)
    assert mark.read_text() == threads
    assert "learning_rate: 0.1" in toy.git("show", f"{ref}:params.yaml")
    assert not [*(toy.folder / ".dvc/tmp").glob("crivo-*")]


@pytest.mark.parametrize(
    ("given", "cluster"),
    [("partitoin=cpu", "local"), ("timeout_min=soon", "local"), ("partition=cpu", "slurm")],
)
def test_an_option_of_jobs_that_cannot_be_or_no_slurm_is_one_sentence(
    toy: Project, monkeypatch: pytest.MonkeyPatch, given: str, cluster: str
) -> None:
    pytest.importorskip("submitit")
    monkeypatch.setattr(executors, "slurm_workers", partial(slurm_workers, cluster=cluster))
    opened, named = engine_of(f"slurm:{given}"), given[:8] if cluster == "local" else ""
    with pytest.raises(CrivoError, match=f"--scheduler slurm: .*{named}"):
        opened(read_history(toy.folder), None).__enter__()
