"""The engine that has experiments run by workers elsewhere, through any executor of futures."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from crivo.core.errors import CrivoError, NotRun
from crivo.experiments.engine.interface import Engine
from crivo.experiments.engine.state import State
from crivo.experiments.engine.worker import Answer, Request, run_trial
from crivo.experiments.sandbox import name_taken
from crivo.repository.bundles import read_bundle
from crivo.repository.git import Repository
from crivo.repository.times import keep_times

T = TypeVar("T")

log = logging.getLogger("crivo.engine")


class _Call(NamedTuple):
    """What a worker is to do, and who waits for it."""

    what: str
    then: Callable[[Any], Any]
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    future: Future[Any]

    def end(self, why: str) -> None:
        """Say that it isn't done any more."""
        self.future.set_exception(NotRun(f"{why}, so {self.what} was not run to its end."))


class RemoteEngine(Engine):
    """Runs experiments by an executor, whose workers run `run_trial`; only the driver writes git.

    `lost`: the errors by which the executor says that a worker was lost; `attempts`: how often a
    trial is sent then, since one that ends its worker each time is at fault itself; `name`: of
    what has the workers; `threads`: how many each trial has.
    """

    def __init__(
        self,
        home: Repository,
        state: State,
        executor: Executor,
        workers: int,
        lost: tuple[type[BaseException], ...] = (),
        attempts: int = 3,
        name: str = "The cluster",
        threads: int = 1,
    ) -> None:
        self.workers = workers
        self._home, self._state, self._executor, self._lost = home, state, executor, lost
        self._attempts, self._name, self._threads = attempts, name, threads
        # One after the other, and never in the thread by which the executor hears of its workers.
        self._driver = ThreadPoolExecutor(1, thread_name_prefix="crivo")
        self._ending = False

    def submit(self, name: str, settings: Sequence[str], message: str = "") -> Future[str]:
        """Have an experiment run, and return the future of its reference at home."""
        environment = (("OMP_NUM_THREADS", str(self._threads)),)
        request = Request(name, tuple(settings), message, environment)
        return self._call(f"the experiment {name}", self._bring_home, run_trial, request)

    def call(self, what: str, function: Callable[..., T], *arguments: Any) -> Future[T]:
        """Have a function called by a worker, with the state first; `what` names it in errors."""
        return self._call(what, lambda answer: answer, function, *arguments)

    def _call(
        self, what: str, then: Callable[[Any], T], function: Callable[..., Any], *arguments: Any
    ) -> Future[T]:
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._send(_Call(what, then, function, arguments, future), self._attempts)
        return future

    def _send(self, call: _Call, attempts: int) -> None:
        def hear(answer: Future[Any]) -> None:
            try:
                self._driver.submit(self._finish, call, attempts, answer)
            except RuntimeError:
                call.end(self._gone())

        try:
            answer = self._executor.submit(call.function, self._state, *call.arguments)
        except RuntimeError:  # it was shut down meanwhile
            call.end(self._gone())
        else:
            answer.add_done_callback(hear)

    def _finish(self, call: _Call, attempts: int, answer: Future[Any]) -> None:
        try:
            call.future.set_result(call.then(answer.result()))
        except self._lost as error:
            self._after_a_loss(call, attempts - 1, error)
        except CancelledError:
            call.end(self._gone())
        except Exception as error:  # the future tells whoever waits for it
            call.future.set_exception(error)

    def _after_a_loss(self, call: _Call, attempts: int, error: BaseException) -> None:
        if self._ending:
            call.end(self._gone())
        elif attempts:
            log.warning("The worker of %s was lost; it runs again.", call.what)
            self._send(call, attempts)
        else:
            why = f"Each worker that ran {call.what} was lost; the last error was: {error}."
            call.future.set_exception(
                CrivoError(f"{why} Check the workers' memory and time limits.")
            )

    def _gone(self) -> str:
        """Say why nothing is run any more."""
        return (
            "The command is stopping" if self._ending else f"{self._name} doesn't answer any more"
        )

    def _bring_home(self, answer: Answer) -> str:
        with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
            place = Path(folder) / "experiment.bundle"
            place.write_bytes(answer.bundle)
            try:
                read_bundle(self._home, place, answer.ref)
            except CrivoError:
                if self._home.commit(answer.ref) is None:
                    raise
                raise name_taken(answer.ref.rpartition("/")[2]) from None
        keep_times(self._home, answer.times)
        return answer.ref

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted; with `cancel`, drop what waits."""
        self._ending = cancel
        self._executor.shutdown(wait=not cancel)
        self._driver.shutdown()
