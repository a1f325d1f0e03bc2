"""Reads table files into text cells: CSV in any common dialect, Parquet or Excel.

Cells of a CSV file stay text, just as they are written; `columns` gives them types.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import logging
import lzma
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.wording import a_few

log = logging.getLogger(__name__)

DELIMITERS = (",", ";", "\t", "|")
PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# Lines of so many bytes tell how a file is written.
HEAD = 64 * 1024


@dataclass(frozen=True)
class Form:
    """How a file is written; None for what is found out.

    `header`: whether the first line names the columns; `sheet`: which one of several in Excel;
    `raw`: whether settings can say all this, as for the raw data but not for rows to be scored.
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool = True
    sheet: str | None = None
    raw: bool = False


def read_tables(folder: Path, pattern: str | None = None, form: Form = Form()) -> pd.DataFrame:
    """Return the rows of all the folder's files, in the order of their names.

    `pattern` chooses files (`*.csv`). CrivoError: there is no file, none has rows, one can't be
    read, or their columns differ.
    """
    paths = table_files(folder, pattern)
    tables = [read_table_file(path, replace(form, raw=True)) for path in paths]
    if not any(map(len, tables)):
        raise CrivoError(f"{a_few((one.name for one in paths), 9)}: no rows; add a file with some.")
    for path, table in zip(paths, tables, strict=True):
        gone = [str(name) for name in tables[0] if name not in table]
        new = [str(name) for name in table if name not in tables[0]]
        if gone or new:
            lacking, other = (path, paths[0]) if gone else (paths[0], path)
            instead = f", and has {a_few(new, 9)} instead" if gone and new else ""
            many = "s" * (len(gone or new) > 1)
            raise CrivoError(
                f"{lacking.name} lacks the column{many} {a_few(gone or new, 9)}, which "
                f"{other.name} has{instead}. Give all files the same columns (a column "
                "may be empty), or choose files with datasets.table.files, such as '*.csv'."
            )
    return tables[0] if len(tables) == 1 else pd.concat(tables, ignore_index=True)


def table_files(folder: Path, pattern: str | None = None) -> list[Path]:
    """Return the files of a folder by name, all or those of a pattern; CrivoError for none."""
    files = sorted(
        path
        for path in folder.rglob("*")  # with `*/`, because `.` alone would be no pattern
        if path.is_file() and path.match(f"*/{pattern or '*'}") and path.name[0] not in "._"
    )
    if not files:
        what = f"no file named {pattern!r}" if pattern else "no file"
        raise CrivoError(f"{folder} holds {what}; add one with `crivo start . --data FILE`.")
    return files


def read_table_file(path: Path, form: Form = Form()) -> pd.DataFrame:
    """Return one file's rows; the ending says its kind. A column without a name is left out.

    CrivoError: the file can't be read, or two columns have the same name.
    """
    read = READERS.get(path.suffix.lower(), _read_text)
    try:
        table = read(path, form)
    except Exception as error:  # each library has errors of its own
        settings = " set datasets.table.delimiter and encoding," if form.raw else ""
        raise CrivoError(
            f"{path.name} can't be read ({' '.join(str(error).split())}); fix the file or its "
            f"extension,{settings} or save it as CSV (or, if `make extras` adds openpyxl, as "
            ".xlsx)."
        ) from None
    if not form.header and read is not _read_parquet:
        return table.set_axis([f"column_{i + 1}" for i in range(table.shape[1])], axis="columns")
    names = pd.Index(map(str, table)).str.replace(r"[\s\x00-\x1f\x7f]+", " ", regex=True)
    table.columns = names.str.strip()
    named = ~table.columns.str.fullmatch(r"|Unnamed: \d+(\.\d+)?")
    if not named.all():  # as `to_csv` leaves behind: numbers or names of the rows
        log.warning("%s: columns without a name are left out (%d)", path.name, sum(~named))
    table = table.loc[:, named]
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise CrivoError(f"{path.name} has two columns {twice[0]!r}; rename one in the file.")
    return table


def _read_parquet(path: Path, form: Form) -> pd.DataFrame:
    table = pd.read_parquet(path)
    return table.reset_index(drop=not any(name is not None for name in table.index.names))


def _read_excel(path: Path, form: Form) -> pd.DataFrame:
    with pd.ExcelFile(path, engine="openpyxl") as book:
        sheets = book.sheet_names
        if len(sheets) > 1 and form.sheet not in sheets:
            setting = "choose one with datasets.table.sheet, or `crivo start --sheet`"
            expected = f"expected one sheet{f', or the sheet {form.sheet}' if form.sheet else ''}"
            raise ValueError(
                f"it has the sheets {', '.join(map(str, sheets))}; "
                f"{setting if form.raw else expected}"
            )
        return pd.read_excel(book, sheet_name=form.sheet or 0, header=0 if form.header else None)


def guess_delimiter(head: str) -> str:
    """Return the delimiter that cuts the first lines into equally many, and most, fields.

    >>> guess_delimiter("name;price\\nbread, white;1,20\\n")
    ';'
    """
    found = {}
    for delimiter in DELIMITERS:
        lines = io.StringIO(head, newline=None)
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        if widths and widths[0] > 1:
            found[delimiter] = (widths.count(widths[0]) / len(widths), widths[0])
    if found:
        return max(found, key=lambda delimiter: found[delimiter])
    words = {len(line.split()) for line in head.splitlines() if line.strip()}
    return r"\s+" if len(words) == 1 and words != {1} else ","


def _read_text(path: Path, form: Form) -> pd.DataFrame:
    """Return the cells of a text file; ValueError or UnicodeDecodeError when it can't be read."""
    with _opened(path) as file:
        head = b"".join(file.readlines(HEAD))
        if not head.strip():
            raise ValueError("it is empty")
        if form.encoding or head[:2] in (b"\xff\xfe", b"\xfe\xff"):  # files in UTF-16 begin so
            return _parse(file, form, head, form.encoding or "utf-16")
        if b"\x00" in head:
            raise ValueError("it holds bytes that aren't text; save it as CSV, Parquet or .xlsx")
        try:
            return _parse(file, form, head, "utf-8-sig")
        except UnicodeDecodeError:
            setting = " (datasets.table.encoding)" if form.raw else ""
            log.warning("%s isn't UTF-8 and is read as cp1252%s.", path.name, setting)
            return _parse(file, form, head, "cp1252")


def _opened(path: Path) -> IO[bytes]:
    """Open a file that may be compressed; ValueError when an archive holds none or several."""
    if path.suffix.lower() != ".zip":
        opened: IO[bytes] = PACKED.get(path.suffix.lower(), open)(path, "rb")
        return opened
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.endswith("/")]
    if len(names) != 1:
        raise ValueError(f"the archive holds {len(names)} files, not one")
    return archive.open(names[0])


def _parse(file: IO[bytes], form: Form, head: bytes, encoding: str) -> pd.DataFrame:
    """Return all cells as text; an empty cell is an empty text."""
    file.seek(0)
    table = pd.read_csv(
        file,
        sep=form.delimiter or guess_delimiter(head.decode(encoding, errors="replace")),
        encoding=encoding,
        dtype="str",
        keep_default_na=False,
        skipinitialspace=True,  # else a quoted cell after ", " keeps its quotes
        header=0 if form.header else None,
    )
    if isinstance(table.index, pd.RangeIndex):
        return table
    # Lines are longer than the header: they end with a delimiter, or R left the row names unnamed.
    extra = table.index.nlevels
    if (table.iloc[:, -extra:].fillna("") == "").all(axis=None):
        return table.reset_index().iloc[:, :-extra].set_axis(table.columns, axis="columns")
    return table.reset_index().set_axis([""] * extra + [*table.columns], axis="columns")


# Any other file is text.
READERS = {
    ".parquet": _read_parquet, ".pq": _read_parquet, ".xlsx": _read_excel, ".xlsm": _read_excel,
}  # fmt: skip
