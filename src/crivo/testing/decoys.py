"""A folder with validation and test rows that no fit may look at."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pandas as pd

from crivo.core import artifacts
from crivo.core.schema import Task
from crivo.testing.examples import example_features, example_rows

R = TypeVar("R")

HELD_OUT = ("valid", "test")


def in_two_projects(do: Callable[[], R], task: Task) -> tuple[R, R]:
    """Do something in two folders that differ in their validation and test rows alone.

    Both hold every table of the pipeline under its own path. What is done there must not
    depend on the held-out rows, so both results must be equal.
    """
    results = []
    for seed in (1, 2):
        with _project(task, seed):
            results.append(do())
    return results[0], results[1]


@contextlib.contextmanager
def _project(task: Task, seed: int) -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for split in artifacts.SPLITS:
            rows = example_rows(task, seed=seed if split in HELD_OUT else 0)
            _write(artifacts.prepared(split), rows)
            _write(artifacts.features(split), example_features(rows))
        yield


def _write(path: Path, table: pd.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    artifacts.write_table(path, table)
