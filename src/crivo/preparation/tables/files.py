"""Reads a table as somebody wrote it: CSV in any common dialect, or Parquet; one file or several.

Cells of a CSV file stay text, just as they are written. What they mean is another question,
see `columns`.
"""

from __future__ import annotations

import csv
import logging
import lzma
import re
import zipfile
import zlib
from collections.abc import Container
from pathlib import Path

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.preparation.tables.cells import CONTROL
from crivo.preparation.tables.excel import content_of, read_excel
from crivo.preparation.tables.text import OPENERS, read_text

log = logging.getLogger("crivo.table")

TEXT = (".csv", ".tsv", ".txt", ".data", ".tab", ".dat")
PARQUET = (".parquet", ".pq")
EXCEL = (".xlsx", ".xlsm")


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


def read_tables(
    folder: Path,
    pattern: str | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    sheet: str | None = None,
) -> pd.DataFrame:
    """Return the rows of all the folder's files, in the order of their names.

    `pattern` chooses files (`*.csv`); `delimiter` and `encoding` are guessed when left out;
    `sheet` names the sheet of Excel files that have several.
    CrivoError: there is no file, one can't be read, or their columns differ.
    """
    tables: list[pd.DataFrame] = []
    paths = table_files(folder, pattern)
    for path in paths:
        table = read_table_file(
            path, delimiter=delimiter, encoding=encoding, header=header, sheet=sheet
        )
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
            f"There is no folder {folder}; bring a file by `crivo start . --data FILE`."
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
        raise CrivoError(f"{folder} holds {what}; bring one by `crivo start . --data FILE`.")
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


def read_table_file(
    path: Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool = True,
    sheet: str | None = None,
) -> pd.DataFrame:
    """Return one file's rows, columns with clean and different names.

    What is in the file decides how it is read, whatever it is called.
    """
    try:
        kind = _kind(path)
        if kind == "excel":
            table = read_excel(path, header, sheet)
        elif kind == "parquet":
            table = _named_index(pd.read_parquet(path))
        else:
            table = read_text(path, delimiter, encoding, header)
    except pd.errors.EmptyDataError:
        raise CrivoError(f"{path.name} is empty; bring a file with a header and rows.") from None
    except UNREADABLE as error:
        reason = " ".join(str(error).split())
        raise CrivoError(
            f"{path.name} can't be read ({reason}); fix the file, or give "
            "datasets.table.delimiter or encoding if the guess was wrong."
        ) from None
    return clean_names(table)


def _kind(path: Path) -> str:
    """Return how to read a file: by what is in it, whatever it is called."""
    kind, named = content_of(path), kind_of(path)
    if named == "excel" and kind == "text":
        raise CrivoError(
            f"{path.name} isn't an Excel file; rename it after what it is, or repair it."
        )
    if named == "parquet" and kind == "text":
        return named  # the reader says what is wrong
    if kind != named:
        log.warning("%s isn't a file of the kind %s; it is read as %s", path.name, named, kind)
    return kind


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
