"""How many runs of a repetition go to an engine at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import pytest

from crivo.core.threads import usable_cores
from crivo.experiments import runs
from crivo.experiments.runs import Run, run_all


class Named:
    """A record, of which nothing but the name is asked."""

    name = "forest"


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

    def engine_of(of: str | None, record: Any, remote: str | None) -> Any:
        @contextmanager
        def opened(history: Any, count: int | None) -> Iterator[Engine]:
            given.append((of, count))
            yield Engine()

        return opened

    monkeypatch.setattr(runs, "engine_of", engine_of)
    some = [Run(f"forest-seed={seed}", (f"seed={seed}",), f"seed {seed}") for seed in range(12)]
    history, record = None, Named()
    run_all(history, record, some, scheduler=scheduler, workers=workers)  # type: ignore[arg-type]
    assert given == [(scheduler, expected)]
