"""What the benchmarks of commands share: a clone of a project, and what a command costs there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

DVC = [sys.executable, "-m", "dvc"]
CRIVO = [sys.executable, "-m", "crivo.cli"]

# A process of its own starts the command: a peak would else be at least that of this process. What
# the command's own children take counts with it.
MEASURED = """
import json, os, subprocess, sys, time
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
_, status, used = os.wait4(process.pid, 0)
cpu, wall = used.ru_utime + used.ru_stime, time.perf_counter() - start
print(json.dumps([cpu, wall, used.ru_maxrss / 1024]))
sys.exit(status != 0)
"""


class Cost(NamedTuple):
    """Seconds of CPU and of the clock; the largest process in MB."""

    cpu: float
    wall: float
    megabytes: float


def measured(command: Sequence[str], folder: Path, **more: str) -> Cost:
    """Run a command in a folder, and return what it took; exit when it fails.

    `more`: variables of its environment. This Python's programs are found first.
    """
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | more
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    whole = [sys.executable, "-c", MEASURED, *map(str, command)]
    done = subprocess.run(whole, cwd=folder, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stderr[-4000:]}")
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def clone(source: Path, place: Path) -> Path:
    """Return a clone of a project, whose commits have an author."""
    subprocess.run(["git", "clone", "--quiet", str(source), str(place)], check=True)
    for key, value in (("user.name", "bench"), ("user.email", "bench@example.org")):
        subprocess.run(["git", "config", key, value], cwd=place, check=True)
    return place


def with_raw_data(project: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Put a folder of raw data that was written under DVC, set what reads it, and commit both."""
    from crivo.project.params_file import edited_params

    params = project / "params.yaml"
    params.write_text(edited_params(params, settings), encoding="utf-8")
    measured([*DVC, "add", f"data/raw/{name}"], project)
    commit(project)


def commit(project: Path) -> None:
    """Commit all that changed, if anything did."""
    subprocess.run(["git", "add", "-A"], cwd=project, check=True)
    subprocess.run(["git", "commit", "-qm", "run", "--allow-empty"], cwd=project, check=True)
