"""Wheels of crivo for tests: the library as it stands here, and versions of it with changes."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from crivo.project.wheel import FILES, Wheel, project_files

ROOT = Path(__file__).parents[3]
Change = Callable[[str], str]


def wheel_of(version: str, changes: Mapping[str, Change | None] | None = None) -> Wheel:
    """Return a wheel as `make wheel` packs it, with little metadata.

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
    content[f"crivo-{version}.dist-info/METADATA"] = f"Name: crivo\nVersion: {version}\n".encode()
    return packed(content)


def adding(line: str) -> Change:
    """Return a change that appends to a text."""
    return lambda text: text + line


def packed(files: Mapping[str, bytes]) -> Wheel:
    """Return the wheel that holds these files, by their paths in it; the same bytes each time."""
    (info,) = {PurePosixPath(path).parts[0] for path in files if ".dist-info/" in path}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as file:
        for path, data in sorted(files.items()):
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            file.writestr(entry, data)
    return Wheel(f"{info.removesuffix('.dist-info')}-py3-none-any.whl", buffer.getvalue())
