"""Strategies: the cells, names and tables that people really have, and those nobody expects."""

import io
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from pyarrow import ArrowException

AWKWARD_TEXT = [
    "", " ", "NA", "nan", "None", "null", "?", "-", "inf", "-inf", "1e400", "1e-400", "1_000",
    "0x10", "007", "1,5", "1.234,5", "1,234.5", "½", "٣", "−1", "true", "FALSE", "yes", "y",
    "2013-02-30", "2013-03-10 02:30", "2013-01-01T00:00:00Z", "2013-01-01T00:00:00+05:30",
    "2013-01-01 00:00:00-03:00", "31/12/2013", "12/31/2013", "9999-12-31", "0001-01-01", "10:30",
    "P1D", "😀", "👩‍👩‍👧", "e\u0301", "\u202eright to left", "\x00", "a\x00b", "\ufeff", "\u2028",
    "\x1f", "\x85", '"', '""', "'", "a,b", "a;b", "a\tb", "a\nb", "a\rb", "\\", "=1+1", "<b>",
    "${x}", "{}", "[1]", "%s", "a" * 300, "\ud7ff", "9" * 25, "18446744073709551616",
]  # fmt: skip

AWKWARD_NAMES = [
    "", " ", "a", "a", "A", "a.1", "target", "id", "row_id", "reason", "index", "score", "weight",
    "cluster", "prediction", "level_0", "0", "1.5", "nan", "None", "Unnamed: 0", "unnamed_1", "😀",
    "ação", "x[0]", "x<1", "a b", "a,b", 'q"q', "__index_level_0__", "a\x00b", "a\nb", "{}",
    "a" * 200,
]  # fmt: skip

names = st.sampled_from(AWKWARD_NAMES)
texts = st.sampled_from(AWKWARD_TEXT) | st.text(max_size=8)
any_float = st.floats(allow_nan=True, allow_infinity=True)
huge = st.integers(-(10**25), 10**25)
scalars = st.none() | st.booleans() | st.integers(-5, 300) | huge | any_float | texts


def _moments(rng: np.random.Generator, rows: int) -> np.ndarray:
    return (np.datetime64("2013-01-01") + rng.integers(0, 400, rows)).astype(str)


ZONES = ["T05:00:00Z", "T05:00:00+05:30", "T05:00:00-03:00", "T05:00:00"]
MIXED = np.array([1, "x", 2.5, None, True, "2013-01-01"], dtype=object)

# Columns of many rows are drawn from a seed: hypothesis would take a minute for each table.
PLAIN: dict[str, Any] = {
    "numbers": lambda rng, n: rng.normal(size=n).round(3),
    "whole": lambda rng, n: rng.integers(-3, 9, n),
    "huge": lambda rng, n: rng.normal(size=n) * 1e300,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-310,
    "int64": lambda rng, n: rng.integers(2**62, 2**63 - 1, n),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.2, np.inf, rng.normal(size=n)),
    "missing": lambda rng, n: [None] * n,
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n)),
    "constant": lambda rng, n: ["same"] * n,
    "two": lambda rng, n: rng.choice(["no", "yes"], n),
    "flags": lambda rng, n: rng.random(n) < 0.5,
    "bits": lambda rng, n: rng.integers(0, 2, n),
    "three": lambda rng, n: rng.choice(["a", "b", "c"], n),
    "levels": lambda rng, n: rng.choice(["😀", "ç", " x ", "NA", "-", "1", "<b>", "\x01"], n),
    "words": lambda rng, n: [" ".join(rng.choice(["late", "early", "🚀"], 5)) for _ in range(n)],
    "keys": lambda rng, n: [f"k{i:04}" for i in rng.permutation(n)],
    "dates": _moments,
    "zones": lambda rng, n: np.char.add(_moments(rng, n), rng.choice(ZONES, n)),
    "mixed": lambda rng, n: rng.choice(MIXED, n),
}  # fmt: skip


@st.composite
def tables(draw: st.DrawFn, *, rows: st.SearchStrategy[int]) -> pd.DataFrame:
    """Draw a table of columns of many kinds, some of its cells exchanged; maybe names twice."""
    count = draw(rows)
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    kinds = draw(st.lists(st.sampled_from(sorted(PLAIN)), min_size=1, max_size=5))
    columns = [pd.Series(PLAIN[kind](rng, count), dtype=object) for kind in kinds]
    given = draw(st.lists(names, min_size=len(kinds), max_size=len(kinds)) | st.just(kinds))
    target = draw(st.sampled_from(["two", "bits", "flags", "three", "numbers", "levels", "huge"]))
    columns, given = [*columns, pd.Series(PLAIN[target](rng, count), dtype=object)], [*given, "y"]
    table = pd.concat(columns, axis=1)
    table.columns = pd.Index(given, dtype=object)
    for _ in range(draw(st.integers(0, 3)) if count else 0):
        row = draw(st.integers(0, count - 1))
        table.iloc[row, draw(st.integers(0, len(given) - 1))] = draw(scalars)
    return table


@st.composite
def csv_files(draw: st.DrawFn, table: pd.DataFrame) -> bytes:
    """Draw the bytes of a CSV file of a table: dialect, encoding, damage."""
    sep = draw(st.sampled_from([",", ";", "\t", "|"]))
    text = table.to_csv(
        index=draw(st.booleans()),
        sep=sep,
        lineterminator=draw(st.sampled_from(["\n", "\r\n", "\r"])),
    )
    encoding = draw(st.sampled_from(["utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"]))
    data = text.encode(encoding, errors="replace")
    return draw(damaged(data)) if draw(st.integers(0, 3)) == 0 else data


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """Draw a file that was cut, had bytes exchanged, or got something in between."""
    at = draw(st.integers(0, max(0, len(data) - 1)))
    how = draw(st.sampled_from(["cut", "flip", "insert", "remove", "append"]))
    if how == "cut":
        return data[:at]
    if how == "flip" and data:
        return data[:at] + bytes([data[at] ^ (1 << draw(st.integers(0, 7)))]) + data[at + 1 :]
    if how == "remove":
        return data[:at] + data[at + draw(st.integers(1, 50)) :]
    extra = draw(st.binary(min_size=1, max_size=20) | st.sampled_from([b'"', b"\x00", b"\n", b";"]))
    return data + extra if how == "append" else data[:at] + extra + data[at:]


def parquet_bytes(table: pd.DataFrame) -> bytes | None:
    """Return a table as Parquet; None where Parquet itself has no place for its cells."""
    file = io.BytesIO()
    try:
        table.infer_objects().to_parquet(file)
    except (ValueError, TypeError, OverflowError, UnicodeError, OSError, ArrowException):
        return None
    return file.getvalue()
