"""A sample of a table that doesn't fit in memory: enough rows to find settings for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crivo.preparation.tables.files import large_parquet

# Rows of a sample times its columns, and the row groups that they come from.
SAMPLE_CELLS = 10_000_000
SAMPLE_GROUPS = 20


@dataclass(frozen=True)
class Sample:
    """A folder with the rows to look at, and a line that says which they are, if not all."""

    folder: Path
    words: tuple[str, ...] = ()


@contextmanager
def sampled(folder: Path, pattern: str | None = None) -> Iterator[Sample]:
    """Give a sample of a folder of Parquet files that are read column by column; else the folder.

    It has the first rows of the first row group, of the last one, and of some others, drawn by
    chance: the same ones every time.
    """
    from pyarrow import concat_tables
    from pyarrow.dataset import dataset
    from pyarrow.parquet import write_table

    large = large_parquet(folder, pattern)
    if large is None:
        yield Sample(folder)
        return
    files = large.files
    groups = [
        part for one in dataset([*files]).get_fragments() for part in one.split_by_row_group()
    ]
    chosen = _chosen(groups)
    most = max(1, SAMPLE_CELLS // (len(chosen) * len(large.columns)))
    table = concat_tables([part.head(most) for part in chosen])
    with TemporaryDirectory() as temporary:
        # A name that the pattern matches.
        path = Path(temporary) / next(iter(files)).relative_to(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, path)
        total = sum(found.num_rows for found in files.values())
        words = (
            f"sample    {len(table):,} of {total:,} rows were looked at, from {len(chosen)} of "
            f"{len(groups)} row groups; `dvc repro` checks all of them"
        )
        yield Sample(Path(temporary), (words,))


def _chosen(groups: Sequence[Any]) -> list[Any]:
    """Return the first group, the last one, and some between them, in their order."""
    if len(groups) <= SAMPLE_GROUPS:
        return list(groups)
    between = np.random.default_rng(0).choice(len(groups) - 2, SAMPLE_GROUPS - 2, replace=False)
    return [groups[i] for i in sorted({0, *(between + 1).tolist(), len(groups) - 1})]
