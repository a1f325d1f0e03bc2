"""How often the checks of rows and results report honest tables, and how often faulty ones.

    python benchmarks/alarms.py                            # renews its part of docs/checks.md
    python benchmarks/alarms.py --only L005 --tables 200   # or the lines of some checks; R: results
    python benchmarks/alarms.py --first 20000              # of other tables: each has its own seed

Each check takes minutes. `benchmarks/alarms_before.py` has the rules from before, where there are
others now.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import alarms_before as before
import alarms_worlds as worlds
from alarms_results import RESULTS, result_alarms
from alarms_worlds import KINDS, SIZES, TASKS, Table

from crivo.checks.documentation import PAGE, SIMULATED
from crivo.featurization.row_checks import ROW_CHECKS

GOAL = 0.05
# The limits of the checks were chosen on some of the tables with seeds below this one.
FIRST = 10_000
INTRODUCTION = [
    "Written by `benchmarks/alarms.py`, from made-up tables of 200 to 5,000 rows and 2 to 25",
    "columns. The columns have many distinct values or few, are mostly 0, or depend on each",
    "other. The tables cover all three tasks, with classes of 5 to 50 %. Each table has its own",
    "seed. The limits of the checks were chosen on some tables with seeds below 10,000; tables",
    "with larger seeds weren't used to choose anything. In brackets are 95 % intervals",
    "(Clopper-Pearson). The goal is that a check reports at most 5 % of honest tables; rates that",
    "miss this goal are bold. L001, L003 and L004 count what is there, and R001 and R004 test for",
    "equality, so chance plays no part in them. For L005, a column is honest up to a ROC AUC of",
    "0.85 or an R² of 0.7. *Before* is without the limits of [decision",
    "0030](decisions/0030-what-a-check-may-ring-for.md).",
    "",
]
RESULT_HEAD = [
    "| model | tables | seeds from | without harm | R003 of these: before, % | now, % | with harm |"
    " R003 of these: before, % | now, % | R002 wrong, % | R005 wrong, % |",
    "| --- |" + " ---: |" * 10,
]
MODELS = (
    "boosting",
    "forest",
    "linear",
    "a forest without a limit",
    "a tree without a limit",
    "the nearest neighbour",
)


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


FINE, COARSE = (
    ("3 fine columns", "8 fine columns", "25 fine columns"),
    ("4 coarse columns", "10 coarse columns"),
)

# code -> what was made up -> how; the first ones are honest.
HONEST: dict[str, dict[str, Callable[[np.random.Generator], Table]]] = {
    "L002": {
        "few or dependent columns": lambda random: any_kind(
            random, kind=str(random.choice([k for k in KINDS if k not in FINE]))
        ),
        "tables of all kinds": any_kind,
    },
    "L005": {
        "tables of all kinds": lambda random: any_kind(
            random, count=int(random.choice(SIZES[:4])), strength=float(random.choice([0.5, 1.0]))
        ),
        "one strong feature, others weak": lambda random: worlds.one_strong(
            random.choice(TASKS), int(random.choice(SIZES[:4])), random
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
BEFORE: dict[str, Callable[[Table], bool]] = {
    "L002": before.copies_apart,
    "L005": before.leak,
    "L006": before.classes_given,
    "T001": before.shifted,
}


def rings(code: str, table: Table) -> bool:
    """Return whether a check of rows finds anything."""
    return bool(ROW_CHECKS[code].findings(table.split_rows()))


def row_lines(code: str, tables: int, first: int) -> Iterator[str]:
    """Give a line for each kind of table: how many there were, how often a check rang and rings."""
    for honest, makers in ((True, HONEST), (False, FAULTY)):
        for what, make in makers[code].items():
            rang, rung = np.zeros((2, tables), bool)
            for seed in range(tables):
                table = make(np.random.default_rng(first + seed))
                with before.strengths_once():
                    rang[seed], rung[seed] = BEFORE[code](table), rings(code, table)
            cells = (_share(rang, honest), _share(rung, honest, interval=True))
            yield f"| {code} | {what} | {tables} | {first} | {' | '.join(cells)} |"


def report(page: str, new: Mapping[str, str]) -> str:
    """Return the simulated part as Markdown, with the new lines and those that the page has."""
    old = {_key(line): line for line in page.partition(SIMULATED)[2].splitlines()}
    lines = [SIMULATED, *INTRODUCTION]
    for heading, makers in (("honest tables | reported", HONEST), ("with a fault | found", FAULTY)):
        lines += [
            f"| check | {heading.split(' | ')[0]} | tables | seeds from "
            f"| {heading.split(' | ')[1]} before, % | now, % |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
        ]
        keys = [f"{code} | {what}" for code, kinds in makers.items() for what in kinds]
        lines += [line for key in keys if (line := new.get(key, old.get(key)))]
        lines += [""]
    lines += [*RESULTS, *RESULT_HEAD]
    lines += [line for key in MODELS if (line := new.get(key, old.get(key)))]
    return "\n".join(lines) + "\n"


def _key(line: str) -> str:
    """Return what a line of a table is about."""
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    return cells[0] if cells[0] in MODELS else " | ".join(cells[:2])


def _share(rang: Iterable[bool], honest: bool, interval: bool = False) -> str:
    """Return the share of tables as a cell, in percent; bold if it misses the goal."""
    each = np.array(list(rang), bool)
    if not len(each):
        return "–"
    share, digits = each.mean(), 1 if honest else 0
    text = f"{100 * share:.{digits}f}"
    text = f"**{text}**" if honest and share > GOAL else text
    low, high = clopper_pearson(int(each.sum()), len(each))
    return f"{text} [{100 * low:.{digits}f}, {100 * high:.{digits}f}]" if interval else text


def clopper_pearson(found: int, count: int) -> tuple[float, float]:
    """Return the exact 95 % interval of a share."""
    low = beta.ppf(0.025, found, count - found + 1) if found else 0.0
    high = beta.ppf(0.975, found + 1, count - found) if found < count else 1.0
    return float(low), float(high)


def result_lines(tables: int, first: int) -> Iterator[str]:
    """Give a line for each model: which checks of results rang, and whether they should have."""
    for model, part in result_alarms(tables, first).groupby("model", sort=False):
        harmless, harmful = part[part["harm"] < 0.05], part[part["harm"] >= 0.2]
        cells = [
            f"{len(part)} | {first} | {len(harmless)}",
            _share(harmless["rang"], True),
            _share(harmless["R003"], True, interval=True),
            f"{len(harmful)}",
            _share(harmful["rang"], False),
            _share(harmful["R003"], False, interval=True),
            _share(part["R002"], True, interval=True),
            _share(part["R005"], True, interval=True),
        ]
        yield f"| {model} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--only", choices=[*HONEST, "R"], nargs="*", default=[*HONEST, "R"])
    parser.add_argument("--first", type=int, default=FIRST, help="the seed of the first table")
    options = parser.parse_args()
    given = options.tables, options.first
    for code in options.only:
        lines = result_lines(*given) if code == "R" else row_lines(code, *given)
        new = {_key(line): line for line in lines}
        print(*new.values(), sep="\n", flush=True)
        page = PAGE.read_text(encoding="utf-8")
        # `benchmarks/alarms_quality.py` writes the part after it.
        _, start, others = page.partition('## <a id="quality-alarms">')
        before = page.partition(SIMULATED)[0].rstrip()
        page = f"{before}\n\n{report(page, new)}" + (f"\n{start}{others}" if start else "")
        PAGE.write_text(page, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
