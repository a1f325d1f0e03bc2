"""`crivo upgrade`: merges a newer release's files into a project, with the steps of this folder.

Results of stages that did not change are kept.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.project.upgrade.picking import (
    checked_out,
    difference,
    pick,
    picked_files,
    require_clean,
)
from crivo.project.upgrade.release import Release, pinned_wheel, read_release, read_wheel
from crivo.project.upgrade.stages import differences, facts, stale_stages
from crivo.project.wheel import running_wheel
from crivo.repository.git import Repository, open_repository
from crivo.repository.running import dvc

SHOWN = 3
CHANGELOG = "vendor/CHANGELOG.md"
Say = Callable[[str], object]


def upgrade(
    project: Path,
    wheel: Path | None,
    say: Say,
    *,
    sha256: str | None = None,
    dry_run: bool = False,
) -> list[str]:
    """Put a newer crivo into a project; return the files in which edits contradict each other.

    Without a wheel, the crivo that runs is put in. Nothing is committed.
    CrivoError, and nothing has changed: there are uncommitted changes, or no such wheel.
    """
    if not (project / "dvc.yaml").is_file() or not (project / "params.yaml").is_file():
        raise CrivoError("There is no dvc.yaml and params.yaml here; run this in the project.")
    old = pinned_wheel(project)
    home = open_repository(project)
    require_clean(home)
    new = read_wheel(wheel, sha256) if wheel else running_wheel()
    if new.sha256 == old.sha256:
        given = "" if wheel else "; give the file of a newer one"
        raise CrivoError(f"The project has this crivo already ({old.name}){given}.")
    say(f"{old.name} -> {new.name} (sha256 {new.sha256})")
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        title = _title(project)
        releases = [read_release(one, title, Path(folder, one.sha256)) for one in (old, new)]
        known, now = (one.files.get(CHANGELOG, b"").decode().splitlines() for one in releases)
        news = [line for line in now if line and line not in known]
        commit = difference(home, *releases)
        with checked_out(home) as merged:
            conflicts = pick(merged, commit)
            reasons = _results(project, merged, *releases)
            say("\n".join(_described(merged, reasons)))
        if news:
            say("\n".join(["What is new, as vendor/CHANGELOG.md says:", *news]))
    if not dry_run:
        pick(home, commit)
        _keep_results(project, [stage for stage, why in reasons.items() if not why])
    return conflicts


def _results(project: Path, merged: Repository, old: Release, new: Release) -> dict[str, list[str]]:
    """Return for each stage why it runs again: for nothing, and its results are kept."""
    before = facts(project, old.library)
    try:
        after = facts(merged.project, new.library, picked_files(merged))
    except CrivoError:
        return {stage: ["dvc.yaml or params.yaml has conflicts"] for stage in before}
    reasons = differences(before, after)
    for stage in stale_stages(project, [stage for stage, why in reasons.items() if not why]):
        reasons[stage].append("not up to date before")
    return reasons


def _keep_results(project: Path, stages: list[str]) -> None:
    """Let `dvc.lock` say of stages that are the same that their results hold."""
    if stages:
        dvc(project, "commit", "--quiet", "--force", *stages)


def _described(merged: Repository, reasons: dict[str, list[str]]) -> Iterator[str]:
    yield "Results:"
    for stage, why in reasons.items():
        yield f"  {stage}: runs again ({a_few(why, SHOWN)})" if why else f"  {stage}: kept"
    if any(reasons.values()) and not all(reasons.values()):
        yield "  A stage whose results are kept still runs if an earlier stage gives a new result."
    yield "Files:"
    for path, what in sorted(picked_files(merged).items(), key=lambda one: one[::-1]):
        yield f"  {what:8} {path}"


def _title(project: Path) -> str:
    """Return the name that the locks know the project by."""
    try:
        text = (project / "pyproject.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["project"]["name"])
    except (OSError, ValueError, LookupError, TypeError):
        return project.resolve().name
