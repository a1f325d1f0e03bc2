"""Threads: one for linear algebra, all cores or the user's own number for OpenMP."""

from __future__ import annotations

import pytest

from crivo.core import threads


@pytest.mark.parametrize(("given", "used"), [("3", 3), ("", 8), ("0", 8), ("2,1", 2)])
def test_a_fit_takes_all_cores_or_the_users_own_number(monkeypatch, given, used):
    monkeypatch.setattr(threads, "usable_cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert threads.fit_threads() == used


def test_threads_wait_asleep_unless_the_user_says_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    threads.let_threads_sleep()
    assert threads.os.environ["OMP_WAIT_POLICY"] == "passive"
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    threads.let_threads_sleep()
    assert threads.os.environ["OMP_WAIT_POLICY"] == "active"
