"""The models' tests run on one core each: together they keep the others busy."""

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True)
def _one_core() -> Iterator[None]:
    with threadpool_limits(1):
        yield
