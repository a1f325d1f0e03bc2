"""Turns raw rows into model rows, by the project's dataset block and the files that it keeps.

An exported file holds the dataset's name, settings and kept raw files, and none of its code:
loading a model runs no code from the file. The block is that of the project in which the rows are
scored.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from crivo.core.artifacts import RAW
from crivo.core.blocks import Dataset, RawContext
from crivo.core.cache import md5_of
from crivo.core.errors import CrivoError
from crivo.core.registry import BLOCKS, make_block
from crivo.core.schema import Schema
from crivo.modelfile.archives import read_members
from crivo.preparation.rawdata import raw_files, total_hash
from crivo.preparation.tables.files import read_table_file
from crivo.repository.lock import LOCK, parse_lock, read_lock

log = logging.getLogger("crivo.prediction")


@dataclass(frozen=True)
class RawRows:
    """Turns raw rows into model rows, as the pipeline did.

    `name` and `settings` are those of the dataset that `prepare` ran, `code` the MD5 of its file;
    `source` is the folder of its raw files, whose hash was `md5`, or an exported file that holds
    those it keeps.
    """

    name: str
    settings: Mapping[str, Any] = field(compare=False)
    code: str
    source: Path
    md5: str = ""

    @cached_property
    def block(self) -> Dataset:
        """The dataset; CrivoError when its code is not here."""
        try:
            block: Dataset = make_block("dataset", self.name, self.settings)
        except CrivoError as error:
            raise CrivoError(
                f"The model was made from rows of the dataset {self.name}, which can't be made "
                f"here ({error}). Give rows with the columns that the model reads, or work in a "
                f"project that has {BLOCKS}/datasets/{self.name}.py."
            ) from None
        file = Path(inspect.getfile(type(block)))
        if md5_of(file) != self.code:
            log.warning(
                "%s/datasets/%s.py isn't the file that made the model's rows, so raw rows may give "
                "different rows; check out the model's commit.",
                BLOCKS,
                self.name,
            )
        return block

    def takes(self, table: pd.DataFrame, schema: Schema) -> bool:
        """Return whether the dataset makes rows of the model of these; CrivoError if nobody can.

        Where a raw row has the model's columns, it is a row once its cells are read.
        """
        whole = all(name in table for name in schema.features)
        try:
            needed = self.block.raw_columns(schema)
        except CrivoError:
            if whole:  # without its code, rows of the model can be scored
                return False
            raise
        if whole:
            return needed == schema.features
        lacking = [name for name in needed if name not in table]
        if lacking and needed != schema.features:
            raise CrivoError(
                f"The rows are neither raw rows of the dataset {self.name} (they lack "
                f"{', '.join(lacking)}) nor have the {len(schema.features)} columns that the model "
                "reads; give either."
            )
        return bool(needed) and not lacking

    def reads(self, path: Path, schema: Schema) -> bool:
        """Return whether a file is to be read by the dataset: it isn't one of the model's rows."""
        if not path.is_file():
            return False
        everything = pd.DataFrame(columns=list(schema.features))
        return self.takes(everything, schema) or self.takes(read_table_file(path), schema)

    def rows(self, raw: pd.DataFrame, schema: Schema) -> pd.DataFrame:
        """Return a row for each raw row, in its index."""
        with self._folder() as folder:
            return self.block.rows_from_raw(raw, RawContext(schema, folder))

    def read(self, path: Path, schema: Schema) -> pd.DataFrame:
        """Return the rows that the raw rows of a file become."""
        return self.rows(self.block.read_raw(path), schema)

    def kept(self) -> dict[str, bytes]:
        """Return the raw files that the dataset keeps; CrivoError unless they are as they were."""
        if self.block.kept and self.md5 and total_hash(raw_files(self.source)) != self.md5:
            raise CrivoError(
                f"{self.source} isn't what the model was made from; run `dvc repro`, or restore it "
                "with `dvc checkout`."
            )
        return {name: (self.source / name).read_bytes() for name in self.block.kept}

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """Give a folder that holds the kept files."""
        if not self.source.is_file():
            yield self.source
            return
        names = self.block.kept
        with TemporaryDirectory() as folder:
            for name, data in read_members(self.source, [f"raw/{name}" for name in names]).items():
                place = Path(folder, name.removeprefix("raw/"))
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            yield Path(folder)


def raw_rows_of(root: Path) -> RawRows | None:
    """Return how the rows of a project's folder were made, by its `dvc.lock`; None without one."""
    if not (root / LOCK).is_file():
        return None
    content = (root / LOCK).read_bytes()
    stage = read_lock(content).stages.get("prepare")
    params = parse_lock(content)["prepare"]["params"].get("params.yaml", {}) if stage else {}
    name = params.get("dataset")
    if stage is None or not isinstance(name, str):
        return None
    files = (f"{BLOCKS}/datasets/{name}.py", (RAW / name).as_posix())
    code, raw = (stage.deps[file].md5 if file in stage.deps else "" for file in files)
    return RawRows(name, params.get(f"datasets.{name}") or {}, code, root / RAW / name, raw)
