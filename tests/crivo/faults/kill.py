"""Kills commands at random moments and says whether anything valid was wrong afterwards.

python -m tests.crivo.faults.kill --times 30
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.crivo.faults.killing import JOBS, kill_and_go_on, undisturbed
from tests.crivo.faults.tiny import copy_of, make_tiny
from tests.crivo.pipeline.project import Project

# Of three kills one hits only the process that computes.
CHILD = 3
AT_ONCE = 2


def main() -> int:
    """Kill every job so often, and return how many of the kills did harm."""
    given = _arguments()
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        tiny = make_tiny(Path(folder) / "tiny")
        run = partial(disturb, tiny=tiny, times=given.times, seed=given.seed)
        with ProcessPoolExecutor(AT_ONCE) as pool:
            return sum(pool.map(run, given.jobs))


def disturb(name: str, *, tiny: Project, times: int, seed: int) -> int:
    """Kill a job at some random moments, print what came of it, and count what did harm."""
    job = JOBS[name]
    parent = tiny.folder.parent.parent / job.name
    expected, seconds = undisturbed(job, copy_of(tiny, parent))
    shutil.rmtree(parent)
    rng = random.Random(f"{job.name} {seed}")
    harm = 0
    for number in range(times):
        moment, child = rng.uniform(0, seconds), number % CHILD == CHILD - 1
        found = kill_and_go_on(job, copy_of(tiny, parent), moment, expected, child=child)
        shutil.rmtree(parent)
        harm += not found.fine
        what = "the process that computes" if child else "all of it"
        print(f"{job.name}, {what} killed after {moment:.1f} s: {found.text}", flush=True)
    print(f"{job.name}: killed {times} times in {seconds:.1f} s, {harm} did harm.", flush=True)
    return harm


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", nargs="+", choices=list(JOBS), default=list(JOBS))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(min(main(), 1))
