"""The list of all checks of a project; `core/findings` says how to write one."""

from __future__ import annotations

from crivo.checks.project import Project
from crivo.core.findings import Check, Checks, Finding, Found, Severity

CHECKS: Checks[Project] = Checks()
check = CHECKS.check

__all__ = ["CHECKS", "Check", "Finding", "Found", "Severity", "check"]
