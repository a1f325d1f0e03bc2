"""The checks of results that a team writes: files in `src/blocks/checks`.

`evaluate.checks` in `params.yaml` names those that `evaluate` makes. What they find stands in the
report, in `evaluation.json` and in what `crivo check` lists.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from crivo.core.errors import CrivoError
from crivo.core.findings import Check, Found, Severity
from crivo.core.problems import did_you_mean
from crivo.core.registry import own_modules
from crivo.evaluation.result_checks import Results

FOLDER = "checks"
CODE = re.compile(r"X\d{3}")

Search = Callable[[Results], Iterable[tuple[str, str]]]


def check(code: str, title: str, *, severity: Severity = "warning") -> Callable[[Search], Search]:
    """Make a function a check of results; it yields what it finds, a subject and a sentence.

    `code`: X and three digits; `severity`: `error`, `warning` or `note`. The function is given
    `predictions`, `rows` (the prepared rows beside them), `intervals`, `metrics` and `training`.
    """
    if not CODE.fullmatch(code):
        raise CrivoError(f"@check({code!r}): expected X and three digits, such as X001.")

    def enter(function: Search) -> Search:
        def search(results: Results) -> Iterator[Found]:
            for subject, message in function(results):
                yield Found(subject, message)

        search.__doc__ = function.__doc__
        function.check = Check(code, title, severity, "", search)  # type: ignore[attr-defined]
        return function

    return enter


def own_checks(names: Sequence[str]) -> list[Check[Results]]:
    """Return the named checks; CrivoError for a name without a file, or a file without a check."""
    modules = own_modules(FOLDER)
    for name in names:
        if name not in modules:
            raise CrivoError(
                f"evaluate.checks names {name!r}, which isn't a check"
                f"{did_you_mean(name, list(modules))}; expected a file "
                f"src/blocks/{FOLDER}/{name}.py."
            )
    found = [
        made
        for name in names
        for thing in vars(modules[name]).values()
        if isinstance(made := getattr(thing, "check", None), Check)
    ]
    if len(codes := {one.code for one in found}) < max(len(names), len(found)):
        raise CrivoError(
            f"evaluate.checks names {', '.join(names)}, with the codes {', '.join(sorted(codes))}; "
            "expected one @check of its own code in each file."
        )
    return found
