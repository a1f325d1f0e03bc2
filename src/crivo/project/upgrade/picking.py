"""`crivo upgrade`: applies the difference between two releases' project files, as a cherry-pick.

The files of a new project of the old and of the new crivo become two commits that no branch has,
and git picks their difference onto the team's branch.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.layout import a_few
from crivo.core.params import read_yaml
from crivo.project.contents import EMPTY, write_files
from crivo.project.upgrade.release import Release
from crivo.repository.git import Repository, run_git

AUTHOR = ("-c", "user.name=crivo", "-c", "user.email=crivo@localhost")
# A hook of the user's may do anything with files that are checked out.
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
CONFLICT = "conflict"


def require_clean(home: Repository) -> None:
    """Raise CrivoError when a file differs from the last commit, or isn't in it."""
    if changed := [line[3:] for line in home.changed()]:
        raise CrivoError(
            f"Not as in the last commit: {a_few(changed, 3)}. Commit or remove your changes first, "
            "so that git can undo the upgrade."
        )


def difference(home: Repository, old: Release, new: Release) -> str:
    """Return a commit whose difference from its parent is what the releases' files differ in.

    What the team deleted stays deleted. What no longer comes with crivo goes, unless the team
    edited it or its settings choose it.
    """
    project = home.project
    left_out = {*EMPTY, *(path for path in old.files if not (project / path).exists())}
    gone = old.files.keys() - new.files.keys() - left_out
    left_out |= {path for path in gone if not _may_go(project, path, old.files[path])}
    commit = ""
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        for name, release in (("old", old), ("new", new)):
            files = {path: text for path, text in release.files.items() if path not in left_out}
            tree = _tree(home, files, Path(folder, name))
            parent = ("-p", commit) if commit else ()
            command = ("commit-tree", tree, *parent, "-m", "The files of a new project")
            commit = home.git(*AUTHOR, *command).strip()
    return commit


@contextmanager
def checked_out(home: Repository) -> Iterator[Repository]:
    """Give the project as it was committed, in a work tree of its own that is removed."""
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        place = Path(folder, "project")
        home.git(*NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(place), "HEAD")
        try:
            yield Repository(place, home.prefix)
        finally:
            home.git("worktree", "remove", "--force", str(place))


def pick(home: Repository, commit: str) -> list[str]:
    """Apply a commit's difference, and return the files with conflicts; nothing is committed."""
    command = ("cherry-pick", "--no-commit", "-X", "no-renames", commit)
    done = run_git([*NO_HOOKS, *command], home.top)
    conflicts = [path for path, what in picked_files(home).items() if what == CONFLICT]
    if done.returncode and not conflicts:
        last = done.stderr.decode(errors="replace").strip() or "it says nothing"
        raise CrivoError(f"git refused the difference between the two versions: {last}")
    return conflicts


def picked_files(home: Repository) -> dict[str, str]:
    """Return what a pick did to each file: `added`, `changed`, `removed` or `conflict`."""
    words = {"A": "added", "D": "removed"}
    command = ("-C", str(home.project), "diff", "--relative", "--no-renames", "-z")
    fields = home.git(*command, "--name-status", "HEAD").split("\0")
    found = zip(fields[::2], fields[1::2], strict=False)
    files = {path: words.get(letter, "changed") for letter, path in found}
    unmerged = home.git(*command, "--name-only", "--diff-filter=U").split("\0")
    return files | dict.fromkeys(filter(None, unmerged), CONFLICT)


def _may_go(project: Path, path: str, came: bytes) -> bool:
    """Say whether a file is as it came, and isn't a block that the settings choose."""
    chosen = read_yaml(project / "params.yaml").values()
    in_use = path.startswith("src/blocks/") and Path(path).stem in chosen
    return not in_use and (project / path).read_bytes() == came


def _tree(home: Repository, files: Mapping[str, bytes], root: Path) -> str:
    """Return the tree of files at the place that the project has in its repository."""
    write_files(root / home.prefix, files)
    variables = {"GIT_INDEX_FILE": f"{root}.index", "GIT_WORK_TREE": str(root)}
    variables["GIT_DIR"] = home.git("rev-parse", "--absolute-git-dir").strip()
    home.git("-C", str(root), "add", "--all", "--force", ".", environment=variables)
    return home.git("write-tree", environment=variables).strip()
