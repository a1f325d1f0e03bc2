"""R: is a class too rare to be learnt, or to be measured?"""

from __future__ import annotations

from collections.abc import Iterator

from crivo.checks.project import Project
from crivo.checks.quality.evaluated import about, part, schema_of
from crivo.checks.registry import Found, check
from crivo.core import artifacts
from crivo.core.findings import NotApplicable

# With fewer rows of a class, its recall has an interval of half of all that is possible.
MIN_CLASS_ROWS = 20


@check(
    "R014",
    "Rare classes",
    severity="note",
    example="class fraud: only 7 evaluated rows, so its metrics are very uncertain; get more of "
    "these rows, merge it with a class that is treated in the same way, or report no metric "
    "for it.",
)
def rare_classes(project: Project) -> Iterator[Found]:
    """A metric of a class with few rows is very uncertain, and a model can't learn much from few
    rows. The check reports classes with fewer than 20 training rows or fewer than 20 evaluated
    rows.
    """
    about(project)
    schema = schema_of(project)
    if schema.task == "regression":
        raise NotApplicable("the target is a number")
    for split, what in (("train", "training rows"), ("valid", "evaluated rows")):
        rows = part(project, artifacts.read_table, artifacts.prepared(split))
        counts = rows[schema.target].astype("str").value_counts()
        for name in map(str, schema.classes):
            count = int(counts.get(name, 0))
            if count < MIN_CLASS_ROWS:
                yield Found(
                    f"class {name}",
                    f"only {count} {what}, so its metrics are very uncertain; get more of these "
                    "rows, merge it with a class that is treated in the same way, or report no "
                    "metric for it.",
                )
