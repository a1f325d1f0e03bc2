"""G and N: does git, or DVC, keep every file that a result is made from, and as it should be?"""

from __future__ import annotations

import json
from collections.abc import Iterator

from crivo.checks.project import Project, check
from crivo.core.findings import Found
from crivo.repository.paths import covers

# Files that a run needs though no stage names them.
ALWAYS = ("dvc.yaml", "params.yaml", "dvc.lock", ".dvc/config", ".dvcignore", ".gitignore")


@check(
    "G001",
    "A file in use that git doesn't track",
    severity="error",
    example="src/blocks/models/new.py: is in use and git doesn't track it; `git add` it, or an "
    "experiment is built on code that nobody else has.",
)
def tracked(project: Project) -> Iterator[Found]:
    """Git knows an experiment's code by its commit. A file that git ignores or doesn't track is
    missing in a trial, in a clone and in the record.
    """
    used = {path for path in (*ALWAYS, *project.code_in_use) if (project.root / path).is_file()}
    used |= {raw.stage for raw in project.pipeline.raw}
    inside = _dependency_files(project) - project.repository.tracked
    missing = used - project.repository.tracked
    missing |= inside - project.repository.ignored_by(inside).keys()
    ignored = project.repository.ignored_by(missing)
    for path in sorted(missing):
        if rule := ignored.get(path):
            advice = f"is in use and git ignores it ({rule}); change that rule and `git add` it"
        else:
            advice = "is in use and git doesn't track it; `git add` it"
        yield Found(path, f"{advice}, or an experiment is built on code that nobody else has.")


@check(
    "G002",
    "An output of a stage that git doesn't ignore",
    severity="error",
    example="models/model.skops: is DVC's to keep and no committed .gitignore names it; add "
    "/models/model.skops to .gitignore.",
)
def ignored(project: Project) -> Iterator[Found]:
    """DVC writes such a line itself when a stage succeeds, and removes it when a stage fails. So
    commit the lines. Without them `git status` is never clean.
    """
    cached = [out for out in project.pipeline.outs if out.cached]
    rules = project.repository.ignored_by(
        path for out in cached for path in (out.path, f"{out.path}/")
    )
    for out in cached:
        rule = rules.get(out.path) or rules.get(f"{out.path}/") or ""
        if any(covers(out.path, path) for path in project.repository.tracked):
            yield Found(
                out.path,
                f"is DVC's to keep and git tracks it too; `git rm -r --cached {out.path}`.",
            )
        elif rule.partition(":")[0] not in project.repository.tracked:
            yield Found(
                out.path,
                f"is DVC's to keep and no committed .gitignore names it; add /{out.path} to "
                ".gitignore.",
            )


@check(
    "G003",
    "An uncached output that git doesn't track",
    severity="warning",
    example="metrics/evaluation/metrics.json: DVC doesn't cache it and git doesn't track it; "
    "`git add` it, or a clone has no such file.",
)
def kept(project: Project) -> Iterator[Found]:
    """Git must keep an output with `cache: false`. Until you add it, clones have no metrics, and
    nothing says so.
    """
    lost = [
        out.path
        for out in project.pipeline.outs
        if not out.cached
        and not any(covers(out.path, path) for path in project.repository.tracked)
        and (project.root / out.path).exists()
    ]
    if lost:  # before the first commit of a result that is all of them
        yield Found(
            f"{lost[0]} and {len(lost) - 1} more" if len(lost) > 1 else lost[0],
            "DVC doesn't cache it and git doesn't track it; `git add` it, or a clone has no such "
            "file.",
        )


@check(
    "G005",
    "Raw data that nobody keeps",
    severity="error",
    example="data/raw/mine: is a stage's dependency, but neither git nor DVC keeps it; `dvc add "
    "data/raw/mine` and commit data/raw/mine.dvc.",
)
def raw_data(project: Project) -> Iterator[Found]:
    """A dependency that no stage writes has to come from somewhere in a clone: from git, or by
    a `.dvc` file that says which bytes it must be.
    """
    for dep in project.pipeline.files:
        if _unknown_data(project, dep):
            yield Found(
                dep,
                f"is a stage's dependency, but neither git nor DVC keeps it; `dvc add {dep}` and "
                f"commit {dep}.dvc.",
            )


def _dependency_files(project: Project) -> set[str]:
    """Return the files that the dependencies outside DVC's own outputs consist of."""
    files = project.pipeline.files
    return {file for dep in files if not _unknown_data(project, dep) for file in files[dep]}


def _unknown_data(project: Project, dep: str) -> bool:
    """Return whether a dependency is data that is in nobody's keeping at all."""
    known = any(covers(dep, path) for path in project.repository.tracked)
    return not known and not covers("src", dep) and not dep.endswith(".py")


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
