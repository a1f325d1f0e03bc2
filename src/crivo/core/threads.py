"""Thread limits for the computations of a stage.

Linear algebra takes one, whatever the machine has: its sums, and so the bytes, depend on the
number. Fits and predictions by OpenMP take the cores that nobody else is using. Their threads
wait for one another by spinning: with more of them than free cores, two fits at once take five
times as long as one after the other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

# Shares of an instant are noise; the imports before a stage's work take longer than this.
SHORTEST_MEASURE = 0.05

_began = time.monotonic(), time.process_time()  # psutil measures from its import on, too


def measure_from_now() -> None:
    """Take this moment for the start of the process, as in one that has just been forked."""
    global _began
    _began = time.monotonic(), time.process_time()
    psutil.cpu_percent()


@contextmanager
def limited_threads() -> Iterator[None]:
    """Compute with one thread in linear algebra and with `free_cores()` threads in OpenMP.

    OMP_NUM_THREADS, where it is set, decides about OpenMP.
    """
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = "1"  # for libraries that are loaded later
    from threadpoolctl import threadpool_limits

    if os.environ.get("OMP_NUM_THREADS"):
        with threadpool_limits(1, user_api="blas"):
            yield
        return
    free = free_cores()
    os.environ["OMP_NUM_THREADS"] = str(free)
    try:
        with threadpool_limits({"blas": 1, "openmp": free}):
            yield
    finally:
        del os.environ["OMP_NUM_THREADS"]


def fit_threads() -> int:
    """Return how many threads a fit may use: OMP_NUM_THREADS, which a stage sets, or all cores."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(given) if given.isdecimal() and int(given) > 0 else usable_cores()


def free_cores() -> int:
    """Return how many cores other processes left free since this one started; at least 1.

    Measured from the start, not at one moment: two trials that start together see each other.
    """
    elapsed, own = time.monotonic() - _began[0], time.process_time() - _began[1]
    busy = psutil.cpu_percent() / 100 * (os.cpu_count() or 1)
    others = busy - own / elapsed if elapsed >= SHORTEST_MEASURE else 0
    return max(1, usable_cores() - max(0, round(others)))


def usable_cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
