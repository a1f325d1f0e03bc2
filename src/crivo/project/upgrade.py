"""`crivo upgrade`: merges a newer release's files into a project; results that still hold are kept.

Each version says itself what a project's files are: its wheel is unpacked, and its own code is run
with nothing installed. The files of the old and of the new crivo become two commits that no branch
has, and git picks their difference onto the team's branch.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from crivo.core.errors import CrivoError
from crivo.core.params import read_settings
from crivo.core.parsing import parse_yaml
from crivo.core.wording import a_few
from crivo.project.contents import EMPTY
from crivo.project.params_file import setting_at
from crivo.project.wheel import Wheel, running_wheel
from crivo.repository.git import Repository, open_repository, run_git
from crivo.repository.lock import covers
from crivo.repository.pipeline import read_pipeline
from crivo.repository.running import dvc
from crivo.runtime.environment import locked_packages

SHOWN = 3
CHANGELOG = "vendor/CHANGELOG.md"
AUTHOR = ("-c", "user.name=crivo", "-c", "user.email=crivo@localhost")
# A hook of the user's may do anything with files that are checked out.
NO_HOOKS = ("-c", "core.hooksPath=/dev/null")
CONFLICT = "conflict"
LOCK = "requirements.txt"
LIBRARY = "src/crivo"
# What stands for itself among the facts: a stage's settings, its definition, its packages.
ASKED_OTHERWISE = {"dvc.yaml", "params.yaml", LOCK}
# A wheel of crivo has 2 MB.
MOST_UNPACKED = 100 * 2**20
# -I and -S: no variable, no folder and no installed package has a say.
WRITING = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('crivo.project.contents', run_name='__main__')"
)
# Of each stage, what it runs with: a name for each part, and what that is.
Facts = dict[str, dict[str, Any]]


class Release(NamedTuple):
    """The folder of an unpacked library's package, a work tree, and the project's place in it."""

    library: Path
    tree: Path
    files: Path


def upgrade(
    project: Path,
    wheel: Path | None,
    say: Callable[[str], object],
    *,
    sha256: str | None = None,
    dry_run: bool = False,
) -> list[str]:
    """Put a newer crivo into a project; return the files in which edits contradict each other.

    Without a wheel, the crivo that runs is put in. Nothing is committed.
    CrivoError, and nothing has changed: there are uncommitted changes, or no such wheel.
    """
    if not (project / "dvc.yaml").is_file() or not (project / "params.yaml").is_file():
        raise CrivoError("There is no dvc.yaml or params.yaml here; run this in the project.")
    old = pinned_wheel(project)
    home = open_repository(project)
    if changed := [line[3:] for line in home.changed()]:
        raise CrivoError(
            f"Some files differ from the last commit: {a_few(changed, SHOWN)}. Commit or remove "
            "your changes first, so that git can undo the upgrade."
        )
    new = read_wheel(wheel, sha256) if wheel else running_wheel()
    if new.sha256 == old.sha256:
        given = "" if wheel else "; give the file of a newer one"
        raise CrivoError(f"The project already has this crivo ({old.name}){given}.")
    say(f"{old.name} -> {new.name} (sha256 {new.sha256})")
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        title = _title(project)
        releases = [
            read_release(one, title, Path(folder, one.sha256), home.prefix) for one in (old, new)
        ]
        news = _news(*releases)
        commit = _difference(home, *releases)
        with _checked_out(home) as merged:
            conflicts = _pick(merged, commit)
            reasons = _results(project, merged, *releases)
            say("\n".join(_described(merged, reasons)))
        if news:
            say("\n".join(["What is new, as vendor/CHANGELOG.md says:", *news]))
    if not dry_run:
        _pick(home, commit)
        if kept := [stage for stage, why in reasons.items() if not why]:
            # `dvc.lock` says of stages that are the same that their results hold.
            dvc(project, "commit", "--quiet", "--force", *kept)
    return conflicts


def _title(project: Path) -> str:
    """Return the name that the locks know the project by."""
    try:
        text = (project / "pyproject.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["project"]["name"])
    except (OSError, ValueError, LookupError, TypeError):
        return project.resolve().name


def _news(old: Release, new: Release) -> list[str]:
    """Return the lines of the new changelog that the old one doesn't have."""
    pages = [one.files / CHANGELOG for one in (old, new)]
    known, now = (page.read_text("utf-8").splitlines() if page.is_file() else [] for page in pages)
    return [line for line in now if line and line not in known]


# ── What a wheel holds ──────────────────────────────────────────────────────────────────────────


def read_wheel(path: Path, sha256: str | None = None) -> Wheel:
    """Return the wheel in a file.

    CrivoError: there is none, it isn't crivo's, or it hasn't the hash that was asked for.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CrivoError(f"{path} can't be read: {error.strerror}.") from None
    fits = path.name.startswith("crivo-") and path.name.count("-") >= 4
    if not (fits and path.suffix == ".whl" and zipfile.is_zipfile(io.BytesIO(content))):
        raise CrivoError(
            f"{path} is not a wheel of crivo; expected crivo-VERSION-py3-none-any.whl."
        )
    wheel = Wheel(path.name, content)
    if sha256 is not None and wheel.sha256 != sha256.lower():
        raise CrivoError(
            f"{path} has the SHA-256 {wheel.sha256}, but {sha256} was given: it isn't that "
            "wheel, and no code from it was run."
        )
    return wheel


def pinned_wheel(project: Path) -> Wheel:
    """Return the wheel that the project's lock pins.

    CrivoError: it pins none, or the file is missing or another one.
    """
    lock = project / LOCK
    pins = locked_packages(lock) if lock.is_file() else ()
    pinned = next((pin for pin in pins if pin.name == "crivo" and pin.wheel), None)
    if pinned is None:
        raise CrivoError(
            f"{LOCK} names no wheel of crivo; expected a project that `crivo start` made. "
            "To update a clone of crivo's own repository, run `git pull`."
        )
    return read_wheel(project / pinned.wheel, pinned.sha256)


def read_release(wheel: Wheel, title: str, folder: Path, prefix: str = "") -> Release:
    """Unpack a wheel below a folder, and let it write the files of a project of that title.

    The files are written below `files/PREFIX`.
    CrivoError: it is damaged or too large, or came without the files of a project.
    """
    packed, source, tree = folder / wheel.name, folder / "library", folder / "files"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(wheel.content)
    try:
        with zipfile.ZipFile(packed) as file:
            members = file.infolist()
            if sum(one.file_size for one in members) > MOST_UNPACKED:
                raise CrivoError(
                    f"{wheel.name} unpacks to more than {MOST_UNPACKED // 2**20} MB, more than any "
                    "wheel of crivo; download it again."
                )
            file.extractall(source, [one for one in members if one.filename.startswith("crivo/")])
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise CrivoError(f"{wheel.name} can't be unpacked: {error}.") from None
    command = [sys.executable, "-I", "-S", "-c", WRITING, str(source), title, str(packed)]
    done = subprocess.run(
        [*command, str(tree / prefix)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"{wheel.name} can't say which files a project has: {last}")
    return Release(source / "crivo", tree, tree / prefix)


# ── The difference between two releases, picked by git ──────────────────────────────────────────


def _difference(home: Repository, old: Release, new: Release) -> str:
    """Return a commit whose difference from its parent is what the releases' files differ in.

    What the team deleted stays deleted. What no longer comes with crivo goes, unless the team
    edited it or its settings choose it.
    """
    chosen = read_settings(home.project / "params.yaml").values()
    left_out = set(EMPTY)
    for came in filter(Path.is_file, old.files.rglob("*")):
        path = came.relative_to(old.files)
        ours = home.project / path
        in_use = path.is_relative_to("src/blocks") and path.stem in chosen
        edited = not ours.is_file() or ours.read_bytes() != came.read_bytes()
        goes = not (new.files / path).exists()
        if not ours.exists() or (goes and (in_use or edited)):
            left_out.add(path.as_posix())
    parent: tuple[str, ...] = ()
    for release in (old, new):
        for name in left_out:
            (release.files / name).unlink(missing_ok=True)
        command = ("commit-tree", _tree(home, release.tree), *parent, "-m", "A new project's files")
        commit = home.git(*AUTHOR, *command).strip()
        parent = ("-p", commit)
    return commit


def _tree(home: Repository, root: Path) -> str:
    """Return git's tree of all files below a folder."""
    variables = {"GIT_INDEX_FILE": f"{root}.index", "GIT_WORK_TREE": str(root)}
    variables["GIT_DIR"] = home.git("rev-parse", "--absolute-git-dir").strip()
    home.git("-C", str(root), "add", "--all", "--force", ".", environment=variables)
    return home.git("write-tree", environment=variables).strip()


@contextmanager
def _checked_out(home: Repository) -> Iterator[Repository]:
    """Give the project as it was committed, in a work tree of its own that is removed."""
    with tempfile.TemporaryDirectory(prefix="crivo-") as folder:
        place = Path(folder, "project")
        home.git(*NO_HOOKS, "worktree", "add", "--quiet", "--detach", str(place), "HEAD")
        try:
            yield Repository(place, home.prefix)
        finally:
            home.git("worktree", "remove", "--force", str(place))


def _pick(home: Repository, commit: str) -> list[str]:
    """Apply a commit's difference, and return the files with conflicts; nothing is committed."""
    command = ("cherry-pick", "--no-commit", "-X", "no-renames", commit)
    done = run_git([*NO_HOOKS, *command], home.top)
    conflicts = [path for path, what in _picked(home).items() if what == CONFLICT]
    if done.returncode and not conflicts:
        last = done.stderr.decode(errors="replace").strip() or "it says nothing"
        raise CrivoError(f"git refused the difference between the two versions: {last}")
    return conflicts


def _picked(home: Repository) -> dict[str, str]:
    """Return what a pick did to each file: `added`, `changed`, `removed` or `conflict`."""
    words = {"A": "added", "D": "removed"}
    command = ("-C", str(home.project), "diff", "--relative", "--no-renames", "-z")
    fields = home.git(*command, "--name-status", "HEAD").split("\0")
    found = zip(fields[::2], fields[1::2], strict=False)
    files = {path: words.get(letter, "changed") for letter, path in found}
    unmerged = home.git(*command, "--name-only", "--diff-filter=U").split("\0")
    return files | dict.fromkeys(filter(None, unmerged), CONFLICT)


def _described(merged: Repository, reasons: dict[str, list[str]]) -> Iterator[str]:
    yield "Results:"
    for stage, why in reasons.items():
        yield f"  {stage}: runs again ({a_few(why, SHOWN)})" if why else f"  {stage}: kept"
    if any(reasons.values()) and not all(reasons.values()):
        yield "  A stage whose results are kept still runs if an earlier stage gives a new result."
    yield "Files:"
    for path, what in sorted(_picked(merged).items(), key=lambda one: one[::-1]):
        yield f"  {what:8} {path}"


# ── Which results hold ──────────────────────────────────────────────────────────────────────────


def _results(project: Path, merged: Repository, old: Release, new: Release) -> dict[str, list[str]]:
    """Return for each stage why it runs again: for nothing, and its results are kept."""
    before = facts(project, old.library)
    try:
        after = facts(merged.project, new.library, _picked(merged))
    except CrivoError:
        return {stage: ["dvc.yaml or params.yaml has conflicts"] for stage in before}
    reasons = differences(before, after)
    if same := [stage for stage, why in reasons.items() if not why]:
        for stage in json.loads(dvc(project, "status", "--json", *same)).keys() & {*same}:
            reasons[stage].append("not up to date before")
    return reasons


def facts(root: Path, library: Path, changed: Iterable[str] = ()) -> Facts:
    """Return what each stage of a project runs with, in the order of the stages.

    `library`: the folder of the library's package. The pipeline of crivo's own repository, which
    comes with it, says which of its folders a stage runs; a stage of a team's own may run all of
    it. `changed`: the files of the project that an upgrade changed.
    """
    settings, own = read_settings(root / "params.yaml"), library / "project/files/dvc.yaml"
    known = parse_yaml(own.read_bytes())["stages"] if own.is_file() else {}
    code = {
        f"{LIBRARY}/{path.relative_to(library).as_posix()}": path.read_bytes()
        for path in library.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    # Of crivo, files are compared. Of a version that an index has, hashes say no more.
    pins = [pin for pin in locked_packages(root / LOCK) if pin.name != "crivo"]
    found = {}
    for name, stage in read_pipeline(root, ()).stages.items():
        outs = sorted((out.path, out.cached) for out in stage.outs)
        folders = known.get(name, {}).get("deps", [LIBRARY])
        found[name] = {
            **{
                path: "changed"
                for path in sorted({*changed} - ASKED_OTHERWISE)
                if any(covers(dep, path) or path == f"{dep}.dvc" for dep in stage.deps)
            },
            "dvc.yaml": (stage.command, sorted(stage.deps), sorted(stage.params), outs),
            **{path: text for path, text in code.items() if any(covers(f, path) for f in folders)},
            **{f"the settings {key}": setting_at(settings, key) for key in stage.params},
            **{f"{pin.name}=={pin.version}": pin for pin in pins},
        }
    return found


def differences(before: Facts, after: Facts) -> dict[str, list[str]]:
    """Return for each stage what is other for it after an upgrade: nothing, and it is the same."""
    found = {name: ["a new stage"] for name in after}
    for name in before.keys() & after:
        old, new = before[name], after[name]
        found[name] = [one for one in new | old if old.get(one) != new.get(one)]
    return found
