"""Intervals hold the truth about as often as they promise, in a few simulated worlds.

The long version is `benchmarks/coverage.py`; its result is in `docs/evidence.md`.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "coverage.py"
COUNT = 60
# Many times the same code, whose coverage other tests measure.
pytestmark = pytest.mark.no_cover


@pytest.fixture(scope="module")
def benchmark():
    sys.path.insert(0, str(BENCHMARK.parent))
    spec = importlib.util.spec_from_file_location("coverage_benchmark", BENCHMARK)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    module.TRUTH_ROWS = 200_000
    yield module
    del sys.modules[spec.name]
    sys.path.remove(str(BENCHMARK.parent))


# In fewer than one run of 10,000 does an interval of 92 % hold the truth this seldom.
MIN_COVERED = stats.binom.ppf(1e-4, COUNT, 0.92) / COUNT


@pytest.mark.parametrize("name", ["150 independent rows", "12 days of 100 rows"])
def test_intervals_hold_the_truth_as_often_as_they_promise(benchmark, name):
    world = next(world for world in benchmark.WORLDS if world.name.startswith(name))
    found = benchmark.coverage(world, COUNT)
    for metric in benchmark.METRICS["binary"]:
        assert found.held[metric] >= MIN_COVERED


def test_intervals_that_ignore_days_do_not(benchmark):
    world = next(world for world in benchmark.WORLDS if world.name.startswith("12 days"))
    strong = replace(world, effect=1.0)
    found = benchmark.coverage(strong, COUNT, by_row=True)
    assert found.held["log_loss"] < MIN_COVERED
