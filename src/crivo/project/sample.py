"""A sample of a table that doesn't fit in memory: enough rows to find settings for all of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from crivo.preparation.tables.files import large_parquet

# Rows of a sample times its columns, and the row groups that they come from at most.
SAMPLE_CELLS = 10_000_000
SAMPLE_GROUPS = 20


@contextmanager
def sampled(folder: Path, pattern: str | None = None) -> Iterator[tuple[Path, list[str]]]:
    """Give a folder with the rows to look at, and a line that says which they are, if not all.

    Of Parquet files that are read column by column these are the first rows of row groups at equal
    steps.
    """
    from pyarrow import concat_tables
    from pyarrow.dataset import dataset
    from pyarrow.parquet import write_table

    large = large_parquet(folder, pattern)
    if large is None:
        yield folder, []
        return
    parts = dataset(large.paths).get_fragments()
    groups = [group for part in parts for group in part.split_by_row_group()]
    chosen = groups[:: -(-len(groups) // SAMPLE_GROUPS)]
    most = max(1, SAMPLE_CELLS // (len(chosen) * len(large.columns)))
    table = concat_tables([part.head(most) for part in chosen])
    with TemporaryDirectory() as temporary:
        # A name that the pattern matches.
        path = Path(temporary) / large.paths[0].relative_to(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, path)
        line = (
            f"sample    {len(table):,} of {len(large):,} rows were looked at, from {len(chosen)} "
            f"of {len(groups)} row groups; `dvc repro` checks all of them"
        )
        yield Path(temporary), [line]
