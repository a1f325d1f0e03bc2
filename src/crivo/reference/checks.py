"""Makes docs/checks.md, the page of all checks, from their docstrings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crivo.checks.project import Project
from crivo.checks.review import GROUPS, OWN_LETTER, chosen
from crivo.core.findings import Check
from crivo.reference import head

PAGE = Path("docs/checks.md")

OWN = """\
You can write checks of results in `src/blocks/checks`, one check per file ([blocks](blocks.md)).
`evaluate.checks` in `params.yaml` names the checks that `evaluate` runs. Their codes consist of an
X and three digits."""


def document() -> str:
    """Return the page: every check with why it matters, what to do and an example."""
    return "\n".join([head("checks"), *_table(), *_sections()])


def _table() -> Iterator[str]:
    yield "| code | finding | severity |"
    yield "| --- | --- | --- |"
    for check in chosen():
        yield f"| [{check.code}](#{check.code.lower()}) | {check.title} | {check.severity} |"


def _sections() -> Iterator[str]:
    for letters in GROUPS.values():
        for letter, title in letters.items():
            yield f"\n## {title}"
            if letter == OWN_LETTER:
                yield f"\n{OWN}"
            for check in chosen([letter]):
                yield from _section(check)


def _section(check: Check[Project]) -> Iterator[str]:
    yield f'\n### <a id="{check.code.lower()}"></a>{check.code}: {check.title}'
    yield f"\n{check.explanation}"
    yield f"\n> {check.code} {check.severity}    {check.example}"
