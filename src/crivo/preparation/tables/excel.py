"""Tells what a file is by its first bytes, and reads the sheets of Excel's."""

from __future__ import annotations

import zipfile
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

from crivo.core.errors import CrivoError

ZIP, OLD_EXCEL, PARQUET_MARK = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PAR1"


def content_of(path: Path) -> str:
    """Return `excel`, `parquet` or `text` by what is in the file.

    CrivoError: it is an Excel file of a form that nothing here reads.
    """
    with path.open("rb") as file:
        head = file.read(8)
    if head == OLD_EXCEL:
        raise CrivoError(
            f"{path.name} is a workbook of an old Excel (.xls) or one with a password; save it as "
            ".xlsx or as CSV."
        )
    if head.startswith(PARQUET_MARK):
        return "parquet"
    return "excel" if head.startswith(ZIP) and _is_workbook(path) else "text"


def read_excel(path: Path, header: bool = True, sheet: str | None = None) -> pd.DataFrame:
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
        name = _sheet(path, [str(one) for one in book.sheet_names], sheet)
        table = pd.read_excel(book, sheet_name=name, header=0 if header else None)
    if header:
        return table
    return table.set_axis([f"column_{i + 1}" for i in range(table.shape[1])], axis="columns")


def _sheet(path: Path, names: list[str], asked: str | None) -> str:
    shown = ", ".join(names)
    if asked is not None and asked not in names:
        raise CrivoError(
            f"datasets.table.sheet is {asked!r}, and {path.name} has no such sheet (there are: "
            f"{shown})."
        )
    if asked is None and len(names) > 1:
        raise CrivoError(
            f"{path.name} has several sheets ({shown}); say which one by datasets.table.sheet, or "
            "`crivo start --sheet`."
        )
    return asked or names[0]


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False
