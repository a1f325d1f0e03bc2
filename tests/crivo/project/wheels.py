"""Wheels of crivo for tests: the library as it stands here, and versions of it with changes."""

from collections.abc import Callable, Mapping
from pathlib import Path

from crivo.project.wheel import FILES, Wheel, packed, project_files

ROOT = Path(__file__).parents[3]
Change = Callable[[str], str]


def wheel_of(version: str, changes: Mapping[str, Change | None] | None = None) -> Wheel:
    """Return a wheel as `make wheel` packs it, without its compiled metadata.

    `changes` have a file's path in the wheel, and its new text made of the old ("" for a new
    one), or None to leave it out.
    """
    library = ROOT / "src/crivo"
    content = {
        f"crivo/{path.relative_to(library).as_posix()}": path.read_bytes()
        for path in library.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    content |= {f"{FILES}/{path}": (ROOT / path).read_bytes() for path in project_files(ROOT)}
    for path, change in (changes or {}).items():
        if change is None:
            del content[path]
        else:
            content[path] = change(content.get(path, b"").decode()).encode()
    content[f"crivo-{version}.dist-info/METADATA"] = (
        f"Metadata-Version: 2.1\nName: crivo\nVersion: {version}\n".encode()
    )
    content[f"crivo-{version}.dist-info/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    content[f"crivo-{version}.dist-info/entry_points.txt"] = (
        b"[console_scripts]\ncrivo = crivo.cli:main\n"
    )
    return packed(content)


def replacing(old: str, new: str) -> Change:
    """Return a change of a text; it fails where there is nothing to change."""

    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return change


def adding(line: str) -> Change:
    """Return a change that appends to a text."""
    return lambda text: text + line
