"""Writes `docs/checks.md` from the checks themselves: `python -m crivo.checks.documentation`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from crivo.checks import GROUPS, OWN_LETTER, chosen
from crivo.core.findings import Check

PAGE = Path("docs/checks.md")

HEAD = """\
# What `crivo check` looks for

Run `crivo check` to find mistakes that make results wrong, before you believe them:

```
crivo check                  # all checks; exit status 1 if there is an error
crivo check --only structure # or a first letter, or a code; repeatable
crivo check --all            # also what passed, and what doesn't apply and why
crivo check --explain L005   # what is on this page about a code
crivo check --json           # for scripts
```

An **error** makes results wrong or impossible to reproduce. A **warning** is likely to do so. A
**note** is worth knowing. Each finding is one line: the code, the severity, where the problem is,
what it is, and what to do.

The pipeline also runs some of these checks. The report shows what they found, and lists those that
passed or aren't applicable. `featurize`
checks the rows (L, T): the raw columns, and for L005 also the features made from them.
`evaluate` checks the results (R001 to R003, R005, R018). The stages also print errors and warnings
while they run, and the report lists them at the top. R010 to R015 ask whether the model is as good
as it could be. Only `crivo check` runs them, because they fit a model and read the recorded trials.

To mute a check, give the reason in `params.yaml`. Its findings are then still listed, as muted, but
don't affect the exit status. An unknown code or an empty reason is refused.

```yaml
checks:
  muted:
    R014: "Frauds are few; precision at 1 % is what counts"
```

`python -m crivo.checks.documentation` writes this page from the code of the checks. The last part,
[how often a check is wrong](#alarms), is the result of simulations: `python benchmarks/alarms.py`.
"""
OWN = """\
A file in `src/blocks/checks` is a check of results ([blocks](blocks.md)). `evaluate.checks` in
`params.yaml` names those that `evaluate` makes. Their codes are X and three digits."""

# Where the part begins that `benchmarks/alarms.py` writes.
SIMULATED = '## <a id="alarms"></a>How often a check is wrong\n'


def document() -> str:
    """Return the page: every check with why it matters, what to do and an example."""
    return "\n".join([HEAD, *_table(), *_sections()])


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


def _section(check: Check) -> Iterator[str]:
    yield f'\n### <a id="{check.code.lower()}"></a>{check.code}: {check.title}'
    yield f"\n{check.explanation}"
    yield f"\n> {check.code} {check.severity}    {check.example}"


def renewed(page: str) -> str:
    """Return the page anew, with the simulated part that it has."""
    written = document() + "\n"
    _, start, simulated = page.partition(SIMULATED)
    return f"{written}\n{start}{simulated}" if start else written


def main() -> None:
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(renewed(page), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
