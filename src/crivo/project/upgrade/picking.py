"""Lets git pick the difference between two releases' files onto the team's branch.

The files of a new project of the old and of the new crivo become two commits that no branch has.
What git does with their difference is what it does with any cherry-pick.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.git import git
from crivo.core.layout import a_few
from crivo.core.params import read_yaml
from crivo.project.contents import EMPTY
from crivo.project.upgrade.release import Release
from crivo.repository.git import run_git

AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "crivo"), ("EMAIL", "crivo@localhost"))
}
# A hook of the user's may do anything with files that are checked out.
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")


def require_clean(project: Path) -> None:
    """Raise CrivoError when a file differs from the last commit, or isn't in it."""
    options = ("--porcelain", "--no-renames", "--untracked-files=all")
    listed = git(project, "status", *options, "--", ".").splitlines()
    if changed := [line[3:].removeprefix(_prefix(project)) for line in listed]:
        raise CrivoError(
            f"Not as in the last commit: {a_few(changed, 3)}. Commit or remove your changes first, "
            "so that git can undo the upgrade."
        )


def difference(project: Path, old: Release, new: Release) -> str:
    """Return a commit whose difference from its parent is what the releases' files differ in.

    What the team deleted stays deleted. What no longer comes with crivo goes, unless the team
    edited it or its settings choose it.
    """
    left_out = {*EMPTY, *(path for path in old.paths if not (project / path).exists())}
    gone = old.paths - new.paths - left_out
    left_out |= {path for path in gone if not _may_go(project, old, path)}
    commit = ""
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        for place, release in enumerate((old, new)):
            for path in left_out:
                (release.folder / path).unlink(missing_ok=True)
            tree = _tree(project, release.folder, Path(folder, f"index{place}"))
            parent = ("-p", commit) if commit else ()
            command = ("commit-tree", tree, *parent, "-m", "The files of a new project")
            commit = _git(project, *command, **AUTHOR)
    return commit


@contextmanager
def checked_out(project: Path) -> Iterator[Path]:
    """Give the project as it was committed, in a work tree of its own that is removed."""
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        place = Path(folder, "project")
        git(project, *NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(place), "HEAD")
        try:
            yield place / _prefix(project)
        finally:
            git(project, "worktree", "remove", "--force", str(place))


def pick(project: Path, commit: str) -> list[str]:
    """Apply a commit's difference, and return the files with conflicts; nothing is committed."""
    command = ("cherry-pick", "--no-commit", "-X", "no-renames", commit)
    done = run_git([*NO_HOOKS, *command], project)
    listed = git(project, "diff", "--name-only", "--relative", "--diff-filter=U", "-z")
    conflicts = [path for path in listed.split("\0") if path]
    if done.returncode and not conflicts:
        last = done.stderr.decode(errors="replace").strip() or "it says nothing"
        raise CrivoError(f"git refused the difference between the two versions: {last}")
    return conflicts


def picked_files(project: Path) -> dict[str, str]:
    """Return what a pick did to each file: `added`, `changed`, `removed` or `conflict`."""
    words = {"A": "added", "D": "removed", "U": "conflict"}
    listed = git(project, "diff", "--name-status", "--relative", "--no-renames", "-z", "HEAD")
    fields = listed.split("\0")
    found = zip(fields[::2], fields[1::2], strict=False)
    unmerged = git(project, "diff", "--name-only", "--relative", "--diff-filter=U", "-z")
    files = {path: words.get(letter, "changed") for letter, path in found}
    return files | dict.fromkeys(filter(None, unmerged.split("\0")), "conflict")


def _may_go(project: Path, release: Release, path: str) -> bool:
    """Say whether a file is as it came, and isn't a block that the settings choose."""
    chosen = read_yaml(project / "params.yaml").values()
    in_use = path.startswith("src/blocks/") and Path(path).stem in chosen
    came = (release.folder / path).read_bytes()
    return not in_use and (project / path).read_bytes() == came


def _tree(project: Path, files: Path, index: Path) -> str:
    """Return the tree of a folder's files, at the place that the project has in its repository."""
    for path in files.rglob("*"):
        if path.is_file():
            path.chmod(0o755 if path.read_bytes().startswith(b"#!") else 0o644)
    variables = {"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(files)}
    variables["GIT_DIR"] = git(project, "rev-parse", "--absolute-git-dir").strip()
    _git(files, "add", "--all", "--force", ".", **variables)
    tree = _git(files, "write-tree", **variables)
    if prefix := _prefix(project):
        _git(files, "read-tree", "--empty", **variables)
        _git(files, "read-tree", f"--prefix={prefix}", tree, **variables)
        tree = _git(files, "write-tree", **variables)
    return tree


def _git(folder: Path, *arguments: str, **variables: str) -> str:
    done = run_git(arguments, folder, variables | {"LC_ALL": "C"})
    if done.returncode:
        raise CrivoError(f"git {arguments[0]} failed: {done.stderr.decode(errors='replace')}")
    return done.stdout.decode().strip()


def _prefix(project: Path) -> str:
    """Return the project's folder in its repository, with a slash at its end; "" at the top."""
    return git(project, "rev-parse", "--show-prefix").strip()
