"""The engine of this machine: so many at once, failures apart, and all ended when told to."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

import pytest

from crivo.core.errors import CrivoError
from crivo.core.threads import usable_cores
from crivo.experiments.engine import LocalEngine


class Place:
    """Runs nothing, and remembers what it was given and how many were there at once."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.given: list[tuple[str, tuple[str, ...], str, dict[str, str]]] = []
        self.most = self._now = 0
        self._lock = threading.Lock()

    def run(
        self, name: str, settings: Sequence[str], message: str, environment: Mapping[str, str]
    ) -> str:
        with self._lock:
            self.given.append((name, tuple(settings), message, dict(environment)))
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self.seconds)
        with self._lock:
            self._now -= 1
        if name == "bad":
            raise CrivoError("The experiment bad failed.")
        return f"refs/{name}"


def test_experiments_run_with_a_share_of_the_cores_each() -> None:
    place = Place()
    with LocalEngine(place, 2) as engine:
        futures = [engine.submit(name, ["a=1"], "why") for name in ("one", "bad", "two")]
    assert [one.result() for one in (futures[0], futures[2])] == ["refs/one", "refs/two"]
    with pytest.raises(CrivoError, match="bad failed"):
        futures[1].result()
    threads = {"OMP_NUM_THREADS": str(max(1, usable_cores() // 2))}
    assert sorted(place.given)[1] == ("one", ("a=1",), "why", threads)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_no_more_run_at_once_than_there_are_workers(workers: int) -> None:
    place = Place(0.02)
    with LocalEngine(place, workers) as engine:
        for number in range(6):
            engine.submit(str(number), [])
    assert place.most <= workers
    assert len(place.given) == 6


def test_as_many_as_cores_run_without_a_number() -> None:
    with LocalEngine(Place()) as engine:
        assert engine.workers == usable_cores()


@pytest.mark.skipif(os.name == "nt", reason="children are ended by signals")
def test_an_exception_ends_what_runs_and_drops_what_waits() -> None:
    class Slow:
        def run(self, name: str, *_: object) -> str:
            child = subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])
            raise CrivoError(f"{name} ended with {child.returncode}")

    futures = []

    def begin_and_fail() -> None:
        with LocalEngine(Slow(), 1) as engine:
            futures.extend(engine.submit(str(number), []) for number in range(3))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin_and_fail()
    assert re.fullmatch("0 ended with -[0-9]+", str(futures[0].exception()))  # by a signal
    assert [one.cancelled() for one in futures[1:]] == [True, True]
