"""`crivo verify`: runs an experiment again from scratch and compares its results.

from crivo.provenance import verify
verify("forest").outcome
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any, Literal

from crivo.comparison.layout import paragraph
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.core.wording import a_few
from crivo.preparation.rawdata import content_hash
from crivo.provenance.trace import exact_record, lock_at_head, recorded_lock
from crivo.records.comparability import LOCKFILE
from crivo.records.history import read_history
from crivo.repository.clones import clone_at, share_cache
from crivo.repository.commits import SHORT
from crivo.repository.dvc_project import edit_config
from crivo.repository.git import Repository, open_repository
from crivo.repository.lock import LOCK, Lock, covers, read_lock
from crivo.repository.pipeline import Output, recorded_raw
from crivo.repository.running import dvc, run_dvc, run_pipeline
from crivo.runtime.environment import SWITCH, lock_differences

MAX_NAMED, MAX_LINES = 3, 8
# Another processor's arithmetic may change last digits; absolute below 1, relative above.
TOLERANCE = 1e-6


Outcome = Literal["identical", "equal", "moved", "failed"]


@result
class Moved:
    """An output whose bytes differ from the recorded ones."""

    stage: str
    """The stage that made it."""
    path: str
    """Its path."""
    recorded: str | None
    """The recorded hash."""
    found: str | None
    """The hash of the new result."""


@result
class Metric:
    """A metric that differs; a number counts only if it differs by more than the tolerance."""

    name: str
    """The metric."""
    recorded: Any
    """The recorded value."""
    found: Any
    """The new value."""


@result
class Verification:
    """Whether a new run gave the recorded results."""

    name: str
    """The commit or experiment."""
    revision: str
    """Its hash."""
    outcome: Outcome
    """`identical` bytes, `equal` metrics, results that `moved`, or a stage that `failed`."""
    answer: str
    """The first sentence of the text output."""
    moved: tuple[Moved, ...] = ()
    """The outputs whose bytes differ, in the pipeline's order."""
    metrics: tuple[Metric, ...] = ()
    """The metrics that differ by more than the tolerance."""
    left: tuple[str, ...] = ()
    """Other changes that git reports, as `git status` writes them."""
    causes: tuple[str, ...] = ()
    """The causes: those that were found, then possible ones."""
    words: tuple[str, ...] = ()
    """The last lines that a failed stage printed."""

    @property
    def reproduced(self) -> bool:
        """Whether the bytes, or all metrics within the tolerance, are those recorded."""
        return self.outcome in ("identical", "equal")


def verify(revision: str = "HEAD", *, folder: str | Path = ".") -> Verification:
    """Run a commit or experiment from scratch in a temporary clone, and compare the results.

    No earlier result is used, and the workspace doesn't change. A CrivoError is raised if no result
    is recorded, if the raw data can't be found, or if this environment differs from the lock file.
    """
    history = read_history(Path(folder))
    home, record = history.repository, exact_record(history, revision)
    commit = record.origin.revision
    name = revision if commit.startswith(revision) else f"{revision} ({commit[:SHORT]})"
    recorded = recorded_lock(record)
    # A clone has a DVC cache of its own: nothing that was computed before can answer for a stage.
    with tempfile.TemporaryDirectory(prefix="crivo-", ignore_cleanup_errors=True) as place:
        clone = clone_at(home, Path(place) / "project", commit, commit)
        _require_environment(clone, name)
        _bring_raw_data(home, clone, recorded, name)
        failure = run_pipeline(clone, len(recorded.stages))
        if failure is None:
            return _verification(clone, name, commit)
        stage, words = failure
        answer = f"Not reproduced: {stage or 'the pipeline'} failed in a fresh clone."
        return Verification(name, commit, "failed", answer, words=words)


def verify_workspace(folder: Path = Path()) -> Verification:
    """Compare the finished results in the workspace with those that HEAD records; run nothing.

    CrivoError: the workspace's results aren't up to date.
    """
    home = open_repository(folder)
    commit = home.commit("HEAD") or ""
    status = run_dvc(["status", "--json"], home.project)
    behind = [*json.loads(status.stdout or "{}")]
    if status.returncode or not (home.project / LOCK).exists():
        behind = (status.stderr.strip().splitlines() or ["there is no dvc.lock"])[-1:]
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
            f"{a_few(wrong, MAX_NAMED)}. Run `crivo verify` in an environment made from its "
            f"{LOCKFILE}, or set {SWITCH}=warn to see what this one gives."
        )


def _verification(project: Repository, name: str, commit: str) -> Verification:
    """Return the verdict on the results in a folder, by the commit that is checked out there."""
    recorded, here = lock_at_head(project), read_lock((project.project / LOCK).read_bytes())
    if not recorded.stages:
        raise CrivoError(
            f"{LOCK} isn't committed, so there is nothing to compare with; run `dvc repro` and "
            "commit it."
        )
    moved, metrics = tuple(_moved(recorded, here)), _metrics(project)
    expected = {LOCK, *(one.path for one in moved)}
    left = tuple(line for line in project.changed() if line[3:] not in expected)
    outcome: Outcome = "moved" if left or metrics or metrics is None else "equal"
    if not (left or moved):
        outcome = "identical"
    found = Verification(name, commit, outcome, "", moved, metrics or (), left)
    causes = tuple(_causes(found, recorded, here, project))
    return replace(found, answer=_answer(found, recorded), causes=causes)


def _bring_raw_data(home: Repository, clone: Repository, lock: Lock, name: str) -> None:
    """Put all raw data that the stages read into a clone: from here, or from a remote.

    Wherever they come from, their bytes are those that the commit's `.dvc` files record.
    CrivoError: some are nowhere.
    """
    needed = [
        one
        for one in recorded_raw(clone)
        if any(covers(one.path, path) or covers(path, one.path) for path in lock.sources)
    ]
    # Copies, not links: what a stage does to them mustn't reach the cache.
    share_cache(home, clone, link="copy")
    for command in ("checkout", "pull"):
        if missing := _missing_raw(clone, needed):
            files = dict.fromkeys(one.stage for one in missing)
            run_dvc([command, "--force", *files], clone.project)
        with edit_config(clone.project) as config:
            config["cache"] = {}  # what comes now is the clone's alone
    if missing := _missing_raw(clone, needed):
        raise CrivoError(
            f"{name} reads {', '.join(f'{one.path} (md5 {one.md5})' for one in missing)}, "
            "but neither this clone (DVC cache and workspace) nor a DVC remote has these bytes; "
            "ask whoever recorded them to `dvc push`, then verify again."
        )


def _missing_raw(clone: Repository, needed: list[Output]) -> list[Output]:
    return [one for one in needed if content_hash(clone.project / one.path) != one.md5]


def _moved(recorded: Lock, here: Lock) -> Iterator[Moved]:
    """Yield the outputs that differ, in the pipeline's order."""
    before, after = recorded.outs, here.outs
    for path in dict.fromkeys([*after, *before]):
        old, new = (outs[path].md5 if path in outs else None for outs in (before, after))
        stage = here.maker(path) or recorded.maker(path)
        if old != new and stage:
            yield Moved(stage.name, path, old, new)


def _metrics(project: Repository) -> tuple[Metric, ...] | None:
    """Return the metrics in git that differ from HEAD's; None where there are none.

    Of others, which DVC keeps, a clone may lack what was recorded; their bytes are compared.
    """
    tracked = {*project.files()}
    said = dvc(project.project, "metrics", "diff", "--all", "--json", "HEAD")
    files: dict[str, dict[str, Any]] = json.loads(said or "{}")
    metrics = [
        Metric(name, one.get("old"), one.get("new"))
        for file, values in files.items()
        if file in tracked
        for name, one in values.items()
    ]
    differ = tuple(one for one in metrics if not _equal(one.recorded, one.found))
    return differ if metrics else None


def _equal(one: Any, other: Any) -> bool:
    """Return whether metrics are equal within the tolerance.

    >>> _equal(0.7, 0.7000009), _equal(1800, 1800.001), _equal("better", "better")
    (True, True, True)
    >>> _equal(0.7, 0.7000011), _equal(1800, 1800.003), _equal(0.7, None)
    (False, False, False)
    """
    try:
        return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except TypeError:  # they aren't numbers
        return bool(one == other)


def _answer(found: Verification, recorded: Lock) -> str:
    if found.outcome == "identical":
        outs, stages = len(recorded.outs), len(recorded.stages)
        return f"Identical bytes: all {outs} outputs of {stages} stages match {found.name}."
    if not found.moved:
        return f"Not reproduced: git reports changes besides the results: {'; '.join(found.left)}."
    stage = found.moved[0].stage
    paths = [one.path for one in found.moved if one.stage == stage]
    first = f"the first stage that differs is {stage} ({a_few(paths, MAX_NAMED)})"
    if found.outcome == "equal":
        return f"Identical metrics within {TOLERANCE:g}, not the same bytes: {first}."
    count = len(found.metrics)
    differ = f"; {count} metric{'s differ' if count > 1 else ' differs'}" if count else ""
    return f"Not reproduced: {first}{differ}."


def _causes(found: Verification, recorded: Lock, here: Lock, project: Repository) -> Iterator[str]:
    """Yield what differs besides the results, in sentences; or that nothing does."""
    before, now = _inputs(recorded), _inputs(here)
    inputs = [what for what in before | now if before.get(what) != now.get(what)]
    packages = _other_packages(project) if found.moved else []
    if inputs:
        yield (
            f"The results were recorded with inputs other than those of the commit "
            f"({a_few(inputs, MAX_NAMED)} changed since); run `dvc repro` and commit {LOCK}."
        )
    if packages:
        yield f"The environment here differs from {LOCKFILE}: {a_few(packages, MAX_NAMED)}."
    if found.moved and not (inputs or packages):
        yield (
            f"{found.moved[0].stage} has the same inputs; the cause is something that git doesn't "
            "record: randomness without a seed, an undeclared input, or a different kind of "
            "processor or number of threads (OMP_NUM_THREADS), which changes the last digits."
        )


def _inputs(lock: Lock) -> dict[str, Any]:
    """Return what the stages read and none makes, their settings and their commands."""
    found: dict[str, Any] = {path: file.md5 for path, file in lock.sources.items()}
    for stage in lock.stages.values():
        found[f"the command of {stage.name}"] = stage.command
        found |= {f"setting {key}": value for key, value in stage.settings.items()}
    return found


def verification_text(verification: Verification) -> str:
    """Return the answer, then what moved and why."""
    lines = paragraph(verification.answer)
    metrics = [f"{one.name}: {one.recorded} → {one.found}" for one in verification.metrics]
    if metrics:
        lines.append("  " + a_few(metrics, MAX_LINES, separator="\n  "))
    stages = dict.fromkeys(one.stage for one in verification.moved)
    if len(stages) > 1:
        lines += paragraph(f"Moved, in the pipeline's order: {', '.join(stages)}.", "  ")
    lines += [f"  | {line}" for line in verification.words]
    for cause in verification.causes:
        lines += paragraph(cause, "  → ", "    ")
    return "\n".join(lines)
