"""Works out an upgrade: each file of the project, and each stage; nothing is changed here."""

from __future__ import annotations

import json
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.core.locked_wheel import locked_wheels
from crivo.core.parsing import parse_yaml
from crivo.project.contents import EMPTY, package_name
from crivo.project.upgrade.lock import merged_lock
from crivo.project.upgrade.merging import BESIDE, Change, Versions, change, conflict
from crivo.project.upgrade.missing import missing_names
from crivo.project.upgrade.params_merge import merged_settings
from crivo.project.upgrade.release import Release, read_release, read_wheel
from crivo.project.upgrade.stages import Tree, differences, inputs_made_by, write_tree
from crivo.project.wheel import Wheel
from crivo.repository.running import run_dvc
from crivo.repository.unreadable import Unreadable

SETTINGS = "params.yaml"
LOCK = re.compile(r"requirements[\w-]*\.txt")
# What decides which stages there are, and what they run.
CODE = ("src/", "dvc.yaml", "params.yaml", ".dvcignore", "requirements.txt")
TITLE = re.compile(r"# (.+)\n")


@dataclass(frozen=True)
class Proposal:
    """What an upgrade would do: to files, and to the results of stages.

    `reasons` has for each stage what differs for it; `kept` the stages whose results stay.
    `missing`: what the project's code imports of the library in vain.
    """

    old: Wheel
    new: Wheel
    changes: list[Change]
    reasons: dict[str, list[str]] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    after: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def contents(self) -> dict[str, bytes | None]:
        """What each file that changes holds then; None removes it."""
        contents_by_path = {}
        for one in self.changes:
            if one.outcome != "kept":
                beside = BESIDE if one.outcome == "conflict" else ""
                contents_by_path[f"{one.path}{beside}"] = one.content
        return contents_by_path

    @property
    def conflicts(self) -> list[str]:
        """The files that both sides edited, so that somebody has to look."""
        return [one.path for one in self.changes if one.outcome == "conflict"]


def pinned_wheel(project: Path) -> Wheel:
    """Return the wheel that the project's lock pins.

    CrivoError: it pins none, or the file is missing or another one.
    """
    lock = project / "requirements.txt"
    text = lock.read_text(encoding="utf-8") if lock.is_file() else ""
    pinned = [wheel for wheel in locked_wheels(text) if wheel.name == "crivo"]
    if not pinned:
        raise CrivoError(
            "requirements.txt names no wheel of crivo; expected a project that `crivo start` made. "
            "A clone of crivo's own repository is renewed by `git pull`."
        )
    wheel = read_wheel(project / pinned[0].path)
    if wheel.sha256 != pinned[0].sha256:
        raise CrivoError(
            f"{pinned[0].path} is not the file that requirements.txt pins; `git checkout "
            f"{pinned[0].path}` restores it."
        )
    return wheel


def propose(project: Path, old: Wheel, new: Wheel) -> Proposal:
    """Work out the upgrade of a project from one wheel to another; nothing is changed."""
    title = _title(project)
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        base = read_release(old, title, Path(folder, "before"))
        coming = read_release(new, title, Path(folder, "after"))
        before = write_tree(base.root, _code(project))
        _require_readable(before)
        changes = _changes(project, base, coming)
        proposal = Proposal(old, new, changes)
        after = write_tree(coming.root, _applied(_code(project), proposal.contents))
        if not _is_readable(after):  # each file is valid, and together they aren't a pipeline
            proposal = Proposal(old, new, [_unmerged(one, coming) for one in changes])
            after = write_tree(coming.root, _applied(_code(project), proposal.contents))
            _require_readable(after)
        proposal.reasons.update(differences(before, after, set(proposal.contents)))
        code = _applied(_code(project), proposal.contents)
        proposal.missing.extend(missing_names(code, coming.root / "src"))
        _settle(project, proposal, after)
        return proposal


def _is_readable(tree: Tree) -> bool:
    try:
        return bool(tree.pipeline)
    except Unreadable:
        return False


def _require_readable(tree: Tree) -> None:
    if not _is_readable(tree):
        raise CrivoError("dvc.yaml can't be read with params.yaml; `crivo check` says why.")


def _settle(project: Path, proposal: Proposal, after: Tree) -> None:
    """Find which stages keep their results: those that are the same, and were up to date."""
    same = [stage for stage, reasons in proposal.reasons.items() if not reasons]
    stale = _stale(project, same) if same else set()
    again = {stage for stage, reasons in proposal.reasons.items() if reasons} | stale
    for stage in proposal.reasons:
        if stage in stale:
            proposal.reasons[stage].append("not up to date before")
        elif stage not in again:
            proposal.kept.append(stage)
        makers = inputs_made_by(after.pipeline, stage)
        proposal.after[stage] = [one for one in makers if one in again or proposal.after.get(one)]


def _stale(project: Path, stages: list[str]) -> set[str]:
    """Return the stages whose results DVC doesn't take for those of the files here."""
    done = run_dvc(["status", "--json", *stages], project)
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"`dvc status` failed: {last}")
    return {stage for stage in stages if stage in json.loads(done.stdout)}


def _changes(project: Path, base: Release, coming: Release) -> list[Change]:
    paths = sorted({*base.files, *coming.files} - EMPTY.keys())
    changes = []
    for path in paths:
        place = project / path
        ours = place.read_bytes() if place.is_file() else None
        versions = Versions(base.files.get(path), ours, coming.files.get(path))
        changes.append(_change(path, versions))
    return [one for one in _keep_used(project, changes) if one is not None]


def _change(path: str, versions: Versions) -> Change | None:
    """Return what becomes of a file; settings and locks have rules of their own."""
    base, ours, new = versions.base, versions.ours, versions.new
    if base is None or ours is None or new is None or new in (base, ours) or ours == base:
        return change(path, versions)
    texts = (base.decode(), ours.decode(), new.decode())
    if path == SETTINGS:
        text, phrases = merged_settings(*texts)
    elif LOCK.fullmatch(path):
        text, phrases = merged_lock(*texts)
    else:
        return change(path, versions)
    changed = text.encode() != ours
    return Change(path, "merged" if changed else "kept", text.encode(), "; ".join(phrases))


def _keep_used(project: Path, changes: list[Change | None]) -> list[Change | None]:
    """Let blocks stay that the settings choose, though they no longer come with crivo."""
    settings = parse_yaml((project / SETTINGS).read_bytes())
    chosen = {value for value in settings.values() if isinstance(value, str)}
    return [
        Change(one.path, "kept", note="no longer comes with crivo; stays, for it is in use")
        if one
        and one.outcome == "removed"
        and one.path.startswith("src/blocks/")
        and PurePosixPath(one.path).stem in chosen
        else one
        for one in changes
    ]


def _unmerged(one: Change, coming: Release) -> Change:
    unmerged = one.path == "dvc.yaml" and one.outcome in ("merged", "replaced")
    return conflict(one.path, coming.files[one.path]) if unmerged else one


def _title(project: Path) -> str:
    """Return what the project was called at its start, as far as it shows: README and lock."""
    try:
        text = (project / "pyproject.toml").read_text(encoding="utf-8")
        name = str(tomllib.loads(text)["project"]["name"])
    except (OSError, ValueError, LookupError, TypeError):
        name = project.resolve().name
    readme = project / "README.md"
    heading = TITLE.match(readme.read_text(encoding="utf-8")) if readme.is_file() else None
    return heading[1] if heading and package_name(heading[1]) == name else name


def _code(project: Path) -> dict[str, bytes]:
    listed = git(project, "ls-files", "-z").split("\0")
    wanted = [path for path in listed if path.startswith(CODE) and (project / path).is_file()]
    return {path: (project / path).read_bytes() for path in wanted}


def _applied(files: Mapping[str, bytes], changes: Mapping[str, bytes | None]) -> dict[str, bytes]:
    result = dict(files)
    for path, content in changes.items():
        if content is None:
            result.pop(path, None)
        elif path.startswith(CODE):
            result[path] = content
    return result
