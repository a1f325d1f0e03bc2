"""The checks on this project itself."""

from pathlib import Path

from crivo.checks import review as checks

ROOT = Path(__file__).parents[3]


def test_this_project_has_no_error():
    findings = checks.review(ROOT, only=["structure"]).findings
    errors = [finding for finding in findings if finding.severity == "error"]
    assert not errors, errors
