"""Trials that run at once make what they share once, and what they don't share at once."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from crivo.repository.run_cache import RunCache

STAGE = {"cmd": "python src/train.py", "deps": [{"path": "a", "md5": "1"}], "outs": [{"path": "b"}]}
OTHER = {**STAGE, "deps": [{"path": "a", "md5": "2"}]}


@pytest.mark.parametrize(("second", "most"), [(STAGE, 1), (OTHER, 2)])
def test_one_thread_at_a_time_makes_a_stage(tmp_path: Path, second: object, most: int) -> None:
    seen, now, lock = [0], [0], threading.Lock()

    def make(entry: dict[str, object]) -> None:
        # Each trial's clone has a run cache of its own, in one folder.
        with RunCache(tmp_path).alone(entry):
            with lock:
                now[0] += 1
                seen[0] = max(seen[0], now[0])
            time.sleep(0.1)
            with lock:
                now[0] -= 1

    threads = [threading.Thread(target=make, args=(one,)) for one in (STAGE, second)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert seen == [most]
