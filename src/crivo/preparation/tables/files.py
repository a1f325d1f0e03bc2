"""Reads a table as somebody wrote it: CSV in any common dialect, Parquet or Excel.

Cells of a CSV file stay text, just as they are written. What they mean is another question,
see `columns`. Parquet files whose rows may not fit in memory are read column by column.
"""

from __future__ import annotations

import csv
import logging
import lzma
import re
import zipfile
import zlib
from collections.abc import Container
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.stored_table import StoredTable, is_large
from crivo.preparation.tables.cells import CONTROL
from crivo.preparation.tables.text import GUESSED, OPENERS, Form, numbered_columns, read_text

log = logging.getLogger("crivo.table")

TEXT = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm")
# How files of Excel, of an old one and of Parquet begin.
ZIP, OLD_EXCEL, PARQUET_MARK = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1"

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
    """Return one file's rows, columns with clean and different names.

    What is in the file decides how it is read, whatever it is called.
    """
    try:
        kind, named = content_of(path), kind_of(path)
        if kind == "text" and named in ("excel", "parquet"):
            raise CrivoError(
                f"{path.name} isn't the {named} file that its name suggests; rename or repair it."
            )
        if kind != named:
            log.warning("%s isn't a file of the kind %s; it is read as %s", path.name, named, kind)
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


def large_parquet(folder: Path, pattern: str | None = None) -> StoredTable | None:
    """Return the columns of a folder of Parquet files if they are many cells; None for others.

    They must have one form: the same columns of the same types, and names that stay as they are.
    Files of several forms are put together in memory.
    """
    paths = table_files(folder, pattern)
    if any(path.suffix.lower() not in PARQUET or content_of(path) != "parquet" for path in paths):
        return None
    import pyarrow as pa
    from pyarrow.parquet import read_schema

    try:
        first, *others = (read_schema(path) for path in paths)
        table = StoredTable(paths)
    except (OSError, pa.ArrowException):
        return None  # what reads them in memory says what is wrong
    indices = (first.pandas_metadata or {}).get("index_columns", [])
    one_form = all(other.equals(first) for other in others)
    if not one_form or any(isinstance(index, str) for index in indices):
        return None
    names = list(table)
    clean = clean_names(pd.DataFrame(columns=names)).columns.tolist()
    return table if clean == names and is_large(len(table), len(names)) else None


def content_of(path: Path) -> str:
    """Return `excel`, `parquet` or `text` by what is in the file.

    CrivoError: it is an Excel file of a form that nothing here reads.
    """
    with path.open("rb") as file:
        head = file.read(8)
    if head == OLD_EXCEL:
        raise CrivoError(
            f"{path.name} is an old Excel workbook (.xls) or has a password; save it as .xlsx or "
            "as CSV."
        )
    if head.startswith(PARQUET_MARK):
        return "parquet"
    return "excel" if head.startswith(ZIP) and _is_workbook(path) else "text"


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


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False
