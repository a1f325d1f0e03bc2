"""Opens dvclive so that it records a stage's metrics and touches nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dvclive import Live


@contextmanager
def tracker(folder: Path) -> Iterator[Live]:
    """Give a dvclive logger that writes to `folder`.

    Left to itself dvclive rewrites `dvc.yaml` and records an experiment of its own; both are
    DVC's work here, so both are off.
    """
    from dvclive import Live

    with Live(str(folder), dvcyaml=None, save_dvc_exp=False, report=None) as live:
        yield live
