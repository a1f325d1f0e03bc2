"""Unpacks a wheel of crivo for `crivo upgrade`, and has it write the files of a new project.

Each version says itself what a project's files are: its wheel is unpacked, and its own code is
run with nothing installed. What this version knows about its files needn't hold for others.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

from crivo.core.errors import CrivoError
from crivo.project.wheel import Wheel
from crivo.runtime.environment import locked_packages

# A wheel of crivo has 2 MB.
MOST_UNPACKED = 100 * 2**20
# -I and -S: no variable, no folder and no installed package has a say.
WRITING = (
    "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); "
    "runpy.run_module('crivo.project.contents', run_name='__main__')"
)


class Release(NamedTuple):
    """The folder of an unpacked library's package, a work tree, and the project's place in it."""

    library: Path
    tree: Path
    files: Path


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
            f"{path} has the SHA-256 {wheel.sha256}, and {sha256} was asked for: it isn't that "
            "wheel, and nothing of it was run."
        )
    return wheel


def pinned_wheel(project: Path) -> Wheel:
    """Return the wheel that the project's lock pins.

    CrivoError: it pins none, or the file is missing or another one.
    """
    lock = project / "requirements.txt"
    pins = locked_packages(lock) if lock.is_file() else ()
    pinned = next((pin for pin in pins if pin.name == "crivo" and pin.wheel), None)
    if pinned is None:
        raise CrivoError(
            "requirements.txt names no wheel of crivo; expected a project that `crivo start` made. "
            "A clone of crivo's own repository is renewed by `git pull`."
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
            members = [one for one in file.infolist() if one.filename.startswith("crivo/")]
            if sum(one.file_size for one in members) > MOST_UNPACKED:
                raise CrivoError(
                    f"{wheel.name} unpacks to more than {MOST_UNPACKED // 2**20} MB, more than any "
                    "wheel of crivo; download it again."
                )
            file.extractall(source, members)
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
