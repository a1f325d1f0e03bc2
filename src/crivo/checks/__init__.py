"""Looks for mistakes that make results wrong, before anyone believes these results.

`crivo check` calls `review`. Each check is one function, and `docs/checks.md` lists them. The
checks of rows stand in `crivo.featurization.row_checks`, those of results in
`crivo.evaluation.result_checks`: stages make them, and `stages` shows what they found. No stage
makes those of `quality` and `trials`, as they fit and compare.
"""

from __future__ import annotations

from crivo.checks import (  # each enters its checks in the list
    approval,
    blocks,
    pipeline,
    quality,
    settings,
    stages,
    trials,
    versioning,
)
from crivo.checks.project import CHECKS, Project, check
from crivo.checks.report import Checked, checked, explain, render, render_checked
from crivo.checks.running import (
    GROUPS,
    OWN_LETTER,
    Outcome,
    chosen,
    found,
    review,
    run,
)
from crivo.core.findings import Check, Finding, Found

__all__ = [
    "CHECKS",
    "GROUPS",
    "OWN_LETTER",
    "Check",
    "Checked",
    "Finding",
    "Found",
    "Outcome",
    "Project",
    "approval",
    "blocks",
    "check",
    "checked",
    "chosen",
    "explain",
    "found",
    "pipeline",
    "quality",
    "render",
    "render_checked",
    "review",
    "run",
    "settings",
    "stages",
    "trials",
    "versioning",
]
