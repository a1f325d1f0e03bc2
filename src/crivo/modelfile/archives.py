"""Reads and writes zip archives: equal contents give equal bytes, and no bomb is unpacked."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

MB = 2**20
# What all members may unpack to: a model's arrays shrink to a half, rarely to a thirtieth.
MOST, TIMES = 64 * MB, 100
# Other ways of packing are unpacked at one go, however large the result.
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_members(source: bytes | Path, names: Iterable[str]) -> dict[str, bytes]:
    """Return those of the members that a zip archive has, within a bound that grows with its size.

    ValueError: it unpacks to more, is packed in another way, or has two members of one name.
    zipfile's and zlib's own errors pass: it is broken.
    """
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    most = MOST + TIMES * size
    with zipfile.ZipFile(source if isinstance(source, Path) else io.BytesIO(source)) as archive:
        members = {member.filename: member for member in archive.infolist()}
        if len(members) < len(archive.infolist()):
            raise ValueError("two of its members have the same name")
        if any(member.compress_type not in PACKINGS for member in members.values()):
            raise ValueError("a member of it is neither stored nor deflated")
        if sum(member.file_size for member in members.values()) > most:
            raise ValueError(f"it unpacks to more than {most // MB} MB")
        # No more is read of a member than it says that it holds.
        return {
            name: archive.open(members[name]).read(members[name].file_size)
            for name in names
            if name in members
        }


def write_member(file: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Write a member that carries no time and no system, so that bytes are equal."""
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
    file.writestr(info, data, compresslevel=1)
