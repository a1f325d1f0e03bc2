"""Looks for mistakes that make results wrong, before anyone believes these results.

`crivo check` calls `run`. Each check is one function; `registry` says how to write one, and
`docs/checks.md` lists them. The checks of rows stand in `crivo.featurization.row_checks`, those of
results in `crivo.evaluation.result_checks`: stages make them, and `data` shows what they found.
Those of a model's quality stand in `quality`; no stage makes them, as they fit and compare.
"""

from __future__ import annotations

from crivo.checks.project import Project
from crivo.checks.registry import Check, Finding, Found, check
from crivo.checks.report import explain, render, render_outcomes
from crivo.checks.running import Outcome, chosen, found, review, run

__all__ = [
    "Check",
    "Finding",
    "Found",
    "Outcome",
    "Project",
    "check",
    "chosen",
    "explain",
    "found",
    "render",
    "render_outcomes",
    "review",
    "run",
]
