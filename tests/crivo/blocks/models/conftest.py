"""The models' tests run on one core each: together they keep the others busy."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from threadpoolctl import threadpool_limits

# Nothing to test where neither optional library is installed.
collect_ignore = (
    [] if find_spec("lightgbm") or find_spec("xgboost") else ["test_optional_boosters.py"]
)


@pytest.fixture(autouse=True)
def _one_core() -> Iterator[None]:
    with threadpool_limits(1):
        yield
