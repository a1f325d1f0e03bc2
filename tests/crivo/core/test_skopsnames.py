"""The stored lists say what skops would find, so a model file is trusted for the same names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from crivo.core import skopsnames

SEARCHED = """
import skops.io  # first: so skops searches
from crivo.core.skopsnames import skops_lists, stored_lists
stored = stored_lists()
assert stored, "made with other versions, or on another system"
for name, names in skops_lists().items():
    assert sorted(stored[name]) == sorted(names), name
"""
IMPORTED = """
import sys
from crivo.core.skopsnames import import_skops
import_skops()
unused = [name for name in ("sklearn.gaussian_process", "sklearn.semi_supervised", "pytest")
          if name in sys.modules]
assert not unused, unused
"""


def run(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, (
        f"{done.stderr}\nAfter new versions: python -m crivo.core.skopsnames"
    )


def test_the_stored_lists_are_those_that_skops_finds() -> None:
    run(SEARCHED)


def test_skops_is_imported_without_all_of_scikit_learn() -> None:
    run(IMPORTED)


def test_lists_of_other_versions_are_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scipy.__version__", "0.0.1")
    assert skopsnames.stored_lists.__wrapped__() == {}
