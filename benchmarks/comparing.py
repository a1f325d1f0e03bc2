"""How long `crivo compare` takes over 10, 100 and 1,000 experiments, and how it grows.

Run in the project's folder: `python benchmarks/comparing.py [10 100 1000]`. The experiments are
commits as DVC records them, with this project's own settings, `dvc.lock` and evaluation files and
numbers drawn around its result. Each command is a process of its own; the first comparison of a
clone ("first") fills what later commands ("again") find in `.dvc/tmp`. CPU seconds of the process
and its children, again the least of three, also as multiples of `import pandas`.
"""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from commands import CRIVO, measured
from simulated import ROOT, table

COMPARE = ("compare",)
# What else reads all experiments.
OTHERS = (
    ("compare", "--json"),
    ("prune", "--dry-run", "--where", "before=1d"),
    ("board", "--force"),
)
FOLDER = "metrics/evaluation"
SIZES = (10, 100, 1000)
START = 1_700_000_000
# The standard deviation of a setting's effect, and what one cluster adds to it.
EFFECT, CLUSTER = 0.004, 0.001


def record(number: int, random: np.random.Generator) -> dict[str, str]:
    """Return the files of an experiment: those of this project with other numbers."""
    names = ("evaluation.json", "intervals.csv", "jackknife.csv", "slices.csv")
    paths = ["params.yaml", "dvc.lock", *(f"{FOLDER}/{name}" for name in names)]
    files = {path: (ROOT / path).read_text(encoding="utf-8") for path in paths}
    if not number:
        return files
    rate = f"learning_rate: {0.001 * number:.4g}"
    files["params.yaml"] = re.sub("learning_rate: .*", rate, files["params.yaml"], count=1)
    files["dvc.lock"] = _with_own_results(files["dvc.lock"], number)
    intervals, jackknife = (
        pd.read_csv(io.StringIO(files[f"{FOLDER}/{name}"])) for name in names[1:3]
    )
    metrics = [name for name in jackknife if name != "cluster" and "." not in name]
    shifts = pd.Series(random.normal(0, EFFECT, len(metrics)), metrics)
    jackknife[metrics] += random.normal(shifts, CLUSTER, (len(jackknife), len(metrics)))
    moved = intervals["metric"].map(shifts).where(intervals["of"] == "model").fillna(0)
    for end in ("value", "low", "high"):
        intervals[end] += moved
    files[f"{FOLDER}/intervals.csv"] = intervals.to_csv(index=False)
    files[f"{FOLDER}/jackknife.csv"] = jackknife.to_csv(index=False)
    return files


def _with_own_results(lock: str, number: int) -> str:
    """Return a `dvc.lock` whose training and evaluation gave other files."""
    head, sign, tail = lock.partition("  train:\n")
    out, own = False, []
    for line in tail.splitlines(keepends=True):
        out = {"outs:": True, "deps:": False}.get(line.strip(), out)
        if out and line.strip().startswith("md5: ") and not line.rstrip().endswith(".dir"):
            digest = hashlib.md5(f"{line}{number}".encode(), usedforsecurity=False).hexdigest()
            line = f"{line.partition('md5:')[0]}md5: {digest}\n"
        own.append(line)
    return head + sign + "".join(own)


def _stream(count: int) -> Iterator[bytes]:
    """Yield a commit and so many experiments of it, as git's fast-import reads them."""
    random = np.random.default_rng(0)
    for number in range(count + 1):
        ref = "refs/heads/main" if not number else f"refs/heads/trial-{number}"
        told = b"Start" if not number else b"dvc: commit experiment 0123abc"
        yield f"commit {ref}\nmark :{number + 1}\n".encode()
        yield f"committer Ana <a@b> {START + 60 * number} +0000\n".encode()
        yield b"data %d\n%s\n" % (len(told), told)
        if number:
            yield b"from :1\n"
        for path, text in record(number, random).items():
            data = text.encode()
            yield f"M 644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def repository(folder: Path, count: int) -> Path:
    """Make a repository with a commit and so many experiments of it, and return its folder."""

    def git(*arguments: str, given: bytes = b"") -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, input=given, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    folder.mkdir(parents=True)
    git("init", "--quiet", "--initial-branch=main")
    (folder / ".dvc").mkdir()
    git("fast-import", "--quiet", given=b"".join(_stream(count)))
    parent = git("rev-parse", "main")
    tips = git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/trial-*")
    moves = [line.split() for line in tips.splitlines()]
    orders = [
        f"create refs/exps/{parent[:2]}/{parent[2:]}/{ref.rpartition('/')[2]} {commit}\n"
        f"delete {ref} {commit}\n"
        for ref, commit in moves
    ]
    git("update-ref", "--stdin", given="".join(orders).encode())
    git("pack-refs", "--all")
    git("checkout", "--quiet", "main")
    return folder


def of_crivo(arguments: Sequence[str], folder: Path) -> float:
    """Return the CPU seconds of a command of crivo's."""
    return measured([*CRIVO, *arguments], folder, OMP_NUM_THREADS="1").cpu


HEAD = ("command", "experiments", "first, s", "again, s", "again × `import pandas`")


def rows_of(sizes: Sequence[int]) -> Iterator[list[str]]:
    """Give a row for each command and number of experiments."""
    unit = min(measured([sys.executable, "-c", "import pandas"], ROOT).cpu for _ in range(3))
    for size in sizes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = repository(Path(temporary) / "clone", size)
            first = f"{of_crivo(COMPARE, folder):.1f}"
            for command in (COMPARE, *(OTHERS if size == max(sizes) else ())):
                again = min(of_crivo(command, folder) for _ in range(3))
                name = f"`crivo {' '.join(command)}`"
                yield [name, f"{size:,}", first, f"{again:.1f}", f"{again / unit:.1f}"]
                first = ""


if __name__ == "__main__":
    asked = [int(text) for text in sys.argv[1:]]
    print(*table(HEAD, rows_of(asked or SIZES)), sep="\n")
