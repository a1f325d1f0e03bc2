"""How often the checks of rows and results ring on honest tables, and how often on faulty ones.

    python benchmarks/alarms.py                           # 600 tables of each kind: minutes
    python benchmarks/alarms.py --tables 100
    python benchmarks/alarms.py --output docs/checks.md   # renews its part of that page

The rules from before, where there are others now, are in `benchmarks/alarms_before.py`. Each table
has its own seed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / "src"), str(Path(__file__).parent)]

import alarms_before as before
import alarms_worlds as worlds
from alarms_results import RESULTS, result_alarms
from alarms_worlds import KINDS, SIZES, TASKS, Table

from crivo.featurization.row_checks import ROW_CHECKS

START = "## <a id=\"alarms\"></a>How often a check is wrong\n"
GOAL = 0.05


def any_kind(random: np.random.Generator, **given: Any) -> Table:
    """Return an honest table of any kind, task and size."""
    choice = {
        "kind": str(random.choice(list(KINDS))),
        "task": str(random.choice(TASKS)),
        "count": int(random.choice(SIZES)),
        "strength": float(random.choice([0.5, 1.0, 2.0, 4.0])),
        "rare": float(random.choice([0.05, 0.3, 0.5])),
    } | given
    return worlds.honest(**choice, random=random)


def copies(share: float, *kinds: str) -> Callable[[np.random.Generator], Table]:
    """Return a maker of tables in which so many rows were entered twice."""

    def make(random: np.random.Generator) -> Table:
        return worlds.with_copies(any_kind(random, kind=str(random.choice(kinds))), share, random)

    return make


FINE, COARSE = ("3 fine columns", "25 fine columns"), ("4 coarse columns", "10 coarse columns")

# code -> what was made up -> how; the first ones are honest.
HONEST: dict[str, dict[str, Callable[[np.random.Generator], Table]]] = {
    "L002": {
        "few or dependent columns": lambda random: any_kind(
            random, kind=str(random.choice([k for k in KINDS if k not in FINE]))
        ),
        "tables of all kinds": any_kind,
    },
    "L005": {
        "tables of all kinds": any_kind,
        "one strong feature, others weak": lambda random: worlds.one_strong(
            str(random.choice(TASKS)), int(random.choice(SIZES)), random
        ),
    },
    "L006": {
        "tables of all kinds": any_kind,
        "rare classes, columns mostly empty": worlds.mostly_empty,
    },
    "T001": {
        "tables of all kinds": any_kind,
        "groups of 5 to 20 alike rows": worlds.grouped,
    },
}
FAULTY: dict[str, dict[str, Callable[[np.random.Generator], Table]]] = {
    "L002": {
        "2 % entered twice, fine columns": copies(0.02, *FINE),
        "each row twice, fine columns": copies(1.0, *FINE),
        "each row twice, few coarse columns": copies(1.0, *COARSE),
    },
    "L005": {
        "a column with ROC AUC 0.95 or R² 0.9": lambda random: worlds.with_leak(random, 0.9),
        "a column with ROC AUC 0.90 or R² 0.8": lambda random: worlds.with_leak(random, 0.8),
    },
    "L006": {"a code or another unit of the target": worlds.with_code},
    "T001": {"one column moved by a standard deviation": worlds.shifted},
}
BEFORE: dict[str, Callable[[Table], bool]] = {"L002": before.copies_apart, "L005": before.leak}


def rings(code: str, table: Table) -> bool:
    """Return whether a check of rows finds anything."""
    return bool(ROW_CHECKS[code].findings(table.split_rows()))


def row_alarms(tables: int) -> Iterator[tuple[str, str, str, float | None, float]]:
    """Give code, whether tables are honest, what they are, and how often it rang and rings."""
    for word, makers in (("honest", HONEST), ("faulty", FAULTY)):
        for code, kinds in makers.items():
            for what, make in kinds.items():
                drawn = [make(np.random.default_rng(seed)) for seed in range(tables)]
                rang = np.mean([BEFORE[code](one) for one in drawn]) if code in BEFORE else None
                yield code, word, what, rang, np.mean([rings(code, one) for one in drawn])
                print(code, word, what, rang, flush=True)


def report(tables: int) -> str:
    """Return the results as Markdown, from `START` on."""
    rows = list(row_alarms(tables))
    results = result_alarms(tables // 2)
    lines = [START, *introduction(tables)]
    for word, heading in (
        ("honest", "| check | honest tables | rang before, % | rings now, % |"),
        ("faulty", "| check | with a fault | found before, % | found now, % |"),
    ):
        lines += [heading, "| --- | --- | ---: | ---: |"]
        lines += [_line(row, word) for row in rows if row[1] == word]
        lines += [""]
    return "\n".join([*lines, *RESULTS, *_of_results(results)]) + "\n"


def introduction(tables: int) -> list[str]:
    """Return what was simulated."""
    return [
        f"Written by `benchmarks/alarms.py`: {tables:,} made-up tables in each row, Monte-Carlo",
        f"error {100 * sqrt(0.05 * 0.95 / tables):.1f} points at 5 % and "
        f"{50 / sqrt(tables):.1f} at 50 %. Tables have 200 to 5,000 rows, 2 to 25 columns, fine,",
        "coarse, mostly 0 or dependent on each other, and classes of 5 to 50 %, of all three",
        "tasks. The goal is that at most 5 % of honest tables make a check ring; what misses it is",
        "bold. L001, L003 and L004 count what is there: they can't ring by chance.",
        "",
    ]


def _line(row: tuple[str, str, str, float | None, float], word: str) -> str:
    code, _, what, rang, ring = row
    shares = [_share(one, word == "honest") for one in (rang if rang is not None else ring, ring)]
    return f"| {code} | {what} | {' | '.join(shares)} |"


def _share(share: float, honest: bool) -> str:
    if np.isnan(share):
        return "–"
    text = f"{100 * share:.1f}" if honest else f"{100 * share:.0f}"
    return f"**{text}**" if honest and share > GOAL else text


def _of_results(found: pd.DataFrame) -> list[str]:
    """Return the tables of the checks of results, a line for each model."""
    lines = [
        "| model | R003 without harm, before | now | R003 with harm, before | now | share with harm "
        "| R002 wrong | R005 wrong |",
        "| --- |" + " ---: |" * 7,
    ]
    for model, part in found.groupby("model", sort=False):
        harmless, harmful = part[part["harm"] < 0.05], part[part["harm"] >= 0.2]
        cells = [
            _share(harmless["rang"].mean(), model in before.DEFAULTS),
            _share(harmless["R003"].mean(), True),
            _share(harmful["rang"].mean(), False),
            _share(harmful["R003"].mean(), False),
            _share(len(harmful) / len(part), False),
            _share(part["R002"].mean(), True),
            _share(part["R005"].mean(), True),
        ]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return lines


def renewed(page: str, part: str) -> str:
    """Return a page with this part in place of what it had from `START` on."""
    return page.split(START)[0].rstrip() + "\n\n" + part


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=600)
    parser.add_argument("--output", type=Path, help="the page whose part is renewed")
    options = parser.parse_args()
    part = report(options.tables)
    print(part)
    if options.output:
        page = options.output.read_text(encoding="utf-8")
        options.output.write_text(renewed(page, part), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
