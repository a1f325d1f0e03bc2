"""Tells what the checks found: to people, and to scripts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from crivo.checks.registry import Finding


def render(findings: Sequence[Finding]) -> str:
    """Return the findings as text, one a line, and their count.

    >>> print(render([Finding("S004", "error", "seed", "no stage declares it.")]))
    S004 error    seed: no stage declares it.
    <BLANKLINE>
    1 error. docs/checks.md explains each code.
    """
    if not findings:
        return "Nothing found."
    lines = [f"{f.code} {f.severity:<8} {f.subject}: {f.message}" for f in findings]
    counts = Counter(finding.severity for finding in findings)
    total = ", ".join(f"{n} {name}{'s' if n > 1 else ''}" for name, n in counts.items())
    return "\n".join([*lines, "", f"{total}. docs/checks.md explains each code."])


def to_json(findings: Sequence[Finding]) -> str:
    """Return the findings as a JSON list of objects: code, severity, subject, message."""
    return json.dumps([asdict(finding) for finding in findings], indent=2, ensure_ascii=False)
