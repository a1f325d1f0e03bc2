"""Workers elsewhere give the experiments that this machine gives, or say why they can't."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from crivo.core.errors import CrivoError
from crivo.experiments.engine.choice import engine_of
from crivo.experiments.engine.remote import RemoteEngine
from crivo.experiments.engine.state import State, record_state, workspace_state
from crivo.experiments.engine.worker import run_trial
from crivo.experiments.history import read_history
from crivo.provenance.elsewhere import verify_there
from tests.crivo.experiments.engine.conftest import PATIENCE, RATE, RATES, trees
from tests.crivo.experiments.repository import Project

pytestmark = pytest.mark.pipeline


class Lost(Exception):
    """What an executor says of a worker that is gone."""


class Losing(Executor):
    """An executor that loses workers: the first ones never answer."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.pool = ThreadPoolExecutor(1)

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        if self.losses:
            self.losses -= 1
            future: Future[Any] = Future()
            future.set_exception(Lost("out of memory"))
            return future
        return self.pool.submit(function, *arguments, **named)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.pool.shutdown(wait, cancel_futures=cancel_futures)


@contextmanager
def workers(project: Project, executor: Executor, **changed: str) -> Iterator[RemoteEngine]:
    history = read_history(project.folder)
    with (
        workspace_state(history) as state,
        RemoteEngine(history.repository, replace(state, **changed), executor, 2, (Lost,)) as engine,
    ):
        yield engine


def test_workers_make_the_experiments_that_this_machine_makes(
    toy: Project, local_trees: dict[str, str]
) -> None:
    assert trees(toy, workers(toy, ThreadPoolExecutor(2)), RATES) == local_trees
    assert list((toy.folder / ".dvc/cache/crivo").iterdir()) == []


def test_changed_files_of_the_workspace_go_along(toy: Project) -> None:
    script = toy.folder / "src/train.py"
    script.write_text(script.read_text().replace("/ 10000", "/ 1000"))
    with workers(toy, ThreadPoolExecutor(1)) as engine:
        ref = engine.submit("seeded", ["seed=7"]).result(PATIENCE)
    assert "/ 1000\n" in toy.git("show", f"{ref}:src/train.py")
    assert toy.git("rev-parse", f"{ref}^") == toy.git("rev-parse", "HEAD")


def test_a_lost_worker_means_another_run_and_one_experiment(
    toy: Project, local_trees: dict[str, str]
) -> None:
    one = {"rate-1": RATES["rate-1"]}
    assert trees(toy, workers(toy, Losing(2)), one) == {"rate-1": local_trees["rate-1"]}
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == 1


def test_a_trial_that_always_ends_its_worker_fails(toy: Project) -> None:
    with (
        pytest.raises(
            CrivoError, match=r"Each worker that ran the experiment rate was lost; .* out of memory"
        ),
        workers(toy, Losing(9)) as engine,
    ):
        engine.submit("rate", [f"{RATE}=0.3"]).result(PATIENCE)


def test_a_failed_trial_says_why_and_records_nothing(toy: Project) -> None:
    with workers(toy, ThreadPoolExecutor(1)) as engine:
        failed = engine.submit("unlucky", ["seed=666"])
        good = engine.submit("rate", [f"{RATE}=0.3"])
        with pytest.raises(CrivoError, match=r"unlucky failed[\s\S]*an unlucky seed"):
            failed.result(PATIENCE)
        good.result(PATIENCE)
    assert len(toy.git("for-each-ref", "refs/exps").splitlines()) == 1


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"library": "0" * 64}, "has library code .* and the driver has 000000000000"),
        ({"python": "3.9.1"}, "has Python .* and the driver has 3.9.1"),
        ({"cache": "/nowhere"}, "can't read the project's DVC cache /nowhere"),
    ],
)
def test_another_worker_than_the_driver_is_refused(
    toy: Project, changed: dict[str, str], why: str
) -> None:
    with (
        pytest.raises(CrivoError, match=why),
        workers(toy, ThreadPoolExecutor(1), **changed) as engine,
    ):
        engine.submit("rate", [f"{RATE}=0.3"]).result(PATIENCE)


def test_an_environment_that_is_not_the_lock_s_is_refused(toy: Project) -> None:
    (toy.folder / "requirements.txt").write_text("no-such-package==1.0\n")
    toy.git("add", "requirements.txt")
    with (
        pytest.raises(CrivoError, match="another environment .*no-such-package is missing"),
        workers(toy, ThreadPoolExecutor(1)) as engine,
    ):
        engine.submit("rate", [f"{RATE}=0.3"]).result(PATIENCE)


def test_raw_data_that_nobody_recorded_are_refused(toy: Project) -> None:
    (toy.folder / "data/raw/numbers/some.csv").unlink()
    (toy.folder / "data/raw/numbers/some.csv").write_text("2\n")
    with (
        pytest.raises(CrivoError, match="data/raw/numbers differs .* workers have only"),
        workers(toy, ThreadPoolExecutor(1)),
    ):
        pass


def test_a_recorded_experiment_is_the_start_of_others(toy: Project) -> None:
    with workers(toy, ThreadPoolExecutor(1)) as engine:
        ref = engine.submit("fast", [f"{RATE}=0.9"]).result(PATIENCE)
    history = read_history(toy.folder)
    with (
        record_state(history, history.find("fast")) as state,
        RemoteEngine(history.repository, state, ThreadPoolExecutor(1), 1) as engine,
    ):
        again = engine.submit("fast-seed-8", ["seed=8"]).result(PATIENCE)
    assert "learning_rate: 0.9" in toy.git("show", f"{again}:params.yaml")
    assert toy.git("rev-parse", f"{again}^") == toy.git("rev-parse", f"{ref}^")


def test_a_worker_makes_a_result_again_from_scratch(toy: Project) -> None:
    history = read_history(toy.folder)
    record = history.find("HEAD")
    with (
        record_state(history, record) as state,
        RemoteEngine(history.repository, state, ThreadPoolExecutor(1), 1) as engine,
    ):
        result = engine.call("it", verify_there, record.origin.revision).result(PATIENCE)
    assert result.outcome == "identical", result


def test_the_answer_is_small(toy: Project) -> None:
    """Large files stay in the cache: only git's objects travel."""
    with workspace_state(read_history(toy.folder)) as state:
        assert isinstance(state, State)
        from crivo.experiments.engine.worker import Request

        answer = run_trial(state, Request("rate", (f"{RATE}=0.7",), "", ()))
    assert len(answer.bundle) < 20_000


@pytest.mark.parametrize("scheduler", ["dask", "tcp:host", "slurm:partition", "local:2", ""])
def test_what_is_no_scheduler_is_refused(scheduler: str) -> None:
    with pytest.raises(CrivoError, match="--scheduler"):
        engine_of(scheduler)


def test_nobody_at_an_address_is_one_sentence(
    toy: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    from crivo.experiments.engine import dask

    monkeypatch.setattr(dask, "PATIENCE", 0.3)
    opened = engine_of("tcp://127.0.0.1:9")(read_history(toy.folder), None)
    with pytest.raises(CrivoError, match=r"No Dask scheduler answers at tcp://127.0.0.1:9"), opened:
        pass


def test_without_slurm_one_sentence_says_so(toy: Project) -> None:
    pytest.importorskip("submitit")
    opened = engine_of("slurm:partition=cpu")(read_history(toy.folder), None)
    with pytest.raises(CrivoError, match="--scheduler slurm: "), opened:
        pass
