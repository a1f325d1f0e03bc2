"""Tables come as people wrote them: any common dialect, encoding and compression."""

import bz2
import gzip
import io
import lzma
import re
import sys
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from crivo.core.errors import CrivoError
from crivo.preparation.tables.files import Form, guess_delimiter, read_table_file, read_tables

CSV = "age,job\n31,cook\n45,\n"
EXPECTED = {"age": ["31", "45"], "job": ["cook", ""]}


def zipped(data: bytes, *names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, b"" if name.endswith("/") else data)
    return buffer.getvalue()


def read(
    folder: Path, name: str, data: str | bytes, pattern: str | None = None, **form: Any
) -> pd.DataFrame:
    """Write one file and read the folder."""
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_tables(folder, pattern, Form(**form))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rows.csv", CSV.encode()),
        ("rows.csv", b"\xef\xbb\xbf" + CSV.encode()),
        ("rows.csv", CSV.encode("utf-16")),
        ("rows.csv", b"\xfe\xff" + CSV.encode("utf-16-be")),
        ("rows.csv", CSV.replace("\n", "\r\n").encode()),
        ("rows.csv", CSV.replace("\n", "\r").encode()),
        ("rows.csv", CSV.replace(",", ";").encode()),
        ("rows.csv", CSV.replace(",", ", ").encode()),
        ("rows.tsv", CSV.replace(",", "\t").encode()),
        ("rows.txt", CSV.replace(",", "|").encode()),
        ("rows.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
        ("rows.csv.bz2", bz2.compress(CSV.encode())),
        ("rows.csv.xz", lzma.compress(CSV.encode())),
        ("rows.zip", zipped(CSV.encode(), "inside.csv")),
        ("rows.zip", zipped(CSV.encode(), "folder/", "folder/inside.csv")),
        ("rows", CSV.encode()),
    ],
)
def test_a_file_reads_the_same_in_every_dialect(tmp_path: Path, name: str, data: bytes) -> None:
    assert read(tmp_path, name, data).to_dict("list") == EXPECTED


def test_letters_beyond_ascii_are_read_in_utf8_and_in_an_older_encoding(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for encoding in ("utf-8", "cp1252"):
        data = "näme\nJosé\n".encode(encoding)
        assert read(tmp_path, "rows.csv", data).to_dict("list") == {"näme": ["José"]}
    far_down = b"name,n\n" + b"plain,1\n" * 40_000 + b"Jos\xe9,2\n"
    assert read(tmp_path, "rows.csv", far_down)["name"].iat[-1] == "José"
    assert (
        caplog.messages[1]
        == "rows.csv isn't UTF-8 and is read as cp1252 (datasets.table.encoding)."
    )
    long = ("name;n\n" + "plain;1\n" * 40_000).encode("utf-16")
    assert list(read(tmp_path, "rows.csv", long)) == ["name", "n"]
    chinese = "姓名,城市\n李雷,上海\n".encode("gb18030")
    assert list(read(tmp_path, "rows.csv", chinese, encoding="gb18030")) == ["姓名", "城市"]


def test_fields_split_by_spaces_are_told_from_words() -> None:
    assert guess_delimiter("1.0   2.0  3\n4.0  5 6\n") == r"\s+"
    assert guess_delimiter("remark\nvery good\n") == guess_delimiter("remark\ngood\n") == ","


def test_lines_may_end_with_a_delimiter(tmp_path: Path) -> None:
    table = read(tmp_path, "rows.csv", "a,b\n1,2,\n3,4,\n")
    assert table.to_dict("list") == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize("header", ['"a","b"', '"","a","b"', '"Unnamed: 0.1","a","b"'])
def test_a_column_without_a_name_such_as_row_names_of_r_is_left_out(
    tmp_path: Path, header: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = read(tmp_path, "rows.csv", f'{header}\n"x",1,2\n"y",3,4\n')
    assert table.to_dict("list") == {"a": ["1", "3"], "b": ["2", "4"]}
    assert "rows.csv: columns without a name are left out (1)" in caplog.text


def test_names_are_stripped_and_made_different(tmp_path: Path) -> None:
    table = read(tmp_path, "rows.csv", "a, a,first name ,b\x07c\n1,2,3,4\n")
    assert list(table) == ["a", "a.1", "first name", "b c"]
    with pytest.raises(CrivoError, match=r"rows\.csv has two columns 'a'; rename"):
        read(tmp_path, "rows.csv", "a,a \n1,2\n")


def test_a_file_without_a_header_gets_names(tmp_path: Path) -> None:
    table = read(tmp_path, "rows.csv", "5.1,x\n4.9,y\n", header=False)
    assert table.to_dict("list") == {"column_1": ["5.1", "4.9"], "column_2": ["x", "y"]}


def test_cells_may_hold_delimiters_line_breaks_and_emoji(tmp_path: Path) -> None:
    table = read(tmp_path, "rows.csv", 'a 😀,b\n"one, two\nthree",🙂\n')
    assert table.to_dict("list") == {"a 😀": ["one, two\nthree"], "b": ["🙂"]}


def test_several_files_are_put_together_by_the_names_of_their_columns(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("y,a\n0,3\n")
    table = read(tmp_path, "a.csv.gz", gzip.compress(b"a,y\n1,0\n2,1\n", mtime=0))
    expected = pd.DataFrame({"a": ["1", "2", "3"], "y": ["0", "1", "0"]}, dtype="str")
    pd.testing.assert_frame_equal(table, expected)


def test_a_pattern_chooses_files(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("About the data")
    assert len(read(tmp_path, "a.csv", CSV, pattern="*.csv")) == 2
    with pytest.raises(CrivoError, match=r"a\.csv lacks .* README\.md has, .*table\.files"):
        read_tables(tmp_path)


def test_files_with_other_columns_are_refused_by_name(tmp_path: Path) -> None:
    for header, said in {
        "age,job,wage,km": "a.csv lacks the columns wage, km, which b.csv has. Give all files the",
        "age": "b.csv lacks the column job, which a.csv has. Give all files the same",
        "age,wage": "b.csv lacks the column job, which a.csv has, and has wage instead",
    }.items():
        (tmp_path / "b.csv").write_text(f"{header}\n")
        with pytest.raises(CrivoError, match=said):
            read(tmp_path, "a.csv", CSV)


def test_parquet_keeps_its_types_and_a_named_index(tmp_path: Path) -> None:
    table = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="key"))
    table.to_parquet(tmp_path / "rows.parquet")
    found = read_tables(tmp_path, form=Form(header=False))  # it always has one
    assert found.to_dict("list") == {"key": ["x", "y"], "a": [1, 2]}
    pd.DataFrame({("a", "b"): [1]}).to_parquet(tmp_path / "rows.parquet")
    assert [*read_tables(tmp_path)] == ["('a', 'b')"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("rows.csv", b"", r"rows\.csv .*it is empty"),
        ("rows.csv", b"a,b\n1,2\n1,2,3,4\n", r"Expected 2 fields in line 3, saw 4.*fix the file"),
        ("rows.csv", b'a,b\n"x,1\n2,3\n', "EOF inside string"),
        ("rows.csv.gz", b"not compressed", "Not a gzipped file"),
        ("rows.zip", b"not compressed", "not a zip file"),
        ("rows.zip", zipped(b""), "holds 0 files, not one"),
        ("rows.zip", zipped(b"", "a.csv", "b.csv"), "holds 2 files, not one"),
        ("rows.xls", b"\xd0\xcf\x11\xe0\x00", "bytes that aren't text; save it as .*fix the file"),
        ("rows.csv", bytes(range(256)) * 9, "rows.csv can't be read"),
        *((f"rows.{end}", CSV, "can't be read .*magic bytes") for end in ("parquet", "pq")),
        *((f"rows.{end}", CSV, "can't be read .*not a zip") for end in ("xlsx", "XLSM")),
    ],
)
def test_a_file_that_is_broken_or_no_table_is_named_with_the_reason(
    tmp_path: Path, name: str, data: str | bytes, message: str
) -> None:
    with pytest.raises(CrivoError, match=message):
        read(tmp_path, name, data)


def test_a_wrong_encoding_that_was_asked_for_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CrivoError, match=r"can't be read .*datasets\.table\.delimiter and enc"):
        read(tmp_path, "rows.csv", "é\nü\n".encode("cp1252"), encoding="utf-8")
    with pytest.raises(CrivoError, match="unknown encoding"):
        read(tmp_path, "rows.csv", CSV, encoding="klingon")


def test_an_empty_folder_says_how_to_bring_a_file(tmp_path: Path) -> None:
    (tmp_path / ".hidden").touch()
    with pytest.raises(CrivoError, match="holds no file; add one with `crivo start"):
        read_tables(tmp_path)
    with pytest.raises(CrivoError, match="nowhere holds no file"):
        read_tables(tmp_path / "nowhere")


@pytest.mark.parametrize("pattern", ["/etc/*", "**x", ".."])
def test_a_pattern_that_fits_no_file_is_named(tmp_path: Path, pattern: str) -> None:
    (tmp_path / "a.csv").write_text(CSV)
    with pytest.raises(CrivoError, match=f"holds no file named {re.escape(repr(pattern))}"):
        read_tables(tmp_path, pattern)


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    with pd.ExcelWriter(tmp_path / "rows.xlsx", engine="openpyxl") as book:
        for name, sizes in {"Notes": [1.5], "Data": [1.5, None]}.items():
            pd.DataFrame({"size": sizes}).to_excel(book, sheet_name=name)
    assert len(read_tables(tmp_path, form=Form(sheet="Data"))) == 2
    for form in (Form(), Form(sheet="data")):
        with pytest.raises(CrivoError, match=r"the sheets Notes, Data; choose one .*--sheet"):
            read_tables(tmp_path, form=form)
    with pytest.raises(CrivoError, match="Notes, Data; expected one sheet, or the sheet data"):
        read_table_file(tmp_path / "rows.xlsx", Form(sheet="data"))
    pd.DataFrame({"size": [1.5]}).to_excel(tmp_path / "rows.xlsx", index=False)
    alone = read_tables(tmp_path, form=Form(header=False))
    assert alone.to_dict("list") == {"column_1": ["size", 1.5]}


def test_without_the_package_a_workbook_is_refused_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "rows.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(CrivoError, match="openpyxl.*`make extras` adds openpyxl"):
        read_tables(tmp_path)
