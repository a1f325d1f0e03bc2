"""Verification: a commit or an experiment runs again from scratch, and its results are compared.

from crivo.provenance import verify
verify("forest").outcome
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

from crivo.comparison.prediction_diff import LOCKFILE
from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.core.results import result
from crivo.provenance.lookup import exact_record, recorded_lock
from crivo.provenance.rawdata import bring_raw_data
from crivo.provenance.result_diff import (
    TOLERANCE,
    Metric,
    Moved,
    ResultDiff,
    diff_from_commit,
    other_inputs,
)
from crivo.records.history import read_history
from crivo.repository.clones import clone_at
from crivo.repository.commits import SHORT
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK
from crivo.repository.running import run_dvc, run_pipeline
from crivo.runtime.environment import SWITCH, lock_differences

MAX_NAMED = 3


@result
class Verification:
    """Whether results came out again as they were recorded."""

    name: str
    """The commit or experiment."""
    revision: str
    """Its hash."""
    outcome: Literal["identical", "equal", "moved", "failed"]
    """`identical` bytes, `equal` metrics, results that `moved`, or a stage that `failed`."""
    answer: str
    """The first sentence of the text output."""
    moved: tuple[Moved, ...] = ()
    """The outputs whose bytes differ, in the pipeline's order."""
    metrics: tuple[Metric, ...] = ()
    """The metrics that differ by more than the tolerance."""
    largest: float | None = None
    """The largest difference of a metric."""
    left: tuple[str, ...] = ()
    """Other changes that git reports, as `git status` writes them."""
    causes: tuple[str, ...] = ()
    """What may be the cause, those that are certain first."""
    words: tuple[str, ...] = ()
    """The last lines of a stage that failed."""
    clone: str | None = None
    """The folder of the temporary clone, if it was kept."""

    @property
    def reproduced(self) -> bool:
        """Whether the bytes, or all metrics within the tolerance, are those recorded."""
        return self.outcome in ("identical", "equal")


def verify(revision: str = "HEAD", *, keep: bool = False, folder: Path = Path()) -> Verification:
    """Run a commit or experiment from scratch in a temporary clone, and compare its results.

    Nothing that was computed before is used, and nothing in the workspace changes. `keep`
    leaves the clone where it is. CrivoError: nothing is recorded, its raw data are nowhere, or
    this environment isn't that of its lock.
    """
    history = read_history(folder)
    home, record = history.repository, exact_record(history, revision)
    commit = record.origin.revision
    name = revision if commit.startswith(revision) else f"{revision} ({commit[:SHORT]})"
    recorded = recorded_lock(record)
    with _fresh_clone(home, commit, keep=keep) as clone:
        _require_environment(clone, name)
        bring_raw_data(home, clone, recorded, name)
        failure = run_pipeline(clone, len(recorded.stages))
        if failure is None:
            found = _verification(clone, name, commit)
        else:
            answer = f"Not reproduced: {failure.stage or 'the pipeline'} failed in a fresh clone."
            found = Verification(name, commit, "failed", answer, words=failure.words)
        return replace(found, clone=str(clone.project)) if keep else found


@contextmanager
def _fresh_clone(home: Repository, revision: str, *, keep: bool) -> Iterator[Repository]:
    """Give a temporary clone at a commit, with a DVC cache of its own; `keep` it at the end.

    Nothing that was computed before can answer for a stage there.
    """
    folder = Path(tempfile.mkdtemp(prefix="crivo-"))
    try:
        yield clone_at(home, folder / "project", revision, revision)
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def verify_workspace(folder: Path = Path()) -> Verification:
    """Compare the finished results in the workspace with those that HEAD records; run nothing.

    CrivoError: the workspace's results aren't up to date.
    """
    home = open_repository(folder)
    commit = home.commit("HEAD") or ""
    status = run_dvc(["status", "--json"], home.project)
    if status.returncode or not (home.project / LOCK).exists():
        why = (status.stderr.strip().splitlines() or ["there is no dvc.lock"])[-1]
        raise CrivoError(f"The workspace has no results to compare: {why}; run `dvc repro`.")
    behind = json.loads(status.stdout or "{}")
    if behind:
        raise CrivoError(
            f"The workspace's results aren't up to date ({', '.join(behind)}), so there is "
            "nothing to compare; run `dvc repro` first."
        )
    return _verification(home, f"HEAD ({commit[:SHORT]})", commit)


def _other_packages(project: Repository) -> list[str]:
    """Return how the installed packages differ from a project's lock, if it has one."""
    lock = project.project / LOCKFILE
    return lock_differences(lock) if lock.exists() else []


def _require_environment(clone: Repository, name: str) -> None:
    wrong = _other_packages(clone)
    if wrong and os.environ.get(SWITCH) != "warn":
        raise CrivoError(
            f"{name} can't be verified in this environment, which isn't that of its {LOCKFILE}: "
            f"{a_few(wrong, MAX_NAMED)}. Run `crivo verify` in an environment made of its "
            f"{LOCKFILE}, or set {SWITCH}=warn to see what this one gives."
        )


def _verification(project: Repository, name: str, commit: str) -> Verification:
    """Return the verdict on the results in a folder."""
    changes = diff_from_commit(project)
    outcome: Literal["identical", "equal", "moved"] = "identical"
    if changes.left or changes.moved:
        outcome = "equal" if changes.metrics_equal and not changes.left else "moved"
    return Verification(
        name=name,
        revision=commit,
        outcome=outcome,
        answer=_answer(changes, outcome, name),
        moved=changes.moved,
        metrics=changes.metrics,
        largest=changes.largest,
        left=changes.left,
        causes=tuple(_causes(changes, project)),
    )


def _answer(changes: ResultDiff, outcome: str, name: str) -> str:
    paths = [one.path for one in changes.moved if one.stage == changes.first]
    first = f"{changes.first} moved first ({a_few(paths, MAX_NAMED)})"
    if outcome == "identical":
        outs, stages = len(changes.recorded.outs), len(changes.recorded.stages)
        return f"Identical bytes: all {outs} outputs of {stages} stages are those of {name}."
    if outcome == "equal":
        return (
            f"Identical metrics within {TOLERANCE:g} (largest difference {changes.largest:.1g}), "
            f"not the same bytes: {first}."
        )
    if not changes.moved:
        return (
            f"Not reproduced: git reports changes besides the results: {'; '.join(changes.left)}."
        )
    count = len(changes.metrics)
    if count:
        return f"Not reproduced: {first}; {count} metric{'s differ' if count > 1 else ' differs'}."
    return f"Not reproduced: {first}."


def _causes(changes: ResultDiff, project: Repository) -> Iterator[str]:
    """Yield what differs besides the results, in sentences; or that nothing does."""
    known = False
    for stage in changes.found.stages:
        if inputs := other_inputs(changes.recorded, changes.found, stage):
            known = True
            yield (
                f"{stage} was recorded with other inputs than the commit has "
                f"({a_few(inputs, MAX_NAMED)} changed since); run `dvc repro` and commit {LOCK}."
            )
    if changes.moved and (packages := _other_packages(project)):
        known = True
        yield f"The environment here differs from {LOCKFILE}: {a_few(packages, MAX_NAMED)}."
    if changes.moved and not known:
        yield (
            f"{changes.first} has the same inputs; the cause is something that git doesn't record: "
            "chance without a seed, an undeclared input, or another kind of processor or number of "
            "threads (OMP_NUM_THREADS), which change last digits."
        )
    paths = [line[3:] for line in changes.left]
    edited = [path for path in paths if changes.recorded.maker(path)]
    if edited:
        yield (
            f"The content of {a_few(edited, MAX_NAMED)} in git isn't what {LOCK} records: it was "
            "changed after the run; `dvc repro --force` writes it again."
        )
    if stray := [path for path in paths if path not in edited]:
        yield (
            f"No stage names {a_few(stray, MAX_NAMED)} as its output: list it under `outs` if a "
            "stage writes it, otherwise commit it or undo the change."
        )
