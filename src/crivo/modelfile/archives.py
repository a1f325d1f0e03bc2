"""Reads zip archives within bounds: a small file must not fill the machine when it is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path

MB = 2**20
# What all members may unpack to: a model's arrays shrink to a half, rarely to a thirtieth.
MOST, TIMES = 64 * MB, 100
# Other ways of packing are unpacked at one go, however large the result.
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# What zipfile and zlib raise for an archive that is broken, locked or packed in another way.
UNREADABLE = (
    OSError, EOFError, LookupError, RuntimeError, ValueError, struct.error, zipfile.BadZipFile,
    zipfile.LargeZipFile, zlib.error,
)  # fmt: skip


class Archive:
    """A zip archive whose members are read within a bound, which grows with the file's own size.

    ValueError: it unpacks to more, is packed in another way, or has two members of one name.
    zipfile's and zlib's own errors pass: it is broken.
    """

    def __init__(self, source: bytes | Path) -> None:
        size = source.stat().st_size if isinstance(source, Path) else len(source)
        self._file = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        self.names = self._file.namelist()
        most = MOST + TIMES * size
        try:
            if len(set(self.names)) < len(self.names):
                raise ValueError("two of its members have the same name")
            if any(member.compress_type not in PACKINGS for member in self._file.infolist()):
                raise ValueError("a member of it is neither stored nor deflated")
            if sum(member.file_size for member in self._file.infolist()) > most:
                raise ValueError(f"it unpacks to more than {most // MB} MB")
        except ValueError:
            self._file.close()
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, name: str) -> bytes:
        """Return a member; KeyError when there is none of that name."""
        info = self._file.getinfo(name)
        with self._file.open(info) as member:  # no more than it says that it holds
            return member.read(info.file_size)


def read_members(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return those of the members that an archive has; errors are those of `Archive`."""
    with Archive(path) as archive:
        return {name: archive.read(name) for name in names if name in archive.names}
