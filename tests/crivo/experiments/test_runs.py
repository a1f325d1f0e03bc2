"""How many runs of a repetition go to an engine at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crivo.core.threads import usable_cores
from crivo.records.history import History
from crivo.records.record import Record
from crivo.repository.commits import Origin
from crivo.repository.git import Repository
from crivo.trials import runs
from crivo.trials.runs import Run, run_all

BASE = "a" * 40
RECORD = Record(Origin("forest", BASE, None, "", 0, ""), {})
HISTORY = History(Repository(Path()))


class Engine:
    def submit(self, name: str, settings: Sequence[str], message: str = "") -> Future[str]:
        future: Future[str] = Future()
        future.set_result(name)
        return future


@pytest.mark.parametrize(
    ("scheduler", "workers", "expected"),
    [
        (None, None, min(usable_cores(), 12)),
        (None, 3, 3),
        (None, 20, 12),
        # The driver's cores say nothing of a cluster: its own limits decide how many jobs run.
        ("slurm", None, 12),
        ("slurm:partition=cpu", 5, 5),
        ("slurm", 20, 12),
    ],
)
def test_so_many_run_at_once(
    monkeypatch: pytest.MonkeyPatch, scheduler: str | None, workers: int | None, expected: int
) -> None:
    given: list[tuple[str | None, int | None]] = []

    def engine_of(of: str | None, record: Any) -> Any:
        @contextmanager
        def opened(history: Any, count: int | None) -> Iterator[Engine]:
            given.append((of, count))
            yield Engine()

        return opened

    monkeypatch.setattr(runs, "engine_of", engine_of)
    some = [Run("seed", f"forest-{seed}", (f"seed={seed}",), f"seed {seed}") for seed in range(12)]
    made = run_all(HISTORY, RECORD, some, scheduler=scheduler, workers=workers)
    assert made == {run.name: run.name for run in some}
    assert given == [(scheduler, expected)]
