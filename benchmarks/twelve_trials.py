"""Twelve trials on the flights, read one at a time and all at once.

    git clone . ../twelve && cd ../twelve && make repro
    .venv/bin/python benchmarks/twelve_trials.py              # runs the trials: ten minutes
    .venv/bin/python benchmarks/twelve_trials.py --output ../crivo/docs/verdicts.md

After each trial its verdict is read, and at the end all are read again. Each of the two must be
the same, whatever was tried later.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from pages import renewed

START = "## Twelve trials on the flights\n"
TRIALS = (
    ("models.boosting.learning_rate=0.05",),
    ("models.boosting.learning_rate=0.2",),
    ("models.boosting.max_iter=100",),
    ("models.boosting.max_leaf_nodes=15",),
    ("models.boosting.max_leaf_nodes=63",),
    ("models.boosting.min_samples_leaf=100",),
    ("models.boosting.l2_regularization=1.0",),
    ("model=linear",),
    ("model=linear", "models.linear.C=0.1"),
    ("featurizers.flights.plane=false",),
    ("featurizers.flights.weather=false",),
    ("featurizers.flights.history=false",),
)


def crivo(*arguments: str) -> str:
    """Return what a command of crivo prints."""
    command = [str(Path(sys.executable).parent / "crivo"), *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def read(*names: str) -> dict[str, dict[str, object]]:
    """Return each experiment's row of the comparison with the commit that is checked out."""
    found = json.loads(crivo("compare", *names, "--against", "HEAD", "--json"))
    return {one["name"]: one for one in found["experiments"]}


def shown(row: dict[str, object]) -> str:
    """Return a row's verdict with the interval that it follows from."""
    numbers = (f"{row[name]:+.4f}" for name in ("difference_low", "difference_high"))
    return f"{row['verdict']} [{', '.join(numbers)}]"


def report(first: dict[str, dict[str, object]], last: dict[str, dict[str, object]]) -> str:
    """Return the trials in their order as Markdown."""
    same = sum(shown(first[name]) == shown(last[name]) for name in first)
    lines = [
        START,
        "Written by `benchmarks/twelve_trials.py`. The table shows the difference in ROC AUC",
        "from the checked-out commit, on the validation rows of the flights and in an open",
        "sequence. Each trial was read alone when it was made, and again at the end, with all",
        f"the others. {same} of {len(first)} verdicts and intervals are the same. *Spent* is the",
        "part of the 5 % that the trial may spend.",
        "",
        "| trial | difference | spent, % | read when it was made | read at the end |",
        "| --- | ---: | ---: | --- | --- |",
    ]
    for name, row in first.items():
        spent = f"{100 * float(str(row['spent'])):.2f}"
        cells = [name, f"{row['difference']:+.4f}", spent, shown(row), shown(last[name])]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="the page whose part is to be renewed")
    options = parser.parse_args()
    first: dict[str, dict[str, object]] = {}
    for number, changes in enumerate(TRIALS, 1):
        name = f"trial-{number:02d}"
        crivo("try", *changes, "--name", name)
        title = ", ".join(change.removeprefix("models.") for change in changes)
        first[title] = read(name)[name]
        print(name, title, shown(first[title]), flush=True)
    numbers = {title: f"trial-{number:02d}" for number, title in enumerate(first, 1)}
    all_rows = read(*numbers.values())
    part = report(first, {title: all_rows[name] for title, name in numbers.items()})
    print(part)
    if options.output:
        page = options.output.read_text(encoding="utf-8")
        options.output.write_text(renewed(page, part), encoding="utf-8")


if __name__ == "__main__":
    main()
