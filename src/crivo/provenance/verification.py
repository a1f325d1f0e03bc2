"""Does a commit or an experiment give its recorded results again, from scratch?

from crivo.provenance import verify
verify("forest").outcome
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from crivo.core.environment import SWITCH
from crivo.core.errors import CrivoError
from crivo.experiments.history import read_history
from crivo.experiments.prediction_diff import LOCKFILE
from crivo.provenance.causes import (
    SecondRun,
    causes,
    causes_of_failure,
    environment_differs,
    left_behind,
    run_again,
    stale_inputs,
)
from crivo.provenance.clone import fresh_clone
from crivo.provenance.lookup import exact_record, recorded_lock
from crivo.provenance.rawdata import bring_raw_data
from crivo.provenance.result_diff import (
    TOLERANCE,
    Metric,
    Moved,
    ResultDiff,
    diff_from_commit,
)
from crivo.repository.commits import SHORT
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK
from crivo.repository.running import run_dvc, run_pipeline

Outcome = Literal["identical", "equal", "moved", "failed"]

MAX_NAMED = 3


@dataclass(frozen=True)
class Verification:
    """Whether results came out again as they were recorded.

    `outcome`: `identical` bytes; `equal` metrics within the tolerance; `moved`: a stage gave
    something else; `failed`: a stage didn't finish. `answer` says it in a sentence. `moved`:
    the outputs with other bytes, in the pipeline's order; `metrics`: those beyond the
    tolerance; `largest`: the greatest difference of a metric; `left`: what else git sees
    changed, as `git status` writes it; `causes`: why, in sentences, what is sure first;
    `words`: the last lines of a stage that failed; `clone`: where it ran, if that was kept.
    """

    name: str
    revision: str
    outcome: Outcome
    answer: str
    moved: tuple[Moved, ...] = ()
    metrics: tuple[Metric, ...] = ()
    largest: float | None = None
    left: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    clone: str | None = None

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
    name = shown_name(revision, commit)
    recorded = recorded_lock(record)
    with fresh_clone(home, commit, keep=keep) as clone:
        _require_environment(clone, name)
        bring_raw_data(home, clone, recorded, name)
        failure = run_pipeline(clone)
        if failure is not None:
            answer = f"Not reproduced: {failure.stage or 'the pipeline'} failed in a fresh clone."
            reasons = causes_of_failure(failure, recorded, home, clone)
            result = Verification(
                name, commit, "failed", answer, causes=tuple(reasons), words=failure.words
            )
        else:
            result = _verification(clone, name, commit, again=True)
        return replace(result, clone=str(clone.project)) if keep else result


def shown_name(revision: str, commit: str) -> str:
    """Return what a result is called: as it was asked for, and by its commit."""
    return revision if commit.startswith(revision) else f"{revision} ({commit[:SHORT]})"


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
    return _verification(home, f"HEAD ({commit[:SHORT]})", commit, again=False)


def _require_environment(clone: Repository, name: str) -> None:
    wrong = environment_differs(clone)
    if wrong and os.environ.get(SWITCH) != "warn":
        more = f" and {len(wrong) - MAX_NAMED} more" if wrong[MAX_NAMED:] else ""
        raise CrivoError(
            f"{name} can't be verified in this environment, which isn't that of its {LOCKFILE}: "
            f"{', '.join(wrong[:MAX_NAMED])}{more}. Run `crivo verify` in an environment made of "
            f"its {LOCKFILE}, or set {SWITCH}=warn to see what this one gives."
        )


def _verification(project: Repository, name: str, commit: str, *, again: bool) -> Verification:
    """Return the verdict on the results in a folder; a stage that moved may be run `again`."""
    differences = diff_from_commit(project)
    outcome = _outcome(differences)
    second: SecondRun | None = None
    if outcome == "identical":
        reasons = stale_inputs(differences)
    else:
        if again and outcome == "moved" and differences.moved:
            second = run_again(project, differences)
        reasons = causes(differences, project, second) if differences.moved else []
        reasons += left_behind(differences)
    return Verification(
        name=name,
        revision=commit,
        outcome=outcome,
        answer=_answer(differences, outcome, name),
        moved=differences.moved,
        metrics=differences.metrics,
        largest=differences.largest,
        left=differences.left,
        causes=tuple(reasons),
    )


def _outcome(differences: ResultDiff) -> Outcome:
    if differences.left:
        return "moved"
    if not differences.moved:
        return "identical"
    return "equal" if differences.metrics_equal else "moved"


def _answer(changes: ResultDiff, outcome: Outcome, name: str) -> str:
    paths = [one.path for one in changes.moved if one.stage == changes.first]
    more = f" and {len(paths) - MAX_NAMED} more" if paths[MAX_NAMED:] else ""
    first = f"{changes.first} moved first ({', '.join(paths[:MAX_NAMED])}{more})"
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
