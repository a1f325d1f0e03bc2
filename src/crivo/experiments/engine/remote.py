"""The engine that has experiments run by workers elsewhere, through any executor of futures."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from crivo.core.errors import CrivoError
from crivo.experiments.engine.state import State
from crivo.experiments.engine.worker import Answer, Request, run_trial
from crivo.repository.bundles import read_bundle
from crivo.repository.git import Repository

log = logging.getLogger("crivo.engine")


class RemoteEngine:
    """Runs experiments by an executor, whose workers run `run_trial`; only the driver writes git.

    `lost`: the errors by which the executor says that a worker was lost; `attempts`: how often a
    trial is sent then, since one that ends its worker each time is at fault itself.
    """

    def __init__(
        self,
        home: Repository,
        state: State,
        executor: Executor,
        workers: int,
        lost: tuple[type[BaseException], ...] = (),
        attempts: int = 3,
    ) -> None:
        self.workers = workers
        self._home, self._state, self._executor, self._lost = home, state, executor, lost
        self._attempts = attempts
        # One after the other, and never in the thread by which the executor hears of its workers.
        self._driver = ThreadPoolExecutor(1, thread_name_prefix="crivo")
        self._ending = False

    def submit(self, name: str, settings: Sequence[str], message: str = "") -> Future[str]:
        """Have an experiment run, and return the future of its reference at home."""
        request = Request(name, tuple(settings), message, (("OMP_NUM_THREADS", "1"),))
        future: Future[str] = Future()
        future.set_running_or_notify_cancel()
        self._send(request, future, self._attempts)
        return future

    def _send(self, request: Request, future: Future[str], attempts: int) -> None:
        def finish(answer: Future[Answer]) -> None:
            try:
                future.set_result(self._bring_home(answer.result()))
            except self._lost as error:
                self._after_a_loss(request, future, attempts - 1, error)
            except CancelledError:
                future.set_exception(_ended(request))
            except Exception as error:  # the future tells whoever waits for it
                future.set_exception(error)

        try:
            answer = self._executor.submit(run_trial, self._state, request)
        except RuntimeError:  # it was shut down meanwhile
            future.set_exception(_ended(request))
            return

        def hear(answer: Future[Answer]) -> None:
            try:
                self._driver.submit(finish, answer)
            except RuntimeError:
                future.set_exception(_ended(request))

        answer.add_done_callback(hear)

    def _after_a_loss(
        self, request: Request, future: Future[str], attempts: int, error: BaseException
    ) -> None:
        if self._ending:
            future.set_exception(_ended(request))
        elif attempts:
            log.warning("The worker of %s was lost; it runs again.", request.name)
            self._send(request, future, attempts)
        else:
            why = f"The experiment {request.name} lost its worker each time it ran, at last by: "
            future.set_exception(CrivoError(f"{why}{error}. Look at its memory and its time."))

    def _bring_home(self, answer: Answer) -> str:
        with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
            place = Path(folder) / "experiment.bundle"
            place.write_bytes(answer.bundle)
            try:
                read_bundle(self._home, place, answer.ref)
            except CrivoError:
                if self._home.commit(answer.ref) is None:
                    raise
                name = answer.ref.rpartition("/")[2]
                raise CrivoError(
                    f"Another experiment was recorded as {name} while this one ran, so this one "
                    "was not kept; run it again with another name."
                ) from None
        return answer.ref

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted; with `cancel`, drop what waits."""
        self._ending = cancel
        self._executor.shutdown(wait=not cancel)
        self._driver.shutdown()

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Shut down, with `cancel` after an exception."""
        self.shutdown(cancel=kind is not None)


def _ended(request: Request) -> CrivoError:
    return CrivoError(f"The experiment {request.name} was not run: all is being ended.")
