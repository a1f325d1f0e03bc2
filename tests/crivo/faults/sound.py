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
    hub, store = project.folder.parent / "hub.git", project.folder.parent / "store"
    cache = project.folder / ".dvc/cache"
    return [
        *wrong_in_git(project.folder),
        *wrong_in_git(hub),
        *wrong_outputs(project),
        *wrong_files(cache),
        *wrong_files(store),
        *(line for ref in experiments(project.folder) for line in lost(project.folder, ref, cache)),
        # What a colleague would miss who pulls it.
        *(line for ref in experiments(hub) for line in lost(hub, ref, store)),
    ]


def wrong_in_git(folder: Path) -> Iterator[str]:
    """Return what git finds broken."""
    done = ask(folder, "fsck", "--no-dangling", "--no-progress")
    if done.returncode:
        yield f"git fsck in {folder.name}: {done.stdout} {done.stderr}"


def wrong_outputs(project: Project) -> Iterator[str]:
    """Return the outputs that `dvc status` doesn't call changed though their bytes have."""
    from dvc.repo import Repo

    with chdir(project.folder), closing(Repo()) as repo:
        told = repo.status()
    for name, stage in yaml.safe_load(project.read(LOCK))["stages"].items():
        parts = (part for part in told.get(name, ()) if isinstance(part, dict))
        changed = {path for part in parts for path in part.get("changed outs", ())}
        for out in stage.get("outs", ()):
            if out["path"] not in changed and digest(project.folder / out["path"]) != out["md5"]:
                yield f"{out['path']} of {name} is damaged and `dvc status` calls it unchanged"


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


def lost(repository: Path, ref: str, store: Path) -> Iterator[str]:
    """Return what an experiment records and neither git nor the cache or remote holds."""
    for out in recorded_outs(repository, ref):
        in_git = ask(repository, "cat-file", "-e", f"{ref}:{out['path']}").returncode == 0
        if not in_git and not (store / "files/md5" / out["md5"][:2] / out["md5"][2:]).exists():
            yield f"{ref} records {out['path']}, which is neither in git nor in {store.name}"


def recorded_outs(folder: Path, ref: str) -> list[dict[str, Any]]:
    """Return the outputs that the lock of a commit records."""
    stages = yaml.safe_load(ask(folder, "show", f"{ref}:{LOCK}").stdout)["stages"]
    return [out for stage in stages.values() for out in stage.get("outs", ())]


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


def change(project: Project) -> None:
    """Change a setting after which the stage has to run."""
    project.write("params.yaml", "a: 4\n")


def result(project: Project) -> dict[str, Any]:
    """Return what a command leaves: what must be equal, disturbed or not."""
    hub, store = project.folder.parent / "hub.git", project.folder.parent / "store"
    return {
        "lock": project.read(LOCK),
        "experiments": experiments(project.folder),
        "shared": experiments(hub),
        "stored": sorted(path.name for path in store.rglob("*") if path.is_file()),
        "git": project.status(),
    }
