"""A cluster that has lost all its workers says so, once each time."""

from __future__ import annotations

import threading

import pytest

from crivo.experiments.engine import dask


def test_a_cluster_without_workers_is_told_once_each_time(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dask, "LOOK", 0.001)
    counts, looked = iter([2, 0, 0, 1, 0]), threading.Event()

    def count() -> int:
        try:
            return next(counts)
        except StopIteration:
            looked.set()
            raise OSError("closed") from None

    with caplog.at_level("WARNING", logger="crivo.engine"), dask.told_when_empty(count, "tcp://a"):
        assert looked.wait(60)
    assert caplog.text.count("tcp://a has no worker any more, and trials wait for one") == 2
