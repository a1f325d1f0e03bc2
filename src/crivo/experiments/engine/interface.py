"""What runs experiments for a driver, in the form of `concurrent.futures.Executor`.

The driver alone decides what runs, and it alone writes git in the project. An engine is given
what one trial is and gives back the reference under which the driver has it at home.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self


class Engine(Protocol):
    """Runs experiments that start from one state of the project.

    `workers`: how many run at once; more may be submitted, and wait in their order.
    """

    workers: int

    def submit(self, name: str, settings: Sequence[str], message: str = "") -> Future[str]:
        """Have an experiment run, and return the future of its reference at home.

        `settings` are `key=value`, as `dvc exp run -S` takes them. When the future is done, the
        experiment is in the project's git, and what its stages made is in the project's cache.
        The future's CrivoError: the trial failed, with the last words; nothing is recorded. A
        worker that is lost isn't a failure of the trial: the engine runs it again. NotRun: the
        engine can't run trials any more, or a worker isn't fit to.
        """
        ...

    def shutdown(self, *, cancel: bool = False) -> None:
        """Wait for what was submitted; with `cancel`, end what runs and drop what waits."""
        ...

    def __enter__(self) -> Self:
        """Begin; workers may be started here or with the first experiment."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Shut down, with `cancel` after an exception."""
        self.shutdown(cancel=kind is not None)
