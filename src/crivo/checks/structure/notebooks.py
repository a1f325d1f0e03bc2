"""N: are the notebooks stored without output?"""

from __future__ import annotations

import json
from collections.abc import Iterator

from crivo.checks.project import Project
from crivo.checks.registry import Found, check


@check(
    "N001",
    "A notebook with output",
    severity="error",
    example="notebooks/01-explore-data.ipynb: 3 of its cells have output or a count; clear all "
    "outputs and save it.",
)
def without_output(project: Project) -> Iterator[Found]:
    """Output makes every run of a notebook a change, hides what really changed, and may hold
    rows of private data. Jupyter clears it by "Clear Outputs of All Cells".
    """
    for path in project.repository.candidates("*.ipynb"):
        try:
            notebook = json.loads((project.root / path).read_text(encoding="utf-8"))
            cells = notebook["cells"]
        except (ValueError, KeyError, TypeError, RecursionError):
            yield Found(path, "can't be read as a notebook; restore it with git.")
            continue
        full = [c for c in cells if c.get("outputs") or c.get("execution_count") is not None]
        if full:
            yield Found(
                path,
                f"{len(full)} of its cells have output or a count; clear all outputs and save it.",
            )
