"""The files of a new project: copied from crivo's repository or made from templates.

`crivo start` writes them. `crivo upgrade` runs this module out of the wheel of another version, so
it imports the standard library only.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template

from crivo.project.locks import LOCKS, project_lock
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
        values = {"title": title, "name": name, "version": wheel.version, "wheel": place}
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

    >>> package_name("Churn, 2nd try"), package_name("…")
    ('churn-2nd-try', 'project')
    """
    name = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "project"
    return "project" if name == "crivo" else name


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
