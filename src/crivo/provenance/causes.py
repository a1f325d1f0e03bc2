"""Why a stage gave another result than recorded: what is known for sure, then what is likely."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crivo.core.environment import lock_differences
from crivo.core.parsing import ParseError
from crivo.experiments.prediction_diff import LOCKFILE
from crivo.experiments.reading import parse_about
from crivo.experiments.records import ABOUT, PARAMS
from crivo.provenance.result_diff import ResultDiff, other_inputs
from crivo.repository.git import Repository
from crivo.repository.lock import LOCK, Lock, LockedStage, read_lock
from crivo.repository.paths import covers
from crivo.repository.running import Failure, run_pipeline

WATCH = Path(__file__).with_name("watch")
# What every stage reads and `crivo check` looks after: DVC's files, settings, code.
KNOWN = (".git/", ".dvc/", ".dvcignore", ".gitignore", "dvc.yaml", LOCK, PARAMS)
MAX_CAUSES = 3


@dataclass(frozen=True)
class SecondRun:
    """What running a stage once more told: was its result the same, and what else it read."""

    same: bool
    undeclared: tuple[str, ...]


def stale_inputs(differences: ResultDiff) -> list[str]:
    """Name the stages that were recorded with other inputs than those committed beside them."""
    return [
        f"{stage} was recorded with other inputs than the commit has ({_some(inputs)} changed "
        f"since); run `dvc repro` and commit {LOCK}."
        for stage in differences.found.stages
        if (inputs := other_inputs(differences.recorded, differences.found, stage))
    ]


def causes(differences: ResultDiff, project: Repository, second: SecondRun | None) -> list[str]:
    """Return why the first stage that moved did so, in sentences."""
    stage = differences.first
    known = stale_inputs(differences) + _environment(project)
    if second is not None and not second.same:
        return [
            f"{stage} isn't deterministic: two runs here on the same inputs gave two results; "
            "seed everything that is random, and let nothing depend on the clock or on the "
            "order of threads.",
            *known,
        ]
    if second is not None:
        known += [_undeclared(project, stage, path) for path in second.undeclared[:MAX_CAUSES]]
    if known:
        return known
    each = "gives the same result each time here, so the" if second else "has the same inputs; the"
    return [
        f"{stage} {each} cause is something that git doesn't record: another kind of processor "
        "or number of threads (OMP_NUM_THREADS), which change last digits, another Python, or an "
        "undeclared input, such as an environment variable or a file outside of the project."
    ]


def left_behind(differences: ResultDiff) -> list[str]:
    """Say what git sees changed though it isn't an output that moved."""
    paths = [line[3:] for line in differences.left]
    edited = [path for path in paths if differences.recorded.maker(path)]
    stray_paths = [path for path in paths if path not in edited]
    sentences = []
    if edited:
        sentences.append(
            f"The content of {_some(edited)} in git isn't what {LOCK} records: it was changed "
            "after the run; `dvc repro --force` writes it again."
        )
    if stray_paths:
        sentences.append(
            f"No stage names {_some(stray_paths)} as its output: list it under `outs` if a stage "
            "writes it, otherwise commit it or undo the change."
        )
    return sentences


def _environment(project: Repository) -> list[str]:
    """Say how this environment differs from the one that the results were recorded in."""
    about = _evaluation(project)
    here = ".".join(map(str, sys.version_info[:2]))
    sentences = []
    # Results of today's stages are the same bytes in each Python, and don't say which it was.
    if about.get("python", here) != here:
        sentences.append(
            f"The results were recorded with Python {about['python']}, here is {here}."
        )
    if about.get("environment") == "differs":
        sentences.append(
            f"The results were recorded in an environment that differed from {LOCKFILE}."
        )
    wrong = environment_differs(project)
    if wrong:
        sentences.append(f"The environment here differs from {LOCKFILE}: {_some(wrong)}.")
    return sentences


def _evaluation(project: Repository) -> dict[str, Any]:
    """Return what HEAD's `evaluation.json` says; empty when it can't be read."""
    key = ("HEAD", ABOUT)
    blobs = project.blobs([key])
    try:
        return parse_about(blobs[key].content) if key in blobs else {}
    except ParseError:
        return {}


def environment_differs(project: Repository) -> list[str]:
    """Return how the installed packages differ from a project's lock, if it has one."""
    lock = project.project / LOCKFILE
    return lock_differences(lock) if lock.exists() else []


def _undeclared(project: Repository, stage: str, path: str) -> str:
    where = "" if (project.project / path).exists() else " and isn't in git"
    return (
        f"{stage} reads {path}, which dvc.yaml doesn't name{where}: an undeclared input; keep it "
        "in git or DVC and list it under `deps`."
    )


def _some(parts: Iterable[str]) -> str:
    items = list(parts)
    return ", ".join(items[:MAX_CAUSES]) + (
        f" and {len(items) - MAX_CAUSES} more" if items[MAX_CAUSES:] else ""
    )


# --- a second run -----------------------------------------------------------------------------


def run_again(clone: Repository, differences: ResultDiff) -> SecondRun | None:
    """Run the first stage that moved once more, and watch what it reads; None when it fails."""
    stage = differences.found.stages.get(differences.first)
    if stage is None:
        return None
    log = clone.top.with_name("files-read.txt")
    watching = {"PYTHONPATH": str(WATCH), "CRIVO_WATCH": str(log)}
    if run_pipeline(clone, stage.name, watching) is not None:
        return None
    again = read_lock((clone.project / LOCK).read_bytes())
    read = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    return SecondRun(
        _outs(again.stages[stage.name]) == _outs(stage),
        tuple(undeclared(read, clone.project, stage)),
    )


def _outs(stage: LockedStage) -> dict[str, Any]:
    return {path: file.md5 for path, file in stage.outs.items()}


def undeclared(read: Iterable[str], project: Path, stage: LockedStage) -> list[str]:
    """Return the files of a project that a stage read, and that are neither deps nor outs of it.

    Python files are left out: `crivo check` finds code that a stage doesn't depend on.
    """
    root = project.resolve()
    paths = (Path(line) for line in dict.fromkeys(read))
    inside = (path.relative_to(root).as_posix() for path in paths if path.is_relative_to(root))
    return [
        path
        for path in inside
        if not path.startswith(KNOWN)
        and not path.endswith((".py", ".pyc", ".dvc", ".part"))
        and not any(covers(known, path) for known in [*stage.deps, *stage.outs])
        and not (root / path).is_dir()
    ]


# --- a stage that failed ----------------------------------------------------------------------


def causes_of_failure(
    failure: Failure, recorded: Lock, home: Repository, clone: Repository
) -> list[str]:
    """Return the files that the failed stage complains of and that only the workspace has."""
    words = dict.fromkeys(re.findall(r"[\w./\\-]+", "\n".join(failure.words)))
    missing = [
        path
        for path in (word.strip(".") for word in words)
        if path
        and not path.startswith("/")
        and (home.project / path).is_file()
        and not (clone.project / path).exists()
        and recorded.maker(path) is None
    ]
    return [_undeclared(clone, failure.stage, path) for path in missing[:MAX_CAUSES]]
