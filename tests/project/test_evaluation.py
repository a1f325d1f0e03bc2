"""Somebody has approved what the evaluation measures, once anybody has approved anything."""

import subprocess
import sys

import pytest

from tests.project.conftest import ROOT

APPROVALS = "docs/evaluation-approved.yaml"


def test_the_evaluation_in_use_is_approved() -> None:
    if not (ROOT / APPROVALS).exists():
        pytest.skip(f"nobody has approved an evaluation yet: there is no {APPROVALS}")
    command = [sys.executable, "-m", "crivo.cli", "check", "--only", "R004"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert "R004" not in done.stdout, done.stdout
