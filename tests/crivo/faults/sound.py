"""Whether anything that DVC or git calls valid is wrong, found without asking DVC's notes.

Every hash is computed anew: DVC itself trusts a file whose time and size it has noted, and a
file of its cache that is read-only.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import yaml

from tests.crivo.pipeline.project import Project, environment

LOCK = "dvc.lock"
INTERNAL = ("stash", "apply", "celery", "exec", "temp")
WRITABLE = 0o222


def wrong(project: Project) -> list[str]:
    """Return what is called valid and isn't, in sentences."""
    return [
        *wrong_in_git(project.folder),
        *wrong_outputs(project),
        *wrong_files(project.folder / ".dvc/cache"),
        *(line for ref in experiments(project.folder) for line in wrong_experiment(project, ref)),
        *wrong_on_the_remote(project),
    ]


def wrong_in_git(folder: Path) -> Iterator[str]:
    """Return what git finds broken."""
    for command in (["fsck", "--no-dangling", "--no-progress"], ["status", "--porcelain"]):
        done = ask(folder, *command)
        if done.returncode:
            yield f"git {command[0]} in {folder.name}: {done.stdout} {done.stderr}"


def wrong_outputs(project: Project) -> Iterator[str]:
    """Return the outputs that `dvc status` doesn't call changed though their bytes have."""
    if not (project.folder / LOCK).exists():
        yield "dvc.lock is gone"
        return
    stages = yaml.safe_load(project.read(LOCK))["stages"]
    told = status(project.folder)
    for name, stage in stages.items():
        changed = _changed_outs(told.get(name, ()))
        for out in stage.get("outs", ()):
            place = project.folder / out["path"]
            if out["path"] not in changed and digest(place) != out["md5"]:
                yield f"{out['path']} of {name} is damaged and `dvc status` calls it unchanged"


def status(folder: Path) -> dict[str, Any]:
    """Return what `dvc status` says; faster than a process of its own."""
    from dvc.repo import Repo

    with chdir(folder), closing(Repo()) as repo:
        return dict(repo.status())


def _changed_outs(said: Any) -> set[str]:
    """Return the outputs that `dvc status` names for a stage."""
    parts = (part for part in said if isinstance(part, dict))
    return {path for part in parts for path in part.get("changed outs", ())}


def wrong_files(store: Path) -> Iterator[str]:
    """Return the files of a cache or remote that its owner would trust and that are damaged.

    A file that is not read-only is hashed by DVC before use.
    """
    for place in (store / "files/md5").glob("??/*"):
        name = (place.parent.name + place.name).removesuffix(".dir")
        trusted = not place.stat().st_mode & WRITABLE
        if len(name) == 32 and trusted and md5(place.read_bytes()) != name:
            yield f"{place.relative_to(store)} has not the content that its name says"


def experiments(folder: Path) -> list[str]:
    """Return the references of all experiments that a user sees."""
    listed = ask(folder, "for-each-ref", "--format=%(refname)", "refs/exps").stdout.split()
    return [ref for ref in listed if ref.split("/")[2] not in INTERNAL]


def wrong_experiment(project: Project, ref: str) -> Iterator[str]:
    """Return what an experiment records and neither git nor the cache holds."""
    for out in recorded_outs(project.folder, ref):
        kept = project.folder / ".dvc/cache/files/md5" / out["md5"][:2] / out["md5"][2:]
        if out.get("cache", True) and kept.exists():
            continue
        stored = subprocess.run(
            ["git", "show", f"{ref}:{out['path']}"],
            cwd=project.folder, capture_output=True, check=False,
        )  # fmt: skip
        if stored.returncode or md5(stored.stdout) != out["md5"]:
            yield f"{ref} records {out['path']}, which is neither in git nor in the cache"


def recorded_outs(folder: Path, ref: str) -> list[dict[str, Any]]:
    """Return the outputs that the lock of a commit records."""
    stages = yaml.safe_load(ask(folder, "show", f"{ref}:{LOCK}").stdout)["stages"]
    return [out for stage in stages.values() for out in stage.get("outs", ())]


def wrong_on_the_remote(project: Project) -> Iterator[str]:
    """Return what a colleague would miss who pulls what the bare repository has."""
    hub, store = project.folder.parent / "hub.git", project.folder.parent / "store"
    yield from wrong_in_git_of_hub(hub)
    for ref in experiments(hub):
        for out in recorded_outs(hub, ref):
            place = store / "files/md5" / out["md5"][:2] / out["md5"][2:]
            in_git = ask(hub, "cat-file", "-e", f"{ref}:{out['path']}").returncode == 0
            if not in_git and (not place.exists() or digest_stored(place) != out["md5"]):
                yield f"the hub has {ref} and the store lacks {out['path']}"


def wrong_in_git_of_hub(hub: Path) -> Iterator[str]:
    """Return what git finds broken in the bare repository."""
    done = ask(hub, "fsck", "--no-dangling", "--no-progress")
    if done.returncode:
        yield f"git fsck in {hub.name}: {done.stdout} {done.stderr}"


def digest_stored(place: Path) -> str:
    """Return the hash of a stored file, a listing's with its ending."""
    return md5(place.read_bytes()) + (".dir" if place.suffix == ".dir" else "")


def digest(place: Path) -> str | None:
    """Return the hash that DVC gives a file or folder; None for nothing there."""
    if place.is_file():
        return md5(place.read_bytes())
    if not place.is_dir():
        return None
    files = sorted(path for path in place.rglob("*") if path.is_file())
    names = {path.relative_to(place).as_posix(): md5(path.read_bytes()) for path in files}
    listing = [{"md5": names[name], "relpath": name} for name in sorted(names)]
    return md5(json.dumps(listing, sort_keys=True).encode()) + ".dir"


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def ask(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a git command; its outcome is the answer."""
    return subprocess.run(
        ["git", *command],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip


def result(project: Project) -> dict[str, Any]:
    """Return what a command leaves: what must be equal, disturbed or not."""
    hub, store = project.folder.parent / "hub.git", project.folder.parent / "store"
    stored = store.rglob("*") if store.exists() else ()
    return {
        "lock": project.read(LOCK),
        "experiments": {
            ref: ask(project.folder, "show", f"{ref}:{LOCK}").stdout
            for ref in experiments(project.folder)
        },
        "shared": experiments(hub),
        "stored": sorted(path.name for path in stored if path.is_file()),
        "git": project.status(),
    }
