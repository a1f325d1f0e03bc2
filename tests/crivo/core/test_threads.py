"""Threads: one for linear algebra, all cores or the user's own number for OpenMP."""

import pytest

from crivo.core import threads
from crivo.runtime.start import SET, cleared


@pytest.mark.parametrize(("given", "used"), [("3", 3), ("", 8), ("0", 8), ("2,1", 2)])
def test_a_fit_takes_all_cores_or_the_users_own_number(monkeypatch, given, used):
    monkeypatch.setattr(threads, "usable_cores", lambda: 8)
    monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert threads.fit_threads() == used


@pytest.mark.parametrize("own", [{}, {"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "9"}])
def test_threads_spin_briefly_unless_the_user_says_otherwise(own):
    """One of the two settings would overrule the other, so the user's own stands alone."""
    expected = own or {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}
    assert threads.with_waiting(own) == expected
    assert cleared(own) == expected | SET
