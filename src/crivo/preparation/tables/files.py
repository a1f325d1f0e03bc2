"""Reads a table as somebody wrote it: CSV in any common dialect, or Parquet; one file or several.

Cells of a CSV file stay text, just as they are written. What they mean is another question,
see `columns`.
"""

from __future__ import annotations

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Container
from pathlib import Path
from typing import IO, Any

import pandas as pd

from crivo.core.errors import CrivoError

TEXT = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat")
PARQUET = (".parquet", ".pq")


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

DELIMITERS = (",", ";", "\t", "|")
NO_CUT = (0.0, 1)
UNNAMED = r"unnamed_\d+"
UNREADABLE = (
    OSError,
    EOFError,
    ValueError,
    LookupError,
    csv.Error,
    zlib.error,
    lzma.LZMAError,
    zipfile.BadZipFile,
)

# A byte-order mark decides; otherwise UTF-8 unless some byte can't be that.
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
ENCODINGS = ("utf-8", "cp1252", "latin-1")
HEAD = 256 * 1024


def read_tables(
    folder: Path,
    pattern: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
) -> pd.DataFrame:
    """Return the rows of all the folder's files, in the order of their names.

    `pattern` chooses files (`*.csv`); `delimiter` and `encoding` are guessed when left out.
    CrivoError: there is no file, one can't be read, or their columns differ.
    """
    tables: list[pd.DataFrame] = []
    paths = table_files(folder, pattern)
    for path in paths:
        table = read_table_file(path, delimiter=delimiter, encoding=encoding, header=header)
        if tables and set(table.columns) != set(tables[0].columns):
            other = sorted(set(table.columns) ^ set(tables[0].columns))
            raise CrivoError(
                f"{paths[0].name} and {path.name} don't have the same columns ({', '.join(other)} "
                "in just one of them); choose files with datasets.table.files, such as '*.csv'."
            )
        tables.append(table[tables[0].columns] if tables else table)
    return tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)


def table_files(folder: Path, pattern: str | None = None) -> list[Path]:
    """Return the table files of a folder by name; CrivoError when there is none.

    Without a pattern every file counts, and one of unknown kind is an error.
    """
    if not folder.is_dir():
        raise CrivoError(f"There is no folder {folder}; bring a file by `crivo init FILE`.")
    try:
        everything = list(folder.rglob(pattern or "*"))
    except (ValueError, NotImplementedError) as error:
        raise CrivoError(
            f"datasets.table.files is {pattern!r}, which is no pattern of file names ({error}); "
            "write one such as '*.csv'."
        ) from None
    files = sorted(
        path for path in everything if path.is_file() and not path.name.startswith((".", "_"))
    )
    if not files:
        what = f"no file named {pattern!r}" if pattern else "no file"
        raise CrivoError(f"{folder} holds {what}; bring one by `crivo init FILE`.")
    for path in files:
        if kind_of(path) is None:
            raise CrivoError(
                f"{path} is no table that can be read (these can: {', '.join(TEXT + PARQUET)}, "
                f"text also with {', '.join(OPENERS)}); rename it, or choose files with "
                "datasets.table.files."
            )
    return files


def kind_of(path: Path) -> str | None:
    """Return `text` or `parquet` by the file's ending, or None.

    >>> kind_of(Path("rows.csv.gz")), kind_of(Path("README.md"))
    ('text', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in OPENERS:
        suffixes.pop()
        return "text" if not suffixes or suffixes[-1] in TEXT else None
    if not suffixes:
        return None
    return "text" if suffixes[-1] in TEXT else "parquet" if suffixes[-1] in PARQUET else None


def read_table_file(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
) -> pd.DataFrame:
    """Return one file's rows, columns with clean and different names."""
    try:
        if kind_of(path) == "parquet":
            table = _named_index(pd.read_parquet(path))
        else:
            table = _read_text(path, delimiter, encoding, header)
    except pd.errors.EmptyDataError:
        raise CrivoError(f"{path.name} is empty; bring a file with a header and rows.") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split())
        raise CrivoError(
            f"{path.name} can't be read ({reason}); fix the file, or give "
            "datasets.table.delimiter or encoding if the guess was wrong."
        ) from None
    return clean_names(table)


def clean_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with stripped, non-empty names, each of them once.

    >>> clean_names(pd.DataFrame([[1, 2, 3]], columns=[" a ", "a", ""])).columns.tolist()
    ['a', 'a.1', 'unnamed_3']
    """
    names: list[str] = []
    for i, given in enumerate(table.columns):
        name = str(given).strip().removeprefix("\ufeff")
        if not name or name.startswith("Unnamed: "):
            name = f"unnamed_{i + 1}"
        base, count = name, 0
        while name in names:
            count += 1
            name = f"{base}.{count}"
        names.append(name)
    return table.set_axis(names, axis="columns")


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


def _read_text(
    path: Path, delimiter: str | None, encoding: str | None, header: bool
) -> pd.DataFrame:
    opener = OPENERS.get(path.suffix.lower(), lambda path: path.open("rb"))
    with opener(path) as file:
        head = file.read(HEAD)
    guess = encoding or guess_encoding(head)
    for name in [guess] if encoding else dict.fromkeys([guess, *ENCODINGS]):
        lines = head.decode(name, errors="replace").splitlines(keepends=True)
        # The last line may be cut; few lines are enough to tell.
        first = "".join(lines[:200] if len(lines) < 2 else lines[:-1][:200])
        try:
            with opener(path) as file:
                return _parse(file, delimiter or guess_delimiter(first), name, header)
        except UnicodeDecodeError as error:
            failure = error
    raise failure


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
        return table.set_axis([f"column_{i + 1}" for i in range(table.shape[1])], axis="columns")
    # Lines are longer than the header: they end with a delimiter, or R left the row names unnamed.
    names, extra = list(table.columns), table.index.nlevels
    if (table.iloc[:, -extra:].fillna("") == "").all(axis=None):
        return table.reset_index().iloc[:, :-extra].set_axis(names, axis="columns")
    return table.reset_index().set_axis([""] * extra + names, axis="columns")


def _named_index(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index, where it says anything, has become columns."""
    if any(name is not None for name in table.index.names):
        return table.reset_index()
    return table.reset_index(drop=True)


def row_numbers(table: pd.DataFrame, keep: Container[str] = ()) -> list[str]:
    """Return the unnamed columns that just number the rows, as `to_csv` leaves behind.

    >>> row_numbers(pd.DataFrame({"unnamed_1": ["0", "1"], "a": ["x", "y"]}))
    ['unnamed_1']
    """
    unnamed = [str(n) for n in table.columns if re.fullmatch(UNNAMED, str(n)) and n not in keep]
    return [
        name
        for name in unnamed
        if table[name].is_unique and table[name].astype("str").str.fullmatch(r"\d+").all()
    ]
