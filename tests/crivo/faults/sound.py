"""Whether anything that DVC or git calls valid is wrong; every hash is computed anew.

DVC itself trusts a file of its cache that is read-only.
"""

import hashlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import yaml

from tests.crivo.pipeline.project import environment

INTERNAL = ("stash", "apply", "celery", "exec", "temp")
WRITABLE = 0o222


def wrong(folder: Path) -> list[str]:
    """Return what a project, its bare repository or its remote holds that isn't valid."""
    hub, store, cache = folder.parent / "hub.git", folder.parent / "store", folder / ".dvc/cache"
    return [
        *wrong_in_git(folder),
        *wrong_in_git(hub),
        *wrong_files(cache),
        *wrong_files(store),
        *lost(folder, cache),
        # What a colleague would miss who pulls it.
        *lost(hub, store),
    ]


def wrong_in_git(folder: Path) -> Iterator[str]:
    """Return what git finds broken."""
    done = ask(folder, "fsck", "--no-dangling", "--no-progress")
    if done.returncode:
        yield f"git fsck in {folder.name}: {done.stdout} {done.stderr}"


def wrong_files(store: Path) -> Iterator[str]:
    """Return the files of a cache or remote that its owner would trust and that are damaged.

    A file that is not read-only is hashed by DVC before use.
    """
    for place in (store / "files/md5").glob("??/*"):
        name = (place.parent.name + place.name).removesuffix(".dir")
        found = hashlib.md5(place.read_bytes(), usedforsecurity=False).hexdigest()
        if len(name) == 32 and not place.stat().st_mode & WRITABLE and found != name:
            yield f"{place.relative_to(store)} has not the content that its name says"


def experiments(folder: Path) -> list[str]:
    """Return the references of all experiments that a user sees."""
    listed = ask(folder, "for-each-ref", "--format=%(refname)", "refs/exps").stdout.split()
    return [ref for ref in listed if ref.split("/")[2] not in INTERNAL]


def lost(repository: Path, store: Path) -> Iterator[str]:
    """Return what experiments record and neither git nor the cache or remote holds."""
    for ref in experiments(repository):
        stages = yaml.safe_load(ask(repository, "show", f"{ref}:dvc.lock").stdout)["stages"]
        for out in (out for stage in stages.values() for out in stage.get("outs", ())):
            in_git = ask(repository, "cat-file", "-e", f"{ref}:{out['path']}").returncode == 0
            if not in_git and not (store / "files/md5" / out["md5"][:2] / out["md5"][2:]).exists():
                yield f"{ref} records {out['path']}, which is neither in git nor in {store.name}"


def ask(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a git command; its outcome is the answer."""
    return subprocess.run(
        ["git", *command],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
