"""`sample_project`: a copy of a project with few of its raw rows; its pipeline runs in seconds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_settings
from crivo.preparation.tables.files import Form, read_table_file
from crivo.repository.git import Repository
from crivo.repository.overrides import apply_changes
from crivo.repository.running import run_dvc

ROWS = 600
# Of a rare class more rows are kept than its share, so that every split of a split has some.
MIN_ROWS_OF_A_CLASS = 60
# A target with more values is taken for a number.
MAX_CLASSES = 30
# Files of which few rows are taken; a sheet is short, and its cells are more than text.
TABLES = {".csv", ".tsv", ".txt", ".data", ".tab", ".dat", ".parquet", ".pq"}
AUTHOR = ("-c", "user.name=Sample", "-c", "user.email=sample@example.org")


def sample_project(project: str | Path, folder: str | Path, rows: int = ROWS) -> Path:
    """Copy a project into a new repository, with about so many of its raw rows, and run it.

    The rows are spread evenly over the largest table in `data/raw/<dataset>`, or over all tables
    of `dataset: table`; smaller files are kept whole. All that git knows or would add is copied as
    it is in the work tree, and the results are committed. CrivoError: the raw data isn't there, or
    the pipeline doesn't run.
    """
    source, target = Path(project), Path(folder)
    params = read_settings(source / PARAMS_FILE)
    raw = artifacts.RAW / str(params["dataset"])
    if not (source / raw).exists():
        raise CrivoError(
            f"{source / raw} is not there; fetch it with `dvc pull`, or with `make repro` if the "
            "data come with a package."
        )
    _copy_files(source, target)
    settings = (params.get("datasets") or {}).get(params["dataset"]) or {}
    sample_raw(source / raw, target / raw, settings, rows)
    (target / "dvc.lock").unlink(missing_ok=True)
    # Of few rows a larger share may be unusable by chance.
    apply_changes(target / PARAMS_FILE, ["++prepare.quarantine_limit=1.0"])
    repository = Repository(target)
    repository.git("init", "--quiet")
    if (target / f"{raw}.dvc").exists():
        _dvc(target, "add", "--quiet", str(raw))
    _commit(repository, "Take few rows")
    _dvc(target, "repro")
    # What compares experiments finds one, although the project may have no results yet.
    _commit(repository, "Record the results")
    return target


def _commit(repository: Repository, message: str) -> None:
    repository.git("add", "--all")
    command = ("commit", "--quiet", "--no-verify", "--allow-empty", "--message", message)
    repository.git(*AUTHOR, *command)


def _copy_files(source: Path, target: Path) -> None:
    for name in Repository(source).not_ignored("*"):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / name, target / name)


def _dvc(folder: Path, *command: str) -> None:
    # As `dvc repro` finds them, whoever calls.
    unset = {name: None for name in os.environ if name.startswith("DVC")}
    done = run_dvc(command, folder, unset)
    if done.returncode:
        output = f"{done.stdout}\n{done.stderr}".strip()
        raise CrivoError(
            f"`dvc {' '.join(command)}` failed on a few rows of the project:\n{output}"
        )


def sample_raw(source: Path, target: Path, settings: Mapping[str, Any], rows: int) -> None:
    """Copy a raw file or folder, its tables with few of their rows; see `sample_project`.

    `settings` are those of the dataset: of the classes of its `target` all are kept.
    """
    files = [source] if source.is_file() else [file for file in source.rglob("*") if file.is_file()]
    tables = [file for file in files if TABLES.intersection(Path(file.name.lower()).suffixes)]
    if not settings.get("target"):  # other files are looked up by the keys in the largest one
        tables = sorted(tables, key=lambda file: file.stat().st_size)[-1:]
    for file in files:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if file in tables:
            _sample_table(file, place, settings, max(rows // len(tables), 1))
        else:
            shutil.copyfile(file, place)


def _sample_table(source: Path, target: Path, settings: Mapping[str, Any], rows: int) -> None:
    if source.suffix.lower() in (".parquet", ".pq"):
        _few(pd.read_parquet(source), settings, rows).to_parquet(target)
        return
    form = Form(settings.get("delimiter"), settings.get("encoding"), settings.get("header", True))
    # Cells as they are written; pandas compresses by the name, as the file may be.
    _few(read_table_file(source, form), settings, rows).to_csv(
        target,
        index=False,
        header=form.header,
        sep=form.delimiter or ",",
        encoding=form.encoding or "utf-8",
    )


def _few(table: pd.DataFrame, settings: Mapping[str, Any], rows: int) -> pd.DataFrame:
    """Return about so many rows, evenly spread over the table and over each class."""
    classes = pd.Series("", index=range(len(table)))
    target = settings.get("target")
    if target in table and table[target].nunique() <= MAX_CLASSES:
        classes = table[target].astype("str").reset_index(drop=True)
    step = pd.Series(len(table) / rows, index=classes.index)
    if classes.nunique() > 1:
        sizes = classes.map(classes.value_counts())
        step = step.clip(upper=sizes / MIN_ROWS_OF_A_CLASS)
    return table[(classes.groupby(classes).cumcount() % step.clip(lower=1) < 1).to_numpy()]
