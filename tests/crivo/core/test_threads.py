"""Threads: one for linear algebra, the free cores for OpenMP, the user's own setting first."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from crivo.core import threads


@pytest.fixture
def machine(monkeypatch):
    """Pretend that a machine of so many cores was as busy, and this process as part of that."""

    def pretend(cores, *, busy, own, seconds=1.0):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        monkeypatch.setattr(threads.os, "cpu_count", lambda: cores)
        monkeypatch.setattr(threads, "usable_cores", lambda: cores)
        monkeypatch.setattr(threads, "_began", (10.0, 1.0))
        now = SimpleNamespace(
            monotonic=lambda: 10.0 + seconds, process_time=lambda: 1.0 + own * seconds
        )
        monkeypatch.setattr(threads, "time", now)
        monkeypatch.setattr(threads.psutil, "cpu_percent", lambda: 100 * busy / cores)

    return pretend


@pytest.mark.parametrize(
    ("cores", "measured", "free"),
    [
        (2, {"busy": 1.0, "own": 1.0}, 2),  # alone
        (2, {"busy": 2.0, "own": 1.0}, 1),  # a second trial beside this one
        (2, {"busy": 2.0, "own": 0.2}, 1),  # a machine under load leaves one
        (8, {"busy": 4.0, "own": 1.0}, 5),  # three of eight are taken
        (8, {"busy": 8.0, "own": 0.0, "seconds": 0.01}, 8),  # too short to tell
    ],
)
def test_a_fit_takes_the_cores_that_others_leave(machine, cores, measured, free):
    machine(cores, **measured)
    assert threads.free_cores() == free
    with threads.limited_threads():
        assert threads.fit_threads() == free


def test_the_users_own_number_of_threads_wins(machine, monkeypatch):
    machine(8, busy=4.0, own=1.0)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with threads.limited_threads():
        assert threads.fit_threads() == 3
