"""Trials that run at once make what they share once, and what they don't share at once."""

from __future__ import annotations

import threading
from pathlib import Path

from crivo.repository.run_cache import RunCache

STAGE = {"cmd": "python src/train.py", "deps": [{"path": "a", "md5": "1"}], "outs": [{"path": "b"}]}
OTHER = {**STAGE, "deps": [{"path": "a", "md5": "2"}]}


def test_one_thread_at_a_time_makes_a_stage(tmp_path: Path) -> None:
    in_it = threading.Event()

    def make(entry: dict[str, object]) -> None:
        # Each trial's clone has a run cache of its own, in one folder.
        with RunCache(tmp_path).alone(entry):
            in_it.set()

    for entry, waits in ((OTHER, False), (STAGE, True)):
        in_it.clear()
        with RunCache(tmp_path).alone(STAGE):
            thread = threading.Thread(target=make, args=(entry,))
            thread.start()
            assert in_it.wait(0.1 if waits else 60) != waits
        thread.join()
        assert in_it.is_set()
