"""A plugin of pytest that measures coverage where it has a limit: of the evaluation, by its tests.

Whatever Python runs under measurement takes half as long again, so that nothing else is measured:
not what the other tests call, their fixtures, the imports and the collection of tests. Simulations,
which call the same code many times, are marked `no_cover`.
"""

import importlib
import pkgutil
from collections.abc import Generator

import pytest
from coverage import Coverage

STARTED = pytest.StashKey[Coverage | None]()


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Measure the imports of the evaluation, and stop; workers do it, not what hands out tests."""
    session.config.stash[STARTED] = coverage = Coverage.current()
    if coverage is None:
        return
    if not session.config.pluginmanager.has_plugin("dsession"):
        from crivo import evaluation, statistics

        for room in (evaluation, statistics):
            for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
                importlib.import_module(module.name)
    coverage.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measure a test of the evaluation, and the examples in its code."""
    coverage = item.config.stash[STARTED]
    if coverage is None or not {"evaluation", "statistics"} & {*item.path.parts}:
        return (yield)
    coverage.start()
    try:
        return (yield)
    finally:
        coverage.stop()
