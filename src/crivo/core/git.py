"""Runs git in a folder, and reads a file of the last commit. History is read in `repository.git`.

Errors tell "that isn't in the last commit" from "git can't answer".
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from crivo.core.errors import CrivoError

# Its sentences are read in English, no lock is taken, and an object that a partial clone lacks is
# missing, not downloaded.
QUIET = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
# What names it in the settings of such a clone.
TRIAL_START = "crivo.start"


class NoRepository(CrivoError):
    """The folder is in no git repository, or in one without a commit."""


def git(folder: Path, *arguments: str) -> str:
    """Return what a git command prints, run in a folder; CrivoError when it fails."""
    done = run_git(arguments, folder)
    if done.returncode:
        raise refusal(folder, done.stderr)
    return done.stdout.decode(errors="replace")


def committed_text(path: Path, revision: str = "HEAD") -> str | None:
    """Return a file's text in the last commit; None when the file, or any commit, isn't there.

    `revision`: another commit, or a tree.
    CrivoError: git can't say, so nobody knows whether the file is there.
    """
    folder = next(place for place in path.absolute().parents if place.is_dir())
    name = f"./{path.absolute().relative_to(folder).as_posix()}"
    cat_file = run_git(("cat-file", "blob", f"{revision}:{name}"), folder)
    if not cat_file.returncode:
        return cat_file.stdout.decode(errors="replace")
    # `ls-tree` takes a name that isn't there for no failure.
    listed = run_git(("ls-tree", revision, "--", name), folder)
    if not listed.returncode and not listed.stdout:
        return None
    if listed.returncode:  # a branch without a commit, or a damaged one, which looks the same here
        head = run_git(("rev-parse", "--verify", "--quiet", "HEAD"), folder)
        branches = run_git(("for-each-ref",), folder)
        if head.returncode == 1 and not branches.returncode and not branches.stderr:
            return None
    raise refusal(folder, listed.stderr or cat_file.stderr)


def trial_start(folder: Path) -> str:
    """Return the tree of files that a trial's own clone started from; `HEAD` anywhere else."""
    there = next(place for place in (folder, *folder.parents) if place.is_dir())
    start = run_git(("config", "--local", "--get", TRIAL_START), there).stdout
    return start.decode().strip() or "HEAD"


def refusal(folder: Path, complaint: bytes) -> CrivoError:
    """Return the error of a git that gave no answer, from what it printed instead."""
    folder = folder.resolve()
    message = complaint.decode(errors="replace").strip()
    inside = any((place / ".git").exists() for place in (folder, *folder.parents))
    if "not a git repository" in message and not inside:
        return NoRepository(
            f"{folder} isn't in a git repository, so crivo can't know what was recorded; work in a "
            "clone of the project, or make it a repository with `git init` and commit it."
        )
    reason = " ".join(message.split()).removeprefix("fatal: ").rstrip(".") or "it says nothing"
    return CrivoError(
        f"git can't read the repository of {folder} ({reason}). If it is damaged, `git fsck` "
        "names the damage, and another clone may be intact."
    )


def run_git(
    arguments: Iterable[str],
    folder: Path,
    environment: Mapping[str, str] = QUIET,
    given: bytes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run a git command in a folder; CrivoError when there is no git to run."""
    command, variables = ["git", *arguments], {**os.environ, **environment}
    try:
        return subprocess.run(
            command, cwd=folder, input=given, env=variables, capture_output=True, check=False
        )
    except OSError as error:
        raise CrivoError(
            f"git can't be run ({error.strerror}), and only git knows what was committed; install "
            "git, or add it to PATH."
        ) from None
