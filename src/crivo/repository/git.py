"""`Repository`: reads what git holds by its plumbing, without checkout; updates references."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.git import QUIET, NoRepository, refusal
from crivo.core.git import run_git as run_git

# How `git cat-file --batch` announces an object that is there.
HEADER = re.compile(rb"(?P<hash>[0-9a-f]{40,64}) (?P<kind>\w+) (?P<size>\d+)\n")
# What it complains of when it can't read the repository at all.
UNREADABLE = re.compile(r"not a git repository|safe\.directory")


@dataclass(frozen=True)
class Repository:
    """A git repository and, below its top folder, the project's place in it."""

    top: Path
    prefix: str = ""

    @property
    def project(self) -> Path:
        """The project's folder."""
        return self.top / self.prefix

    def git(
        self,
        *arguments: str,
        check: bool = True,
        environment: Mapping[str, str] | None = None,
        given: str = "",
    ) -> str:
        """Return what a git command prints; CrivoError with its complaint when it fails."""
        variables = {**QUIET, **(environment or {})}
        done = run_git(arguments, self.top, environment=variables, given=given.encode())
        if check and done.returncode:
            complaint = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
            if UNREADABLE.search(complaint):
                raise refusal(self.top, done.stderr)
            raise CrivoError(f"`git {' '.join(arguments)}` failed: {complaint}.")
        return done.stdout.decode(errors="replace")

    def lines(self, *arguments: str) -> list[str]:
        """Return the lines that a git command prints."""
        # Not splitlines: a message may hold other characters that it takes for a line's end.
        return [line for line in self.git(*arguments).split("\n") if line]

    def files(self, *arguments: str) -> list[str]:
        """Return the project's files that `git ls-files` lists, by their paths in the project."""
        listed = self.git("-C", str(self.project), "ls-files", "-z", *arguments).split("\0")
        return [path for path in listed if path]

    def not_ignored(self, pattern: str) -> list[str]:
        """Return the project's files that git tracks or could track, by a pattern."""
        listed = self.files("-co", "--exclude-standard", "--", pattern)
        return sorted({path for path in listed if (self.project / path).exists()})

    def ignored(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the ignored ones of the project's paths, each with its rule as `.gitignore:3`.

        A path that git tracks all the same counts too. A path that ends with a slash is
        taken for a folder, which need not exist.
        """
        asked = "".join(f"{path}\0" for path in paths)
        command = ("check-ignore", "--no-index", "-v", "-z", "--stdin")
        # It ends with status 1 where it finds none.
        answer = self.git("-C", str(self.project), *command, check=False, given=asked).split("\0")
        rules = zip(answer[0::4], answer[1::4], answer[2::4], answer[3::4], strict=False)
        return {
            path: f"{source}:{line}"
            for source, line, pattern, path in rules
            if not pattern.startswith("!")
        }

    def files_changed_since(self, revision: str, paths: Iterable[str]) -> list[str]:
        """Return which of the workspace's files are not those of a commit, as the project's."""
        names = self.diff("--name-only", "-z", revision, "--", *paths).split("\0")
        return [name.removeprefix(self.prefix) for name in names if name]

    def diff(self, *arguments: str) -> str:
        """Return what `git diff` prints of the workspace."""
        with tempfile.TemporaryDirectory() as folder:
            # Where it has looked into files, it writes to the index what it found.
            beside = self.index_beside(Path(folder) / "index")
            return self.git("diff", *arguments, environment=beside)

    def changed(self) -> list[str]:
        """Return what isn't as in the last commit, as `git status --porcelain` says it."""
        options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
        found = self.git("status", *options, "--", self.prefix or ".").split("\0")
        return [one[:3] + one[3:].removeprefix(self.prefix) for one in found if one]

    def index_beside(self, place: Path) -> dict[str, str]:
        """Copy the index, and return the environment variables with which git uses the copy."""
        with suppress(FileNotFoundError):  # a new repository has none
            # Its time says which files git has to read to know whether they changed.
            shutil.copy2(self.place("index"), place)
        return {"GIT_INDEX_FILE": str(place)}

    def commit(self, name: str) -> str | None:
        """Return the hash of the commit that a name means, or None."""
        (found,) = self.objects([f"{name}^{{commit}}"])
        return found.hash if found else None

    def require_identity(self) -> None:
        """Raise CrivoError when git couldn't say who records something."""
        idents = ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT")
        if any(run_git(("var", ident), self.top).returncode for ident in idents):
            raise CrivoError(
                "git doesn't know who you are, so nothing could be recorded; run `git config "
                "--global user.name NAME` and `git config --global user.email ADDRESS`, then run "
                "this again."
            )

    def blobs(self, objects: Iterable[tuple[str, str]]) -> dict[tuple[str, str], GitObject]:
        """Return the files at (commit, path), those that there are, in one go."""
        wanted = list(dict.fromkeys(objects))
        found = self.objects([f"{commit}:{self.prefix}{path}" for commit, path in wanted])
        return {key: one for key, one in zip(wanted, found, strict=True) if one and one.is_file}

    def content(self, commit: str, path: str) -> bytes | None:
        """Return what a file of a commit holds; None where there is no such file."""
        blob = self.blobs([(commit, path)]).get((commit, path))
        return blob.content if blob else None

    def objects(self, names: Iterable[str]) -> list[GitObject | None]:
        """Return what names stand for, in one go; None for what isn't there."""
        # A name of two lines is none.
        lines = [name.replace("\n", " ") for name in names]
        given = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
        answer = BytesIO(run_git(("cat-file", "--batch"), self.top, given=given).stdout)
        found: list[GitObject | None] = []
        for _ in lines:
            header = HEADER.fullmatch(answer.readline())
            if header is None:  # it isn't there, or is another repository's commit
                found.append(None)
                continue
            content = answer.read(int(header["size"]) + 1)[:-1]
            found.append(GitObject(header["hash"].decode(), content, header["kind"] == b"blob"))
        return found

    def texts_below(self, *starts: str) -> dict[str, GitObject]:
        """Return the texts that references below some places point to, by their names."""
        names = self.lines("for-each-ref", "--format=%(refname)", *starts)
        found = zip(names, self.objects(names), strict=True)
        return {name: one for name, one in found if one and one.is_file}

    def hashes(self, names: Iterable[str]) -> dict[str, str | None]:
        """Return the hashes of what names stand for, in one go; None for what isn't there."""
        wanted = list(names)
        found = zip(wanted, self.objects(wanted), strict=True)
        return {name: one.hash if one else None for name, one in found}

    def update_references(self, orders: Iterable[str]) -> None:
        """Carry out orders of `git update-ref --stdin`: all of them, or none with CrivoError."""
        self.git("update-ref", "--stdin", given="".join(f"{order}\n" for order in orders))

    def place(self, name: str) -> Path:
        """Return where git keeps something of its own, such as `index` or `objects`."""
        return self.top / self.git("rev-parse", "--git-path", name).rstrip("\n")

    def shared_place(self, name: str) -> Path:
        """Return where something of ours lies in git's folder, which all worktrees share."""
        return self.top / self.git("rev-parse", "--git-common-dir").rstrip("\n") / name

    @property
    def shallow(self) -> bool:
        """Whether the clone lacks older commits."""
        return self.git("rev-parse", "--is-shallow-repository").strip() == "true"


@dataclass(frozen=True)
class GitObject:
    """What git holds by its hash: a file's content, or that of a commit, a tag or a folder."""

    hash: str
    content: bytes
    is_file: bool = True


def open_repository(folder: Path = Path()) -> Repository:
    """Return the repository that a folder is in; CrivoError when there is none to read."""
    places = ("rev-parse", "--show-toplevel", "--show-prefix")
    done = run_git((*places, "HEAD^{commit}"), folder)
    if done.returncode:  # no repository, or HEAD has no commit
        done = run_git(places, folder)
    if done.returncode:
        raise refusal(folder, done.stderr)
    # Not splitlines: a path may hold other characters that it takes for a line's end.
    top, prefix, *commit = done.stdout.decode().split("\n")[:-1]
    if not Path(top).is_dir():
        raise CrivoError(
            f"The path {str(folder.resolve())!r} has a line break, so git's output can't "
            "be read reliably; rename the folder, then run this again."
        )
    repository = Repository(Path(top), prefix)
    if not commit and not repository.git("for-each-ref", "--count=1"):
        raise NoRepository(
            "This repository has no commit yet, so there is nothing to compare; "
            "commit the project, then run a trial with `crivo try key=value`."
        )
    return repository
