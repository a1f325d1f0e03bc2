"""Turns raw rows into rows of features, by the project's dataset block and the files that it keeps.

An exported file holds the dataset's name, settings and kept raw files, and none of its code:
loading a model runs no code from the file. The block is that of the project in which the rows are
scored.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
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

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RawRows:
    """Turns raw rows into rows of features, as the pipeline did.

    `name` and `settings` are those of the dataset that `prepare` ran, `code` the MD5 of its file;
    `source` is the folder of its raw files, whose hash was `md5`, or an exported file that holds
    those it keeps.
    """

    name: str
    settings: Mapping[str, Any]
    code: str
    source: Path
    md5: str = ""

    @cached_property
    def block(self) -> Dataset:
        """The dataset; CrivoError when its code is not here."""
        code = f"{BLOCKS}/datasets/{self.name}.py"
        try:
            block: Dataset = make_block("dataset", self.name, self.settings)
        except CrivoError as error:
            raise CrivoError(
                f"The model was made from rows of the dataset {self.name}, which can't be made "
                f"here ({error}). Give rows with the columns that the model reads, or work in a "
                f"project that has {code}."
            ) from None
        if md5_of(Path(inspect.getfile(type(block)))) != self.code:
            log.warning(
                "%s isn't the file that made the model's rows, so raw rows may give different "
                "rows; check out the model's commit.",
                code,
            )
        return block

    def model_rows(self, table: pd.DataFrame, schema: Schema) -> pd.DataFrame:
        """Return a row of the model for each raw row, in its index; rows of the model as given."""
        return self._made(table, schema) if self._are_raw(table, schema) else table

    def read(self, path: Path, schema: Schema) -> pd.DataFrame:
        """Return the rows of a file, made of raw rows or as they are."""
        # How a table is written of which raw rows have the model's columns, only the dataset knows.
        table = pd.DataFrame(columns=list(schema.features))
        if self._are_raw(table, schema) or self._are_raw(table := read_table_file(path), schema):
            return self._made(self.block.read_raw(path), schema)
        return table

    def kept(self) -> dict[str, bytes]:
        """Return the raw files that the dataset keeps; CrivoError unless they are as they were."""
        if self.block.kept and self.md5 and total_hash(raw_files(self.source)) != self.md5:
            raise CrivoError(
                f"{self.source} isn't what the model was made from; run `dvc repro`, or restore it "
                "with `dvc checkout`."
            )
        return {name: (self.source / name).read_bytes() for name in self.block.kept}

    def _are_raw(self, table: pd.DataFrame, schema: Schema) -> bool:
        """Return whether rows with these columns are raw; CrivoError without the dataset's code.

        Where a raw row has the model's columns, it is a row once its cells are read.
        """
        whole = set(schema.features).issubset(table)
        try:
            needed = self.block.raw_columns(schema)
        except CrivoError:
            if whole:  # without that code, rows of the model can be scored
                return False
            raise
        return bool(needed) and (needed == schema.features or not whole)

    def _made(self, raw: pd.DataFrame, schema: Schema) -> pd.DataFrame:
        with self._folder() as folder:
            return self.block.rows_from_raw(raw, RawContext(schema, folder))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """Give a folder that holds the kept files."""
        if not self.source.is_file():
            yield self.source
            return
        names = [f"raw/{name}" for name in self.block.kept]
        with TemporaryDirectory() as folder:
            for name, data in read_members(self.source, names).items():
                place = Path(folder, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
            yield Path(folder, "raw")


def raw_rows_of(prepare: Mapping[str, Any], root: Path) -> RawRows | None:
    """Return how the rows of a project's folder were made, by what `dvc.lock` says of `prepare`.

    None when that doesn't name a dataset.
    """
    params = prepare["params"].get("params.yaml", {})
    if not isinstance(name := params.get("dataset"), str):
        return None
    hashes = {dep["path"]: dep["md5"] for dep in prepare["deps"]}
    code = hashes.get(f"{BLOCKS}/datasets/{name}.py", "")
    raw = hashes.get((RAW / name).as_posix(), "")
    return RawRows(name, params.get(f"datasets.{name}") or {}, code, root / RAW / name, raw)
