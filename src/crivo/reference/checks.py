"""Makes docs/checks.md, the page of all checks, from their docstrings."""

from __future__ import annotations

from pathlib import Path

from crivo.checks.review import GROUPS, OWN_LETTER, chosen
from crivo.reference import head

PAGE = Path("docs/checks.md")

OWN = """\
You can write checks of results in `src/blocks/checks`, one check per file ([blocks](blocks.md)).
`evaluate.checks` in `params.yaml` names the checks that `evaluate` runs. Their codes consist of an
X and three digits."""


def document() -> str:
    """Return the page: every check with why it matters, what to do and an example."""
    lines = [head("checks"), "| code | finding | severity |", "| --- | --- | --- |"]
    for check in chosen():
        lines.append(
            f"| [{check.code}](#{check.code.lower()}) | {check.title} | {check.severity} |"
        )
    for letter, title in (pair for letters in GROUPS.values() for pair in letters.items()):
        lines.append(f"\n## {title}")
        if letter == OWN_LETTER:
            lines.append(f"\n{OWN}")
        for check in chosen([letter]):
            lines += [
                f'\n### <a id="{check.code.lower()}"></a>{check.code}: {check.title}',
                f"\n{check.explanation}",
                f"\n> {check.code} {check.severity}    {check.example}",
            ]
    return "\n".join(lines)
