"""A sample of a table that doesn't fit in memory: enough rows to find settings for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from crivo.preparation.tables.files import large_parquet

# Rows of a sample times its columns, and the row groups that they come from.
SAMPLE_CELLS = 10_000_000
SAMPLE_GROUPS = 20

Group = tuple[Path, int]


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
    large = large_parquet(folder, pattern)
    if large is None:
        yield Sample(folder)
        return
    counts = large.files
    groups = [(path, i) for path, found in counts.items() for i in range(found.num_row_groups)]
    chosen = _chosen(groups)
    most = SAMPLE_CELLS // (len(chosen) * len(large.columns))
    with TemporaryDirectory() as temporary:
        # A name that the pattern matches.
        path = Path(temporary) / next(iter(counts)).relative_to(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = _write(path, chosen, max(1, most))
        total = sum(found.num_rows for found in counts.values())
        words = (
            f"sample    {rows:,} of {total:,} rows were looked at, from {len(chosen)} of "
            f"{len(groups)} row groups; `dvc repro` checks all of them"
        )
        yield Sample(Path(temporary), (words,))


def _chosen(groups: Sequence[Group]) -> list[Group]:
    """Return the first group, the last one, and some between them, in their order."""
    if len(groups) <= SAMPLE_GROUPS:
        return list(groups)
    between = np.random.default_rng(0).choice(len(groups) - 2, SAMPLE_GROUPS - 2, replace=False)
    return [groups[i] for i in sorted({0, *(between + 1).tolist(), len(groups) - 1})]


def _write(path: Path, groups: Sequence[Group], most: int) -> int:
    """Write the first rows of each group into one file, and return how many these are."""
    import pyarrow.parquet as pq

    count = 0
    with pq.ParquetWriter(path, pq.read_schema(groups[0][0])) as writer:
        for source, number in groups:
            with source.open("rb") as file:
                part = pq.ParquetFile(file).read_row_group(number)[:most]
            writer.write_table(part)
            count += len(part)
    return count
