"""Puts an upgrade in place so that it can be killed at any moment.

Everything is written into `.dvc/tmp` first, which git ignores. A folder of that name is
a whole upgrade: whoever finds it can put every file in place again, in any order.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from crivo.core.artifacts import written
from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.project.wheel import Wheel
from crivo.repository.running import run_dvc

FOLDER = Path(".dvc/tmp/crivo-upgrade")
PLAN = "plan.json"
RESULTS = "dvc.lock"


@dataclass(frozen=True)
class Plan:
    """An upgrade that is written down: what it puts in place, and what it says at its end.

    `files` has the hash before and after of each changed file (None: not there); `kept` the
    stages that keep their results.
    """

    wheel: str
    sha256: str
    files: dict[str, tuple[str | None, str | None]]
    kept: list[str]
    conflicts: list[str]


def write_plan(
    project: Path,
    wheel: Wheel,
    contents: Mapping[str, bytes | None],
    kept: Sequence[str],
    conflicts: Sequence[str],
) -> Plan:
    """Write an upgrade down, whole or not at all, and return it. `contents`: None removes."""
    part = project / FOLDER.with_suffix(".part")
    for folder in (part, project / FOLDER):
        shutil.rmtree(folder, ignore_errors=True)
    part.mkdir(parents=True)
    files = {}
    for path, content in contents.items():
        after = None if content is None else hashlib.sha256(content).hexdigest()
        files[path] = (_hash(project / path), after)
        if content is not None and after is not None:
            (part / after).write_bytes(content)
    if (project / RESULTS).is_file():
        shutil.copyfile(project / RESULTS, part / RESULTS)
    plan = Plan(wheel.name, wheel.sha256, files, list(kept), list(conflicts))
    (part / PLAN).write_text(json.dumps(asdict(plan)), encoding="utf-8")
    part.rename(project / FOLDER)
    return plan


def unfinished(project: Path) -> Plan | None:
    """Return the upgrade that was stopped while it was put in place, or None.

    CrivoError: files were changed since then, by somebody else.
    """
    try:
        values: Any = json.loads((project / FOLDER / PLAN).read_text(encoding="utf-8"))
        plan = Plan(**values)
    except (OSError, ValueError, TypeError):
        return None
    hashes = {path: _hash(project / path) for path in plan.files}
    dirty = changed_files(project)
    undone = all(hashes[path] == before for path, (before, _) in plan.files.items())
    moved_on = any(hashes[path] not in states for path, states in plan.files.items())
    if not dirty and (undone or moved_on):
        shutil.rmtree(project / FOLDER)
        return None
    strange = [path for path in dirty if not _as_left(project, path, plan)]
    if strange:
        raise CrivoError(
            f"An upgrade to {plan.wheel} was stopped, and {_some(strange)} changed since then: "
            "commit nothing, put your change aside, and run crivo upgrade again; or undo the "
            "upgrade with `git checkout . && git clean -fd`."
        )
    return plan


def put_in_place(project: Path, plan: Plan) -> None:
    """Put every file of an upgrade in place, and let stages that are the same keep their results.

    It can be stopped at any moment, and called again.
    """
    upgrade_folder = project / FOLDER
    for path, (_, after) in plan.files.items():
        if after is None:
            (project / path).unlink(missing_ok=True)
        elif _hash(project / path) != after:
            _put(project / path, (upgrade_folder / after).read_bytes())
    if (upgrade_folder / RESULTS).is_file():
        _put(project / RESULTS, (upgrade_folder / RESULTS).read_bytes())
    if plan.kept:
        done = run_dvc(["commit", "--quiet", "--force", *plan.kept], project)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise CrivoError(f"`dvc commit` failed: {last} Run crivo upgrade again to go on.")
    shutil.rmtree(upgrade_folder)


def require_clean(project: Path, wheel: Path | None = None) -> None:
    """Raise CrivoError when a file differs from the last commit, or isn't in it."""
    dirty = changed_files(project)
    if wheel and [(project / path).resolve() for path in dirty] == [wheel.resolve()]:
        raise CrivoError(
            f"{wheel} lies in the project and isn't committed, so undoing the upgrade would "
            "delete it; give it from another folder."
        )
    if dirty:
        raise CrivoError(
            f"{_some(dirty)} not as in the last commit; commit or remove what is yours first, so "
            "that git can undo the upgrade."
        )


def changed_files(project: Path) -> list[str]:
    """Return the project's files that differ from the last commit, and untracked ones."""
    prefix = git(project, "rev-parse", "--show-prefix").strip()
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    listed = git(project, "status", *options, "--", ".").split("\0")
    return [line[3:].removeprefix(prefix) for line in listed if line]


def _as_left(project: Path, path: str, plan: Plan) -> bool:
    return path == RESULTS or _hash(project / path) in plan.files.get(path, ())


def _some(paths: list[str]) -> str:
    more = f" and {len(paths) - 1} more files are" if paths[1:] else " is"
    return f"{paths[0]}{more}"


def _hash(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _put(path: Path, content: bytes) -> None:
    mode = stat.S_IMODE(path.stat().st_mode) if path.is_file() else None
    with written(path) as beside:
        beside.write_bytes(content)
        if mode is not None:
            beside.chmod(mode)
        elif content.startswith(b"#!"):
            beside.chmod(beside.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
