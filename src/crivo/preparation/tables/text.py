"""Reads text files of any common dialect; each cell stays text, just as it is written."""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pandas as pd


@dataclass(frozen=True)
class Form:
    """How a file is written; None for what is found out.

    `header`: whether the first line names the columns; `sheet`: which one of several in Excel.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | None = None


GUESSED = Form()


def _only_member(path: Path) -> IO[bytes]:
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if len(names) != 1:
        raise ValueError(f"the archive holds {len(names)} files, not one")
    return archive.open(names[0])


OPENERS: dict[str, Callable[[Path], Any]] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _only_member,
}

# The first bytes of such a file; without one of these, the name says how it is compressed.
STARTS = ((b"\x1f\x8b", ".gz"), (b"BZh", ".bz2"), (b"\xfd7zXZ\x00", ".xz"), (b"PK\x03\x04", ".zip"))

DELIMITERS = (",", ";", "\t", "|")
NO_CUT = (0.0, 1)

# A byte-order mark decides; otherwise UTF-8 unless some byte can't be that.
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
ENCODINGS = ("utf-8", "cp1252", "latin-1")
HEAD = 256 * 1024


def opened(path: Path) -> Any:
    """Open a text file for reading, decompressed by what its first bytes say, or its name."""
    with path.open("rb") as file:
        start = file.read(8)
    packed = next((name for mark, name in STARTS if start.startswith(mark)), path.suffix.lower())
    return OPENERS[packed](path) if packed in OPENERS else path.open("rb")


def guess_encoding(head: bytes) -> str:
    """Return the encoding that the first bytes of a file speak for."""
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # the last character may be cut
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def guess_delimiter(head: str) -> str:
    """Return the delimiter that cuts the first lines into equally many, and most, fields.

    >>> guess_delimiter("name;price\\nbread, white;1,20\\n")
    ';'
    """
    best, most = ",", NO_CUT
    for delimiter in DELIMITERS:
        widths = [len(row) for row in csv.reader(io.StringIO(head), delimiter=delimiter) if row]
        if not widths or widths[0] == 1:
            continue
        alike = sum(width == widths[0] for width in widths) / len(widths)
        if (alike, widths[0]) > most:
            best, most = delimiter, (alike, widths[0])
    words = {len(line.split()) for line in head.splitlines() if line.strip()}
    if most == NO_CUT and len(words) == 1 and words != {1}:
        return r"\s+"
    return best


def read_text(path: Path, form: Form) -> pd.DataFrame:
    """Return the cells of a text file; ValueError or UnicodeDecodeError when it can't be read."""
    with opened(path) as file:
        head = file.read(HEAD)
    guess = form.encoding or guess_encoding(head)
    if form.encoding is None and guess == "cp1252" and b"\x00" in head:
        raise ValueError("it holds bytes that aren't text")
    for name in [guess] if form.encoding else dict.fromkeys([guess, *ENCODINGS]):
        lines = head.decode(name, errors="replace").splitlines(keepends=True)
        # The last line may be cut; few lines are enough to tell.
        first = "".join(lines[:200] if len(lines) < 2 else lines[:-1][:200])
        cut = form.delimiter or guess_delimiter(first)
        try:
            with opened(path) as file:
                return _parse(file, cut, name, form.header)
        except UnicodeDecodeError as error:
            failure = error
    raise failure


def numbered_columns(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose file names no columns with names."""
    return table.set_axis([f"column_{i + 1}" for i in range(table.shape[1])], axis="columns")


def _parse(file: IO[bytes], delimiter: str, encoding: str, header: bool) -> pd.DataFrame:
    """Return all cells as text; an empty cell is an empty text."""
    options: dict[str, Any] = {
        "sep": delimiter,
        "encoding": encoding,
        "dtype": "str",
        "keep_default_na": False,
        "skipinitialspace": True,  # else a quoted cell after ", " keeps its quotes
        "header": 0 if header else None,
    }
    table = pd.read_csv(file, **options)
    if isinstance(table.index, pd.RangeIndex):
        if header:
            return table
        return numbered_columns(table)
    # Lines are longer than the header: they end with a delimiter, or R left the row names unnamed.
    names, extra = list(table.columns), table.index.nlevels
    if (table.iloc[:, -extra:].fillna("") == "").all(axis=None):
        return table.reset_index().iloc[:, :-extra].set_axis(names, axis="columns")
    return table.reset_index().set_axis([""] * extra + names, axis="columns")
