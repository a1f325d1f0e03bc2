"""L and T: the checks of the prepared rows, which `featurize` makes too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import wraps

from crivo.checks.project import Project
from crivo.checks.registry import CHECKS, Found
from crivo.featurization.row_checks import ROW_CHECKS, Sides


def of_project(search: Callable[[Sides], Iterator[Found]]) -> Callable[[Project], Iterator[Found]]:
    """Return the check for the rows of a project; it is silent before `prepare` has run."""

    @wraps(search)
    def look(project: Project) -> Iterator[Found]:
        if project.prepared is not None:
            yield from search(project.prepared)

    return look


for one in ROW_CHECKS.values():
    CHECKS.enter(replace(one, search=of_project(one.search)))
