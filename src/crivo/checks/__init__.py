"""Looks for mistakes that make results wrong, before anyone believes these results.

`crivo check` calls `review`. Each check is one function, and `docs/checks.md` lists them. The
checks of rows stand in `crivo.featurization.row_checks`, those of results in
`crivo.evaluation.result_checks`: stages make them, and `stages` shows what they found. No stage
makes those of `quality` and `trials`, as they fit and compare.
"""

from __future__ import annotations

# Each of these modules enters its checks in the list.
from crivo.checks import approval as approval
from crivo.checks import blocks as blocks
from crivo.checks import pipeline as pipeline
from crivo.checks import quality as quality
from crivo.checks import settings as settings
from crivo.checks import stages as stages
from crivo.checks import trials as trials
from crivo.checks import versioning as versioning
from crivo.checks.project import CHECKS, Project
from crivo.checks.review import GROUPS, OWN_LETTER, Checked, chosen, review
from crivo.checks.text import checked_text, explain

__all__ = [
    "CHECKS",
    "GROUPS",
    "OWN_LETTER",
    "Checked",
    "Project",
    "checked_text",
    "chosen",
    "explain",
    "review",
]
