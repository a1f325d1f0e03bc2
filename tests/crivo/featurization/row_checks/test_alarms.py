"""Checks of rows are seldom wrong, and find what was planted, in a few made-up tables of each kind.

The long version is `benchmarks/alarms.py`; its result is in `docs/evidence.md`.
"""

import importlib
from pathlib import Path

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


def rings(alarms, kinds, code):
    own = {key: make for key, make in kinds.items() if key[0] == code and key[1] not in RUNG}
    return {what: sum(found) for _, what, found in alarms.reported(own, range(COUNT))}


@CODES
def test_honest_tables_make_no_check_ring(alarms, code):
    found = rings(alarms, alarms.HONEST, code)
    assert {what: count for what, count in found.items() if count >= MAX_RINGS} == {}


@CODES
def test_a_fault_makes_it_ring(alarms, code):
    found = rings(alarms, alarms.FAULTY, code)
    assert {what: count for what, count in found.items() if count < COUNT / 2} == {}
