"""How many threads do linear algebra: one, whatever the machine has."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Do linear algebra on one thread: its sums, and so the bytes, depend on the number."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = "1"  # for libraries that are loaded later
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1, user_api="blas"):
        yield
