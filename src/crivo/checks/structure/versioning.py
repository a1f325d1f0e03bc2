"""G: does git, or DVC, know every file that a result is made from?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from crivo.checks.project import Project
from crivo.checks.registry import Found, check
from crivo.repository.paths import covers

# Files that a run needs though no stage names them.
ALWAYS = ("dvc.yaml", "params.yaml", "dvc.lock", ".dvc/config", ".dvcignore", ".gitignore")
CONFLICT = re.compile(r"^(<<<<<<<|>>>>>>>) ", re.MULTILINE)


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
    for out in project.pipeline.outs:
        known = any(covers(out.path, path) for path in project.repository.tracked)
        if not out.cached and not known and (project.root / out.path).exists():
            yield Found(
                out.path,
                "DVC doesn't cache it and git doesn't track it; `git add` it, or a clone has no "
                "such file.",
            )


@check(
    "G004",
    "A merge that isn't finished",
    severity="error",
    example="dvc.lock:31: has the marks of an unfinished merge; choose one side, or run `dvc "
    "repro` to write dvc.lock anew.",
)
def merged(project: Project) -> Iterator[Found]:
    """Two people who run experiments both change `dvc.lock` and `params.yaml`, so that is where
    merges stop.
    """
    files = {*ALWAYS, *project.repository.candidates("*.dvc")}
    for path in sorted(path for path in files if (project.root / path).is_file()):
        text = (project.root / path).read_text(encoding="utf-8", errors="replace")
        if mark := CONFLICT.search(text):
            line = text.count("\n", 0, mark.start()) + 1
            yield Found(
                f"{path}:{line}",
                "has the marks of an unfinished merge; choose one side, or run `dvc repro` to "
                "write dvc.lock anew.",
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


@check(
    "G006",
    "A file that git ignores counts as a dependency",
    severity="error",
    example="src/crivo/core/__pycache__: git ignores it and DVC doesn't, so it makes a stage "
    "stale; add `__pycache__/` to .dvcignore.",
)
def dvcignored(project: Project) -> Iterator[Found]:
    """When a folder is a dependency, so is everything in it, except what `.dvcignore` names. Byte
    code and editors' files would make a stage stale in one place and not in another.
    """
    inside = _dependency_files(project) - project.repository.tracked - project.code_in_use
    for path in sorted(project.repository.ignored_by(inside)):
        folder = PurePosixPath(path).parent
        name = f"{folder.name}/" if folder.name.startswith((".", "_")) else PurePosixPath(path).name
        yield Found(
            folder.as_posix() if name.endswith("/") else path,
            f"git ignores it and DVC doesn't, so it makes a stage stale; add `{name}` to "
            ".dvcignore.",
        )


def _dependency_files(project: Project) -> set[str]:
    """Return the files that the dependencies outside DVC's own outputs consist of."""
    files = project.pipeline.files
    return {file for dep in files if not _unknown_data(project, dep) for file in files[dep]}


def _unknown_data(project: Project, dep: str) -> bool:
    """Return whether a dependency is data that is in nobody's keeping at all."""
    known = any(covers(dep, path) for path in project.repository.tracked)
    return not known and not covers("src", dep) and not dep.endswith(".py")
