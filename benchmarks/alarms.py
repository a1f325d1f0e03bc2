"""How often the checks of rows and results report honest tables, and how often faulty ones.

    python benchmarks/alarms.py                            # minutes for each check
    python benchmarks/alarms.py --only L005 --tables 200   # some checks; R: those of results
    python benchmarks/alarms.py --first 20000 --publish    # other tables: each has its own seed

The limits of the checks were chosen on some of the tables with seeds below 10,000.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import alarms_worlds as worlds
import numpy as np
from alarms_advice import advice_rows
from alarms_results import result_alarms
from alarms_worlds import KINDS, SIZES, TASKS, Table
from scipy.stats import beta
from simulated import publish, table

from crivo.featurization.row_checks import ROW_CHECKS

# A check may report at most so many honest tables.
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


FINE, COARSE = (
    ("3 fine columns", "8 fine columns", "25 fine columns"),
    ("4 coarse columns", "10 coarse columns"),
)

AGAIN = "products sold again"

# code -> what was made up -> how; the first ones are honest.
HONEST: dict[str, dict[str, Callable[[np.random.Generator], Table]]] = {
    "L002": {
        "few or dependent columns": lambda random: any_kind(
            random, kind=str(random.choice([k for k in KINDS if k not in FINE]))
        ),
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
        "one strong feature of R² 0.8": lambda random: worlds.one_strong(
            "regression", int(random.choice(SIZES[:4])), random, r2=0.8
        ),
    },
    "L006": {
        "tables of all kinds": any_kind,
        "nearly the target, rounded": worlds.rounded_line,
        "rare classes, columns mostly empty": worlds.mostly_empty,
    },
    "L008": {
        "tables of all kinds": any_kind,
        "means of training rows": lambda random: worlds.with_encoding(random, held_out=False),
    },
    "L009": {
        "tables of all kinds but the next": lambda random: any_kind(
            random, kind=str(random.choice([k for k in KINDS if k != AGAIN]))
        ),
        "products that will get new rows": lambda random: any_kind(random, kind=AGAIN),
        "patients without an effect": lambda random: worlds.with_groups(random, 0.0),
        "means of training rows": lambda random: worlds.with_encoding(random, held_out=False),
    },
    "T001": {
        "tables of all kinds": any_kind,
        "sensors, split by time": worlds.by_time,
        "groups of 5 to 20 alike rows": worlds.grouped,
    },
}
FAULTY: dict[str, dict[str, Callable[[np.random.Generator], Table]]] = {
    "L002": {
        "2 % entered twice, fine columns": copies(0.02, *FINE),
        "each row twice, fine columns": copies(1.0, *FINE),
        "each row twice, few coarse columns": copies(1.0, *COARSE),
        "20 % entered twice with a jitter": lambda random: worlds.with_jitter(
            any_kind(random, kind=str(random.choice(FINE))), random
        ),
    },
    "L005": {
        "a column with ROC AUC 0.95 or R² 0.9": lambda random: worlds.with_leak(random, 0.9),
        "a column with ROC AUC 0.90 or R² 0.8": lambda random: worlds.with_leak(random, 0.8),
    },
    "L006": {
        "a code or another unit of the target": worlds.with_code,
        "rounded parts of the target": worlds.with_parts,
    },
    "L008": {"means of all rows": worlds.with_encoding},
    "L009": {
        "patients in a column": lambda random: worlds.with_groups(random, 1.0),
        "patients in no column": lambda random: worlds.with_groups(random, 1.0, named=False),
    },
    "T001": {"one column moved by a standard deviation": worlds.shifted},
}


def rings(code: str, made: Table) -> bool:
    """Return whether a check of rows finds anything."""
    if code not in ROW_CHECKS:
        return False
    return bool(ROW_CHECKS[code].findings(made.split_rows()))


def row_lines(codes: Iterable[str], honest: bool, tables: int, first: int) -> list[list[str]]:
    """Return a line for each check and kind of table: how often the check reports it."""
    lines = []
    for code in codes:
        for what, make in (HONEST if honest else FAULTY)[code].items():
            seeds = range(first, first + tables)
            found = [rings(code, make(np.random.default_rng(seed))) for seed in seeds]
            lines.append([code, what, f"{tables}", share(found, honest)])
            print(*lines[-1], sep=" | ", flush=True)
    return lines


def result_rows(tables: int, first: int) -> list[list[str]]:
    """Return a line for each model: which checks of results rang, and whether they should have."""
    lines = []
    for model, part in result_alarms(tables, first).groupby("model", sort=False):
        harmless, harmful = part[part["harm"] < 0.05], part[part["harm"] >= 0.2]
        missed = [f"{len(harmful)}", share(harmful["R003"], False)]
        cells = [f"{len(part)}", f"{len(harmless)}", share(harmless["R003"], True), *missed]
        lines.append([str(model), *cells, share(part["R002"], True)])
        print(*lines[-1], "R005 wrong, %", share(part["R005"], True), sep=" | ", flush=True)
    return lines


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


def silent(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines that say of how many kinds of tables none was reported."""
    kinds = Counter(tuple(row[2:]) for row in rows if row[-1].startswith("0.0 ["))
    told = [
        f"{kinds[count, of]} kinds, with {count} tables each, in which nothing was reported "
        f"({of} %)"
        for count, of in sorted(kinds)
    ]
    return ["", f"The table leaves out {', '.join(told)}."] if told else []


RESULTS = ("model", "tables", "without harm", "found by R003, %", "with harm", "found by R003, %",
           "R002 wrong, %")  # fmt: skip

ADVICE = ("79 features", "tables", "idle by shuffling", "worst cost, %", "reported",
          "their cost, %", "their worst cost, %")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=400)
    parser.add_argument("--only", choices=[*HONEST, "R", "R012"], nargs="*", default=[*HONEST, "R"])
    parser.add_argument("--first", type=int, default=10_000, help="the seed of the first table")
    parser.add_argument(
        "--publish", action="store_true", help="renew the tables in docs/evidence.md"
    )
    given = parser.parse_args()
    codes = [code for code in given.only if code in HONEST]
    for honest, heads in ((True, ("honest tables", "reported, %")), (False, ("fault", "found, %"))):
        rows = row_lines(codes, honest, given.tables, given.first)
        if given.publish and codes == [*HONEST]:
            rang = [row for row in rows if not row[-1].startswith("0.0 [")]
            lines = table(["check", heads[0], "tables", heads[1]], rang, 2)
            publish("evidence.md", heads[0], [*lines, *silent(rows)])
    if "R012" in given.only:
        rows = list(advice_rows(given.tables, given.first))
        print(*rows, sep="\n")
        if given.publish:
            publish("evidence.md", "advice", table(ADVICE, rows))
    if "R" in given.only:
        rows = result_rows(given.tables, given.first)
        if given.publish:
            publish("evidence.md", "results", table(RESULTS, rows))


if __name__ == "__main__":
    main()
