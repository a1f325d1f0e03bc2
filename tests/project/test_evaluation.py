"""Somebody has approved what the evaluation measures, once anybody has approved anything."""

import pytest

from crivo import checks
from crivo.checks.data.approval import APPROVALS
from tests.project.conftest import ROOT


def test_the_evaluation_in_use_is_approved() -> None:
    if not (ROOT / APPROVALS).exists():
        pytest.skip(f"nobody has approved an evaluation yet: there is no {APPROVALS}")
    found = checks.run(ROOT, only=["R004"])
    assert not found, checks.render(found)
