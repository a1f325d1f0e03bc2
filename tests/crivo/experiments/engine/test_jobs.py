"""Jobs as futures: what is dropped doesn't run on."""

from __future__ import annotations

from threading import Event, Timer

import pytest

from crivo.experiments.engine import slurm


class Job:
    """A job that runs until it is cancelled."""

    job_id = "1"
    cancelled = False

    def done(self) -> bool:
        return self.cancelled

    def cancel(self) -> None:
        self.cancelled = True

    def result(self) -> None:
        raise RuntimeError("it was cancelled")


class SlowQueue:
    """Takes a job once it is told to."""

    def __init__(self) -> None:
        self.asked, self.go, self.job = Event(), Event(), Job()

    def submit(self, *_: object) -> Job:
        self.asked.set()
        assert self.go.wait(60)
        return self.job


def test_a_job_that_begins_while_all_is_dropped_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slurm, "LOOK", 0.01)
    queue = SlowQueue()
    executor = slurm.JobExecutor(queue, 1)
    first, second = executor.submit(print), executor.submit(print)
    assert queue.asked.wait(60)
    Timer(0.05, queue.go.set).start()
    executor.shutdown(wait=False)
    assert queue.job.cancelled
    assert second.cancelled()
    with pytest.raises(slurm.Lost, match="it was cancelled"):
        first.result(0)
