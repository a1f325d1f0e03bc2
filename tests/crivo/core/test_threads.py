"""Threads: one for linear algebra, the free cores for OpenMP, the user's own setting first."""

from __future__ import annotations

from collections import namedtuple

import pytest

from crivo.core import threads

Times = namedtuple("Times", "user system idle iowait")


@pytest.fixture
def machine(monkeypatch):
    """Pretend that so much time has passed on a machine of so many cores, by what it did."""

    def pretend(cores, *, busy, idle, own, iowait=0.0):
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
        monkeypatch.setattr(threads.os, "cpu_count", lambda: cores)
        monkeypatch.setattr(threads, "usable_cores", lambda: cores)
        monkeypatch.setattr(threads, "_at_start", Times(100.0, 50.0, 1000.0, 7.0))
        now = Times(100.0 + busy, 50.0, 1000.0 + idle, 7.0 + iowait)
        monkeypatch.setattr(threads.psutil, "cpu_times", lambda: now)
        monkeypatch.setattr(threads, "_own_at_start", 1.0)
        monkeypatch.setattr(threads.time, "process_time", lambda: 1.0 + own)

    return pretend


@pytest.mark.parametrize(
    ("cores", "measured", "free"),
    [
        (2, {"busy": 1.0, "own": 1.0, "idle": 1.0}, 2),  # one second, alone
        (2, {"busy": 2.0, "own": 1.0, "idle": 0.0}, 1),  # a second trial beside this one
        (2, {"busy": 2.0, "own": 0.2, "idle": 0.0}, 1),  # a machine under load leaves one
        (2, {"busy": 1.0, "own": 1.0, "idle": 0.0, "iowait": 1.0}, 2),  # a disk isn't a core
        (8, {"busy": 4.0, "own": 1.0, "idle": 4.0}, 5),  # three of eight are taken
        (8, {"busy": 0.01, "own": 0.0, "idle": 0.0}, 8),  # too short to tell
    ],
)
def test_a_fit_takes_the_cores_that_others_leave(machine, cores, measured, free):
    machine(cores, **measured)
    assert threads.free_cores() == free
    with threads.limited_threads():
        assert threads.fit_threads() == free


def test_the_users_own_number_of_threads_wins(machine, monkeypatch):
    machine(8, busy=4.0, own=1.0, idle=4.0)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with threads.limited_threads():
        assert threads.fit_threads() == 3


def test_nothing_of_a_stage_stays_in_the_environment(machine):
    machine(4, busy=1.0, own=1.0, idle=3.0)
    with threads.limited_threads():
        pass
    assert "OMP_NUM_THREADS" not in threads.os.environ
