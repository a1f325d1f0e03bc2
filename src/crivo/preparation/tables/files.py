"""Reads table files into text cells: CSV in any common dialect, Parquet or Excel.

Cells of a CSV file stay text, just as they are written; `columns` gives them types.
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
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.preparation.tables.cells import CONTROL

TEXT = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm")
UNNAMED = r"unnamed_\d+"
UNREADABLE = (
    OSError, EOFError, ValueError, LookupError, csv.Error, zlib.error, lzma.LZMAError,
    zipfile.BadZipFile,
)  # fmt: skip


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

DELIMITERS = (",", ";", "\t", "|")
NO_CUT = (0.0, 1)

# A byte-order mark decides; otherwise UTF-8 unless some byte can't be that.
MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
ENCODINGS = ("utf-8", "cp1252", "latin-1")
HEAD = 256 * 1024


def read_tables(folder: Path, pattern: str | None = None, form: Form = GUESSED) -> pd.DataFrame:
    """Return the rows of all the folder's files, in the order of their names.

    `pattern` chooses files (`*.csv`). CrivoError: there is no file, one can't be read, or their
    columns differ.
    """
    tables: list[pd.DataFrame] = []
    paths = table_files(folder, pattern)
    for path in paths:
        table = read_table_file(path, form)
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
        raise CrivoError(
            f"There is no folder {folder}; add a file with `crivo start . --data FILE`."
        )
    try:
        everything = list(folder.rglob(pattern or "*"))
    except (ValueError, NotImplementedError) as error:
        raise CrivoError(
            f"datasets.table.files is {pattern!r}, which isn't a pattern of file names ({error}); "
            "write one such as '*.csv'."
        ) from None
    files = sorted(
        path for path in everything if path.is_file() and not path.name.startswith((".", "_"))
    )
    if not files:
        what = f"no file named {pattern!r}" if pattern else "no file"
        raise CrivoError(f"{folder} holds {what}; add one with `crivo start . --data FILE`.")
    for path in files:
        if kind_of(path) is None:
            raise CrivoError(
                f"{path} isn't a table that can be read (these can: "
                f"{', '.join(TEXT + PARQUET + EXCEL)}, "
                f"text also with {', '.join(OPENERS)} or without an ending); rename it, or choose "
                "files with datasets.table.files."
            )
    return files


def kind_of(path: Path) -> str | None:
    """Return `text`, `parquet` or `excel` by the file's ending, or None; without one it is text.

    >>> kind_of(Path("rows.csv.gz")), kind_of(Path("rows")), kind_of(Path("README.md"))
    ('text', 'text', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in OPENERS:
        suffixes.pop()
        return "text" if not suffixes or suffixes[-1] in TEXT else None
    if not suffixes:
        return "text"
    kinds = {"text": TEXT, "parquet": PARQUET, "excel": EXCEL}
    return next((kind for kind, ends in kinds.items() if suffixes[-1] in ends), None)


def read_table_file(path: Path, form: Form = GUESSED) -> pd.DataFrame:
    """Return one file's rows, columns with clean and different names; its ending says its kind."""
    kind = kind_of(path) or "text"
    try:
        if kind == "excel":
            table = read_excel(path, form)
        elif kind == "parquet":
            table = pd.read_parquet(path)
            table = table.reset_index(drop=not any(name is not None for name in table.index.names))
        else:
            table = read_text(path, form)
    except pd.errors.EmptyDataError:
        raise CrivoError(f"{path.name} is empty; bring a file with a header and rows.") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split())
        advice = "fix the file or its ending"
        if kind == "excel":  # perhaps an old workbook
            advice += ", or save it as .xlsx or CSV without a password"
        elif kind == "text":
            advice += ", or give datasets.table.delimiter or encoding if the guess was wrong"
        raise CrivoError(f"{path.name} can't be read as {kind} ({reason}); {advice}.") from None
    return clean_names(table)


def clean_names(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with stripped, non-empty names, each of them once.

    >>> clean_names(pd.DataFrame([[1, 2, 3]], columns=[" a ", "a", ""])).columns.tolist()
    ['a', 'a.1', 'unnamed_3']
    """
    names: list[str] = []
    for i, given in enumerate(table.columns):
        name = " ".join(CONTROL.sub(" ", str(given)).removeprefix("\ufeff").split())
        if not name or name.startswith("Unnamed: "):
            name = f"unnamed_{i + 1}"
        base, count = name, 0
        while name in names:
            count += 1
            name = f"{base}.{count}"
        names.append(name)
    return table.set_axis(names, axis="columns")


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


def read_excel(path: Path, form: Form) -> pd.DataFrame:
    """Return one sheet's rows as text; the only one, or the one that is named.

    CrivoError: there are several and none is named, there is no such sheet, or the package that
    reads them isn't installed.
    """
    if find_spec("openpyxl") is None:
        raise CrivoError(
            f"{path.name} is an Excel file, which needs the package openpyxl: `make extras` adds "
            "it; or save the sheet as CSV."
        )
    with pd.ExcelFile(path, engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        if form.sheet is not None and form.sheet not in names:
            raise CrivoError(
                f"datasets.table.sheet is {form.sheet!r}, and {path.name} has no such sheet (there "
                f"are: {', '.join(names)})."
            )
        if form.sheet is None and len(names) > 1:
            raise CrivoError(
                f"{path.name} has several sheets ({', '.join(names)}); choose one with "
                "datasets.table.sheet, or `crivo start --sheet`."
            )
        header = 0 if form.header else None
        table = pd.read_excel(book, sheet_name=form.sheet or names[0], header=header)
    return table if form.header else numbered_columns(table)


def opened(path: Path) -> Any:
    """Open a text file for reading, decompressed as its name says."""
    return OPENERS.get(path.suffix.lower(), partial(open, mode="rb"))(path)


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
