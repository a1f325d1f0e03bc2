"""A wheel of crivo, of any version, and the files that a project started with it has.

Each version says itself what a project's files are: its wheel is unpacked, and its own code is
run with nothing installed. What this version knows about its files needn't hold for others.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from crivo.core.errors import CrivoError
from crivo.project.wheel import Wheel

# -I and -S: no variable, no folder and no installed package has a say.
WRITING = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('crivo.project.contents', run_name='__main__')"
)


@dataclass(frozen=True)
class Release:
    """A wheel, its library below `root` as `src/crivo`, and a new project's files by path."""

    wheel: Wheel
    root: Path
    files: dict[str, bytes]


def read_wheel(path: Path) -> Wheel:
    """Return the wheel in a file; CrivoError when there is none, or it isn't crivo's."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CrivoError(f"{path} can't be read: {error.strerror}.") from None
    fits = path.name.startswith("crivo-") and path.name.count("-") >= 4
    if not (fits and path.suffix == ".whl" and zipfile.is_zipfile(io.BytesIO(content))):
        raise CrivoError(
            f"{path} is not a wheel of crivo; expected crivo-VERSION-py3-none-any.whl."
        )
    return Wheel(path.name, content)


def read_release(wheel: Wheel, title: str, folder: Path) -> Release:
    """Unpack a wheel below a folder; return it with the files of a project of that title.

    CrivoError: it is damaged, or came without the files of a project.
    """
    packed, root, files = folder / wheel.name, folder / "library", folder / "files"
    packed.parent.mkdir(parents=True)
    packed.write_bytes(wheel.content)
    try:
        with zipfile.ZipFile(packed) as file:
            names = [name for name in file.namelist() if _is_library(name)]
            file.extractall(root / "src", names)
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise CrivoError(f"{wheel.name} can't be unpacked: {error}.") from None
    words = [str(root / "src"), title, str(packed), str(files)]
    command = [sys.executable, "-I", "-S", "-c", WRITING, *words]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise CrivoError(f"{wheel.name} can't say which files a project has: {last}")
    project_files = {
        path.relative_to(files).as_posix(): path.read_bytes()
        for path in files.rglob("*")
        if path.is_file()
    }
    return Release(wheel, root, project_files)


def _is_library(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return parts[:1] == ("crivo",) and ".." not in parts and not name.endswith("/")
