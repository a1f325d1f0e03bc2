"""Reads zip archives within bounds: a small file must not fill the machine when it is unpacked."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterable
from functools import lru_cache
from math import prod
from pathlib import Path

MB = 2**20
# What all members may unpack to: a model's arrays shrink to a half, rarely to a thirtieth.
MOST, TIMES = 64 * MB, 100
# What a description in JSON may unpack to. It takes 20 times the place once it is read.
MAX_TEXT, TIMES_TEXT = 16 * MB, 40
# How much is unpacked at once.
CHUNK = MB
# Other ways of packing are unpacked at one go, however large the result.
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
DIMENSION = 2**31
# What zipfile and zlib raise for an archive that is broken, locked or packed in another way.
UNREADABLE = (
    OSError, EOFError, LookupError, RuntimeError, ValueError, struct.error, zipfile.BadZipFile,
    zipfile.LargeZipFile, zlib.error,
)  # fmt: skip


class Archive:
    """A zip archive whose members are read within bounds, which grow with the file's own size.

    ValueError: it unpacks to more, is packed in another way, or has two members of one name.
    zipfile's and zlib's own errors pass: it is broken.
    """

    def __init__(self, source: bytes | Path) -> None:
        self._size = source.stat().st_size if isinstance(source, Path) else len(source)
        self._file = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        self.names = self._file.namelist()
        self._left = MOST + TIMES * self._size
        if len(set(self.names)) < len(self.names):
            self._file.close()
            raise ValueError("two of its members have the same name")

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def text(self, name: str) -> bytes:
        """Return a member that is JSON; KeyError when there is none of that name."""
        return self._read(name, min(self._left, MAX_TEXT + TIMES_TEXT * self._size))

    def read(self, name: str) -> bytes:
        """Return a member; what is read twice counts twice."""
        return self._read(name, self._left)

    def _read(self, name: str, most: int) -> bytes:
        info = self._file.getinfo(name)
        if info.compress_type not in PACKINGS:
            raise ValueError(f"{name} is neither stored nor deflated")
        parts, size = [], 0
        with self._file.open(info) as member:
            while part := member.read(CHUNK):
                size += len(part)
                if size > most:
                    raise ValueError(f"{name} unpacks to more than {most // MB} MB")
                parts.append(part)
        self._left -= size
        return b"".join(parts)


def read_members(path: Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return those of the members that an archive has; errors are those of `Archive`."""
    with Archive(path) as archive:
        return {name: archive.read(name) for name in names if name in archive.names}


def check_array(data: bytes, name: str) -> None:
    """Raise ValueError unless an npy file holds just the numbers that its header promises.

    numpy makes room for the header's shape before it looks for the numbers.
    """
    import numpy as np

    start = len(np.lib.format.MAGIC_PREFIX) + 2
    width = 2 if data[:start] == np.lib.format.magic(1, 0) else 4
    end = start + width + int.from_bytes(data[start : start + width], "little")
    if _size(data[:end]) != len(data) - end:
        raise ValueError(f"{name} isn't an array of the size that it promises")


@lru_cache(maxsize=1024)
def _size(header: bytes) -> int:
    """Return how many bytes of numbers an npy header promises."""
    import numpy as np

    stream = io.BytesIO(header)
    readers = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    version = np.lib.format.read_magic(stream)
    if version not in readers:
        raise ValueError(f"an array is in version {version} of the npy format")
    shape, _, dtype = readers[version](stream)
    count = prod(shape)
    if dtype.hasobject or not all(0 <= size < DIMENSION for size in shape):
        raise ValueError(f"an array of {dtype} has the shape {shape}")
    if count and not dtype.itemsize:
        raise ValueError(f"{count} elements of an array take no place")
    return count * dtype.itemsize
