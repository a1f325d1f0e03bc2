"""How long `crivo compare` takes over 10 and 1,000 experiments, and other commands over these.

Run in the project's folder: `python benchmarks/comparing.py --publish`. The experiments are
commits as DVC records them, with this project's own settings, `dvc.lock` and evaluation files and
numbers drawn around its result. Each command is a process of its own; the first comparison of a
clone ("first") fills what later commands ("again") find in `.dvc/tmp`. CPU seconds of the process
and its children, again the least of three, also as multiples of `import pandas`.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from commands import CRIVO, measured
from simulated import ROOT, main, table

# The first is run over few experiments, too.
COMMANDS = ("compare", "compare --json", "prune --dry-run --where before=1d", "board --force")
FOLDER = "metrics/evaluation"
SIZES = (10, 1000)
START = 1_700_000_000
# The standard deviation of a setting's effect, and what one cluster adds to it.
EFFECT, CLUSTER = 0.004, 0.001


NAMES = ("evaluation.json", "intervals.csv", "jackknife.csv", "slices.csv")
PATHS = ["params.yaml", "dvc.lock", *(f"{FOLDER}/{name}" for name in NAMES)]
FILES = {path: (ROOT / path).read_text(encoding="utf-8") for path in PATHS}
STAGES = yaml.safe_load(FILES["dvc.lock"])["stages"]


def record(number: int, random: np.random.Generator) -> dict[str, str]:
    """Return the files of an experiment: those of this project (0), or these with other numbers."""
    files = dict(FILES)
    if not number:
        return files
    rate = f"learning_rate: {0.001 * number:.4g}"
    files["params.yaml"] = re.sub("learning_rate: .*", rate, files["params.yaml"], count=1)
    for out in (*STAGES["train"]["outs"], *STAGES["evaluate"]["outs"]):
        known = out["md5"].removesuffix(".dir")
        own = hashlib.md5(f"{known}{number}".encode(), usedforsecurity=False).hexdigest()
        files["dvc.lock"] = files["dvc.lock"].replace(known, own)
    intervals, jackknife = (pd.read_csv(ROOT / FOLDER / name) for name in NAMES[1:3])
    metrics = [name for name in jackknife if name != "cluster" and "." not in name]
    shifts = pd.Series(random.normal(0, EFFECT, len(metrics)), metrics)
    jackknife[metrics] += random.normal(shifts, CLUSTER, (len(jackknife), len(metrics)))
    moved = intervals["metric"].map(shifts).where(intervals["of"] == "model").fillna(0)
    for end in ("value", "low", "high"):
        intervals[end] += moved
    files[f"{FOLDER}/intervals.csv"] = intervals.to_csv(index=False)
    files[f"{FOLDER}/jackknife.csv"] = jackknife.to_csv(index=False)
    return files


def commits(numbers: Iterable[int], folder: str) -> Iterator[bytes]:
    """Yield the commit of this project (0) or of experiments, as git's fast-import reads them."""
    random = np.random.default_rng(0)
    for number in numbers:
        yield f"commit {folder}/{f'trial-{number}' if number else 'main'}\n".encode()
        yield f"committer Ana <a@b> {START + 60 * number} +0000\n".encode()
        told = "dvc: commit experiment 0123abc" if number else "Start"
        yield f"data {len(told)}\n{told}\n".encode()
        if number:
            yield b"from refs/heads/main^0\n"
        for path, text in record(number, random).items():
            data = text.encode()
            yield f"M 644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def repository(folder: Path, count: int) -> Path:
    """Make a repository with a commit and so many experiments of it, and return its folder."""

    def git(*arguments: str, given: Iterable[bytes] = ()) -> str:
        command, text = ["git", *arguments], b"".join(given)
        done = subprocess.run(command, cwd=folder, input=text, capture_output=True, check=True)
        return done.stdout.decode().strip()

    (folder / ".dvc").mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main")
    git("fast-import", "--quiet", given=commits([0], "refs/heads"))
    parent = git("rev-parse", "main")
    experiments = f"refs/exps/{parent[:2]}/{parent[2:]}"
    git("fast-import", "--quiet", given=commits(range(1, count + 1), experiments))
    git("pack-refs", "--all")
    git("checkout", "--quiet", "main")
    return folder


HEAD = ("command", "experiments", "first, s", "again, s", "again × `import pandas`")


def rows_of() -> Iterator[list[str]]:
    """Give a row for each command and number of experiments."""
    unit = min(measured([sys.executable, "-c", "import pandas"], ROOT).cpu for _ in range(3))
    for size in SIZES:
        with tempfile.TemporaryDirectory() as temporary:
            folder = repository(Path(temporary) / "clone", size)
            for command in COMMANDS if size == max(SIZES) else COMMANDS[:1]:
                whole = [*CRIVO, *command.split()]
                runs = [measured(whole, folder, OMP_NUM_THREADS="1").cpu for _ in range(4)]
                first, again = f"{runs[0]:.1f}" if command == COMMANDS[0] else "", min(runs[1:])
                cells = [first, f"{again:.1f}", f"{again / unit:.1f}"]
                yield [f"`crivo {command}`", f"{size:,}", *cells]


if __name__ == "__main__":
    main(__doc__, None, {"comparing": lambda _: table(HEAD, rows_of())})
