"""The git state of the project's files: tracked, ignored, changed; and what can't be read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from crivo.core.errors import CrivoError
from crivo.core.git import refusal
from crivo.repository.git import run_git


class Unreadable(CrivoError):
    """Some part of the project can't be read: which, and why."""

    def __init__(self, subject: str, message: str) -> None:
        super().__init__(f"{subject}: {message}")
        self.subject = subject
        self.message = message


class WorkTree:
    """What git says of a project's folder; paths are the project's. Unreadable: it can't say."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def tracked(self) -> frozenset[str]:
        """The files that git tracks, those added and not yet committed too."""
        return frozenset(self._list("ls-files", "-z"))

    def candidates(self, pattern: str) -> list[str]:
        """Return the files that git tracks or could track (not ignored), by a pattern."""
        listed = self._list("ls-files", "-z", "-co", "--exclude-standard", "--", pattern)
        return sorted({path for path in listed if (self.root / path).exists()})

    def ignored_by(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the ignored ones of these paths, each with its rule as `.gitignore:3`.

        A path that git tracks all the same counts too. A path that ends with a slash is
        taken for a folder, which need not exist.
        """
        asked = "".join(f"{path}\0" for path in paths)
        if not asked:
            return {}
        answer = self._run(
            "check-ignore", "--no-index", "-v", "-z", "--stdin", given=asked, allowed=(0, 1)
        ).split("\0")
        rules = zip(answer[0::4], answer[1::4], answer[2::4], answer[3::4], strict=False)
        return {
            path: f"{source}:{line}"
            for source, line, pattern, path in rules
            if not pattern.startswith("!")
        }

    def _list(self, *arguments: str) -> list[str]:
        return [path for path in self._run(*arguments).split("\0") if path]

    def _run(self, *arguments: str, given: str = "", allowed: tuple[int, ...] = (0,)) -> str:
        try:
            done = run_git(arguments, self.root, given=given.encode())
        except CrivoError as error:
            raise Unreadable("git", str(error)) from None
        if done.returncode not in allowed:
            raise Unreadable("git", str(refusal(self.root, done.stderr.decode(errors="replace"))))
        return done.stdout.decode()


def in_git(place: Path) -> bool:
    """Whether git tracks a file, in whichever repository it is."""
    folder = next(up for up in place.parents if up.is_dir())
    try:
        listed = run_git(["--literal-pathspecs", "ls-files", "-z", "--", str(place)], folder)
    except CrivoError:
        return False  # without git there is nothing that it keeps
    return bool(listed.stdout)
