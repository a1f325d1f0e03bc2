"""How often the checks of rows and results report honest tables, and how often faulty ones.

Each made-up table has its own seed. The limits of the checks were chosen on some of the tables with
seeds below 10,000, which aren't used here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import alarms_worlds as worlds
import numpy as np
from alarms_advice import advice_rows
from alarms_results import result_alarms
from alarms_worlds import KINDS, TASKS, Table, a_size
from scipy.stats import binomtest
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
        "count": a_size(random),
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
            random, count=a_size(random, 4), strength=float(random.choice([0.5, 1.0]))
        ),
        "one strong feature, others weak": worlds.one_strong,
        "one strong feature with an R² of 0.8": partial(worlds.one_strong, r2=0.8),
    },
    "L006": {
        "tables of all kinds": any_kind,
        "nearly the target, rounded": worlds.rounded_line,
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
    ends = binomtest(found, count).proportion_ci(method="exact")
    text = f"{100 * found / count:.{digits}f}"
    text = f"**{text}**" if honest and found > GOAL * count else text
    return f"{text} [{100 * ends.low:.{digits}f}, {100 * ends.high:.{digits}f}]"


HONESTLY = ("check", "honest tables", "tables", "reported, %")
FAULTS = ("check", "fault", "tables", "found, %")

RESULTS = ("model", "tables", "without harm", "found by R003, %", "with harm", "found by R003, %",
           "R002 wrong, %")  # fmt: skip

ADVICE = ("79 features", "tables", "idle by shuffling", "worst cost, %", "reported",
          "their cost, %", "their worst cost, %")  # fmt: skip

PARTS = {
    "honest tables": lambda times: table(HONESTLY, row_lines(HONEST, times), 2),
    "fault": lambda times: table(FAULTS, row_lines(FAULTY, times), 2),
    "advice": lambda times: table(ADVICE, advice_rows(times, FIRST)),
    "results": lambda times: table(RESULTS, result_rows(times)),
}

if __name__ == "__main__":
    main(__doc__, 400, PARTS)
