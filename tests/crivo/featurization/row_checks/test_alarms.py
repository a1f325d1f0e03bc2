"""Checks of rows are seldom wrong, and find what was planted, in a few made-up tables of each kind.

The long version is `benchmarks/alarms.py`; its result is in `docs/evidence.md`.
"""

import importlib
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[4] / "benchmarks"
COUNT = 8
# At a rate of 5 % or less this many of 8 ring in one run of 170.
MAX_RINGS = 3
CODES = pytest.mark.parametrize("code", ["L002", "L005", "L006", "L008", "L009", "T001"])
# What can't be told from a fault, as the page says.
RUNG = {
    "one strong feature with an R² of 0.8",
    "products that will get new rows",
    "sensors, split by time",
}


@pytest.fixture
def alarms(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    monkeypatch.setattr(importlib.import_module("alarms_worlds"), "SIZES", (500,) * 5)
    return importlib.import_module("alarms")


def rings(alarms, code, make):
    return sum(alarms.rings(code, make(np.random.default_rng(seed))) for seed in range(COUNT))


@CODES
def test_honest_tables_make_no_check_ring(alarms, code):
    kinds = alarms.HONEST[code]
    found = {what: rings(alarms, code, kinds[what]) for what in kinds.keys() - RUNG}
    assert {what: count for what, count in found.items() if count >= MAX_RINGS} == {}


@CODES
def test_a_fault_makes_it_ring(alarms, code):
    found = {what: rings(alarms, code, make) for what, make in alarms.FAULTY[code].items()}
    assert {what: count for what, count in found.items() if count < COUNT / 2} == {}
