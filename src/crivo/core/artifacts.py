"""The paths of the pipeline's files, and the functions that read and write them.

A file is written beside its place and then renamed, so that it is whole or not there.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.inputs import with_shared_levels
from crivo.core.parsing import ParseError, parse_json, validated
from crivo.core.schema import Schema
from crivo.core.text_guard import escape_control, escape_formulas

SPLITS = ("train", "valid", "test")

RAW = Path("data/raw")
PREPARED = Path("data/prepared")
QUARANTINE = Path("data/quarantine/rows.parquet")
FEATURES = Path("data/features")
SCHEMA = PREPARED / "schema.json"
FEATURIZER = Path("models/featurizer.skops")
MODEL = Path("models/model.skops")
BASELINE = Path("models/baseline.skops")
# Has a model if it was refitted on training and validation rows; a note says which rows it is.
REFIT = Path("models/refit")
REFIT_MODEL = REFIT / "model.skops"
DATA_METRICS = Path("metrics/data")
TRAIN_METRICS = Path("metrics/train")
ROW_FINDINGS = Path("metrics/features/findings.csv")
EVALUATION = Path("metrics/evaluation")

# What only programs read; people see it in other forms.
EXACT = ("intervals.csv", "jackknife.csv")

# Enough to tell results apart, few enough to hide the last bits of a sum.
DIGITS = 10


@contextmanager
def written(path: Path) -> Iterator[Path]:
    """Give a place beside `path` to write to, and rename it when all went well.

    OSError names `path`, not the place beside it.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield beside
        beside.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):  # there may be nothing to take away, nor a folder for it
            beside.unlink()


def prepared(split: str) -> Path:
    return PREPARED / f"{split}.parquet"


def features(split: str) -> Path:
    return FEATURES / f"{split}.parquet"


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise CrivoError for a file of a stage that is missing or that can't be read."""
    try:
        yield
    except FileNotFoundError:
        raise CrivoError(f"{path} doesn't exist yet; run `dvc repro`.") from None
    except (OSError, ValueError, KeyError, ParseError) as error:
        raise CrivoError(
            f"{path} can't be read ({error}); restore it with git or DVC, or run `dvc repro -f`."
        ) from None


def read_table(path: Path, columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return a Parquet file's table; CrivoError when it is not there or not readable."""
    with _reading(path):
        return pd.read_parquet(path, columns=None if columns is None else list(columns))


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as Parquet, without its index."""
    with written(path) as beside:
        table.to_parquet(beside, index=False)


def write_csv(path: Path, table: pd.DataFrame, *, exact: bool = False) -> None:
    """Write a table as CSV: rounded numbers, `\\n` at each line's end on every system.

    People open it with a program of tables, so no text is a formula; `exact`: only programs do.
    """
    output_table = table if exact else escape_formulas(table)
    with written(path) as beside:
        output_table.to_csv(beside, index=False, lineterminator="\n", float_format=f"%.{DIGITS}g")


def read_features(split: str) -> pd.DataFrame:
    """Return what the model sees of a split's rows, as all models get it."""
    return with_shared_levels(read_table(features(split)))


def read_csv(path: Path, *, as_text: bool = False) -> pd.DataFrame:
    """Return a table that `write_csv` wrote; CrivoError when it is missing or broken.

    `as_text`: each cell as it is written; a column called `NA` isn't a gap.
    """
    how: dict[str, Any] = {"dtype": "str", "keep_default_na": False} if as_text else {}
    with _reading(path):
        table: pd.DataFrame = pd.read_csv(path, **how)
    return table


def read_json(path: Path) -> Any:
    """Return what a JSON file holds; CrivoError when it is missing or broken."""
    with _reading(path):
        return parse_json(path.read_bytes())


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write values as JSON: sorted keys, rounded numbers, null for what is not defined."""
    text = json.dumps(rounded(values), indent=2, sort_keys=True, ensure_ascii=False)
    write_text(path, text + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file in UTF-8 with `\\n` at each line's end."""
    with written(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def write_files(folder: Path, files: Mapping[str, Any]) -> None:
    """Write each content under its name: tables as Parquet or CSV, values as JSON, or a report."""
    for name, content in files.items():
        path = folder / name
        if path.suffix == ".parquet":
            write_table(path, content)
        elif path.suffix == ".csv":
            write_csv(path, content, exact=name in EXACT or path.parent.name == "plots")
        elif path.suffix == ".json":
            write_json(path, content)
        else:
            write_text(path, escape_control(content))


def rounded(value: Any) -> Any:
    """Return the value with each float rounded to 10 significant digits, NaN as None.

    >>> rounded({"a": [1 / 3, float("nan")]})
    {'a': [0.3333333333, None]}
    """
    if isinstance(value, Mapping):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(item) for item in value]
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value


def read_schema(path: Path = SCHEMA) -> Schema:
    """Return the schema that `prepare` wrote; CrivoError when it is missing or broken."""
    with _reading(path):
        return validated(Schema, parse_json(path.read_bytes()))
