"""Thread limits for the computations of a stage.

BLAS runs on one thread, because sums, and so the bytes of results, depend on the number of threads.
Fits and predictions by OpenMP take as many as OMP_NUM_THREADS says, or all cores. Their
threads wait for one another by spinning for some microseconds, then they sleep (`WAIT`). If they
only spin, as by default, a fit on a busy machine takes ten times as long; if they only sleep, a fit
of 100 iterations on 20,000 rows takes six times as long on a quiet one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

# Read when the first library with OpenMP is loaded.
WAIT = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}


def with_waiting(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment with `WAIT`, or as it is if the user says there how threads wait."""
    # To set one of the two would overrule the other: libgomp prefers the count to the policy.
    return {**environment} if WAIT.keys() & environment.keys() else {**environment, **WAIT}


@contextmanager
def limited_threads() -> Iterator[None]:
    """Compute with one thread in linear algebra, and with as many in OpenMP as it may take."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = "1"  # for libraries that are loaded later
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield


def fit_threads() -> int:
    """Return how many threads a fit may use: OMP_NUM_THREADS, or all cores."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(given) if given.isdecimal() and int(given) > 0 else usable_cores()


def usable_cores() -> int:
    """Return how many cores this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
