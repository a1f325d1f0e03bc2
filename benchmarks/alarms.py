"""How often the checks of rows and results report honest tables, and how often faulty ones.

    python benchmarks/alarms.py                            # minutes for each check
    python benchmarks/alarms.py --only results --times 200 # some of the page's tables
    python benchmarks/alarms.py --publish

Each made-up table has its own seed. The limits of the checks were chosen on some of the tables with
seeds below 10,000, which aren't used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import alarms_worlds as worlds
import numpy as np
from alarms_advice import advice_rows
from alarms_results import result_alarms
from alarms_worlds import KINDS, SIZES, TASKS, Table
from scipy.stats import beta
from simulated import main, table

from crivo.featurization.row_checks import ROW_CHECKS

# A check may report at most so many honest tables.
GOAL = 0.05
# The seed of the first table.
FIRST = 10_000


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


def one_of(random: np.random.Generator, kinds: Iterable[str], **given: Any) -> Table:
    """Return an honest table of one of some kinds, of any task and size."""
    return any_kind(random, kind=str(random.choice(list(kinds))), **given)


def copies(random: np.random.Generator, share: float, kinds: Iterable[str]) -> Table:
    """Return a table in which so many rows were entered twice."""
    return worlds.with_copies(one_of(random, kinds), share, random)


FINE = ("3 fine columns", "8 fine columns", "25 fine columns")
COARSE = ("4 coarse columns", "10 coarse columns")
AGAIN = "products sold again"
ENCODED = partial(worlds.with_encoding, held_out=False)
Maker = Callable[[np.random.Generator], Table]

# code -> what was made up -> how; the first ones are honest.
HONEST: dict[str, dict[str, Maker]] = {
    "L002": {
        "few or dependent columns": partial(one_of, kinds=[k for k in KINDS if k not in FINE]),
        "tables of all kinds": any_kind,
        "sensors, split by time": worlds.by_time,
    },
    "L005": {
        "tables of all kinds": lambda random: any_kind(
            random, count=int(random.choice(SIZES[:4])), strength=float(random.choice([0.5, 1.0]))
        ),
        "one strong feature, others weak": lambda random: worlds.one_strong(
            random.choice(TASKS), int(random.choice(SIZES[:4])), random
        ),
        "one strong feature with an R² of 0.8": lambda random: worlds.one_strong(
            "regression", int(random.choice(SIZES[:4])), random, r2=0.8
        ),
    },
    "L006": {
        "tables of all kinds": any_kind,
        "nearly the target, rounded": worlds.rounded_line,
        "rare classes, columns mostly empty": worlds.mostly_empty,
    },
    "L008": {"tables of all kinds": any_kind, "means of training rows": ENCODED},
    "L009": {
        "tables of all kinds but the next": partial(
            one_of, kinds=[kind for kind in KINDS if kind != AGAIN]
        ),
        "products that will get new rows": partial(any_kind, kind=AGAIN),
        "patients without an effect": partial(worlds.with_groups, effect=0.0),
        "means of training rows": ENCODED,
    },
    "T001": {
        "tables of all kinds": any_kind,
        "sensors, split by time": worlds.by_time,
        "groups of 5 to 20 alike rows": worlds.grouped,
    },
}
FAULTY: dict[str, dict[str, Maker]] = {
    "L002": {
        "2 % entered twice, columns with many values": partial(copies, share=0.02, kinds=FINE),
        "each row twice, columns with many values": partial(copies, share=1.0, kinds=FINE),
        "each row twice, few columns with few values": partial(copies, share=1.0, kinds=COARSE),
        "20 % entered twice, with jitter": lambda random: worlds.with_jitter(
            one_of(random, FINE), random
        ),
    },
    "L005": {
        "a column with ROC AUC 0.95 or R² 0.9": partial(worlds.with_leak, strength=0.9),
        "a column with ROC AUC 0.90 or R² 0.8": partial(worlds.with_leak, strength=0.8),
    },
    "L006": {
        "a code or another unit of the target": worlds.with_code,
        "rounded parts of the target": worlds.with_parts,
    },
    "L008": {"means of all rows": worlds.with_encoding},
    "L009": {
        "patients in a column": partial(worlds.with_groups, effect=1.0),
        "patients in no column": partial(worlds.with_groups, effect=1.0, named=False),
    },
    "T001": {"one column moved by a standard deviation": worlds.shifted},
}


def rings(code: str, made: Table) -> bool:
    """Return whether a check of rows finds anything."""
    return bool(ROW_CHECKS[code].findings(made.split_rows()))


def row_lines(kinds: dict[str, dict[str, Maker]], tables: int) -> Iterator[list[str]]:
    """Give a line for each check and kind of table: how often the check reports it."""
    for code, made in kinds.items():
        for what, make in made.items():
            seeds = range(FIRST, FIRST + tables)
            found = [rings(code, make(np.random.default_rng(seed))) for seed in seeds]
            yield [code, what, f"{tables}", share(found, kinds is HONEST)]


def result_rows(tables: int) -> Iterator[list[str]]:
    """Give a line for each model: which checks of results rang, and whether they should have."""
    for model, part in result_alarms(tables, FIRST).groupby("model", sort=False):
        harmless, harmful = part[part["harm"] < 0.05], part[part["harm"] >= 0.2]
        print("R005 wrong, %", model, share(part["R005"], True), flush=True)
        missed = [f"{len(harmful)}", share(harmful["R003"], False)]
        cells = [f"{len(part)}", f"{len(harmless)}", share(harmless["R003"], True), *missed]
        yield [str(model), *cells, share(part["R002"], True)]


def share(rang: Iterable[bool], honest: bool) -> str:
    """Return a share in per cent with its exact 95 % interval; bold if it misses the goal."""
    each = np.array(list(rang), bool)
    if not len(each):
        return "–"
    found, count, digits = int(each.sum()), len(each), 1 if honest else 0
    low = beta.ppf(0.025, found, count - found + 1) if found else 0.0
    high = beta.ppf(0.975, found + 1, count - found) if found < count else 1.0
    text = f"{100 * found / count:.{digits}f}"
    text = f"**{text}**" if honest and found > GOAL * count else text
    return f"{text} [{100 * low:.{digits}f}, {100 * high:.{digits}f}]"


def honest_lines(tables: int) -> list[str]:
    """Return the table of honest tables, and of how many kinds none was reported."""
    rows = list(row_lines(HONEST, tables))
    rang = [row for row in rows if not row[-1].startswith("0.0 [")]
    kinds = Counter(tuple(row[2:]) for row in rows if row not in rang)
    told = [
        f"{kinds[count, of]} kinds, with {count} tables each, in which nothing was reported "
        f"({of} %)"
        for count, of in sorted(kinds)
    ]
    text = ["", f"The table leaves out {', '.join(told)}."] if told else []
    return [*table(("check", "honest tables", "tables", "reported, %"), rang, 2), *text]


FAULTS = ("check", "fault", "tables", "found, %")

RESULTS = ("model", "tables", "without harm", "found by R003, %", "with harm", "found by R003, %",
           "R002 wrong, %")  # fmt: skip

ADVICE = ("79 features", "tables", "idle by shuffling", "worst cost, %", "reported",
          "their cost, %", "their worst cost, %")  # fmt: skip

PARTS = {
    "honest tables": honest_lines,
    "fault": lambda times: table(FAULTS, row_lines(FAULTY, times), 2),
    "advice": lambda times: table(ADVICE, advice_rows(times, FIRST)),
    "results": lambda times: table(RESULTS, result_rows(times)),
}

if __name__ == "__main__":
    main(__doc__, 400, PARTS)
