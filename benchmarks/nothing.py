"""Where the seconds of `dvc repro` with nothing to do go, beside four stages that copy a line.

Run in the project's folder, on a quiet machine: `python benchmarks/nothing.py`. Functions of DVC
are timed in its own process, without the functions that are timed within them. The table goes to
docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from pages import renew
from pipeline import PAGE, empty_pipeline, own_copy

# What is run by `python -c`: it prints the seconds of each part.
PROGRAM = """
import json, sys, time
import dvc.cli, dvc.output, dvc.parsing, dvc.repo.reproduce, dvc.stage.params, dvc.utils.strictyaml
from dvc.utils.serialize import _yaml

spent, running = {}, []

def over(owner, name, part):
    function = getattr(owner, name)
    def timed(*arguments, **named):
        begin = time.perf_counter()
        running.append(0.0)
        try:
            return function(*arguments, **named)
        finally:
            whole = time.perf_counter() - begin
            spent[part] = spent.get(part, 0.0) + whole - running.pop()
            if running:
                running[-1] += whole
    setattr(owner, name, timed)

over(dvc.utils.strictyaml, "load", "yaml")
over(_yaml, "parse_yaml", "yaml")
over(dvc.parsing.DataResolver, "__init__", "references")
over(dvc.parsing.DataResolver, "resolve_one", "references")
over(dvc.repo.reproduce, "collect_stages", "stages")
over(dvc.repo.reproduce, "get_active_graph", "stages")
over(dvc.repo.reproduce, "plan_repro", "stages")
over(dvc.output.Output, "status", "hashes")
over(dvc.repo.reproduce, "_reproduce", "others")
status = dvc.cli.main(["repro", "--quiet"])
print(json.dumps(spent))
sys.exit(status)
"""
PARTS = {
    "start": "start of Python, imports, git",
    "yaml": "parsing YAML",
    "references": "resolving `${…}` in `dvc.yaml`",
    "stages": "stages and their graph",
    "hashes": "is each input and output as it was?",
    "others": "the rest of the stages' checks",
}
TEXT = """## Nothing to do

`python benchmarks/nothing.py` times functions of DVC in a `dvc repro` that has nothing to do, on
this project and on four stages that copy a line each. These are seconds of the clock, medians of
{times} runs in turn. The ratio is {ratio:.2f} ×, and the goal was 1.15 ×.

| part | this project, s | empty stages, s |
| --- | ---: | ---: |
{rows}

This project has longer YAML files with references, and its stages have more to be looked at:
folders of code, settings, tables and folders of outputs. All of it is DVC's own work.
"""


def spent(folder: Path) -> dict[str, float]:
    """Return the seconds of each part of a run."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    begin = time.perf_counter()
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    whole = time.perf_counter() - begin
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return {**found, "start": whole - sum(found.values()), "all": whole}


def main(times: int) -> None:
    """Measure both in turn, and renew the part of the page."""
    with tempfile.TemporaryDirectory() as temporary:
        own, empty = Path(temporary) / "project", Path(temporary) / "empty"
        folders = own_copy(own), empty_pipeline(empty)
        runs = [[spent(folder) for folder in folders] for _ in range(times + 1)][1:]
    both = [
        {part: median(pair[place].get(part, 0.0) for pair in runs) for part in (*PARTS, "all")}
        for place in (0, 1)
    ]
    rows = [
        f"| {what} | {both[0][part]:.2f} | {both[1][part]:.2f} |"
        for part, what in {**PARTS, "all": "all"}.items()
    ]
    ratio = median(ours["all"] / theirs["all"] for ours, theirs in runs)
    text = TEXT.format(times=times, ratio=ratio, rows="\n".join(rows))
    print(text)
    renew(PAGE, text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=15, help="counted runs of each")
    main(**vars(parser.parse_args()))
