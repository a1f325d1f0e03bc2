"""How often the checks of rows and results report honest tables, and how often faulty ones.

Each made-up table has its own seed. The limits of the checks were chosen on some of the tables with
seeds below 10,000, which aren't used here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import alarms_worlds as worlds
import numpy as np
from alarms_models import advice_rows, result_alarms
from alarms_worlds import COARSE, FINE, KINDS, Table, honest
from scipy.stats import binomtest
from simulated import main, table

from crivo.core.findings import Finding
from crivo.featurization.row_checks import ROW_CHECKS

# A check may report at most so many honest tables.
GOAL = 0.05
# The seed of the first table.
FIRST = 10_000

DEPENDENT = [kind for kind in KINDS if kind not in FINE]
AGAIN = "products sold again"
OTHERS = [kind for kind in KINDS if kind != AGAIN]
ENCODED = partial(worlds.with_encoding, held_out=False)
Maker = Callable[[np.random.Generator], Table]

# Which check looks for a fault, and what was made up -> how; the first ones are honest.
HONEST: dict[tuple[str, str], Maker] = {
    ("L002", "few or dependent columns"): partial(honest, kinds=DEPENDENT),
    ("L002", "tables of all kinds"): honest,
    ("L002", "sensors, split by time"): worlds.by_time,
    ("L005", "tables of all kinds"): partial(honest, sizes=4, strengths=(0.5, 1.0)),
    ("L005", "one strong feature, others weak"): partial(worlds.one_strong, 0.4, 0.7),
    ("L005", "one strong feature with an R² of 0.8"): partial(
        worlds.one_strong, 0.8, 0.8, tasks=["regression"]
    ),
    ("L006", "tables of all kinds"): honest,
    ("L006", "nearly the target, rounded"): worlds.rounded_line,
    ("L008", "tables of all kinds"): honest,
    ("L008", "means of training rows"): ENCODED,
    ("L009", "tables of all kinds but the next"): partial(honest, kinds=OTHERS),
    ("L009", "products that will get new rows"): partial(honest, kinds=[AGAIN]),
    ("L009", "patients without an effect"): partial(worlds.with_groups, effect=0.0),
    ("L009", "means of training rows"): ENCODED,
    ("T001", "tables of all kinds"): honest,
    ("T001", "sensors, split by time"): worlds.by_time,
}
FAULTY: dict[tuple[str, str], Maker] = {
    ("L002", "2 % entered twice, columns with many values"): partial(
        worlds.with_copies, 0.02, FINE, 0
    ),
    ("L002", "each row twice, columns with many values"): partial(worlds.with_copies, 1.0, FINE, 0),
    ("L002", "each row twice, few columns with few values"): partial(
        worlds.with_copies, 1.0, COARSE, 0
    ),
    ("L002", "20 % entered twice, with jitter"): partial(worlds.with_copies, 0.2, FINE, 1e-3),
    ("L005", "a column with ROC AUC 0.95 or R² 0.9"): partial(worlds.one_strong, 0.9, 0.9),
    ("L005", "a column with ROC AUC 0.90 or R² 0.8"): partial(worlds.one_strong, 0.8, 0.8),
    ("L006", "a code or another unit of the target"): worlds.with_code,
    ("L006", "rounded parts of the target"): worlds.with_parts,
    ("L008", "means of all rows"): worlds.with_encoding,
    ("L009", "patients in a column"): partial(worlds.with_groups, effect=1.0),
    ("L009", "patients in no column"): partial(worlds.with_groups, effect=1.0, named=False),
    ("T001", "one column moved by a standard deviation"): worlds.shifted,
}


def reported(
    kinds: dict[tuple[str, str], Maker], seeds: Sequence[int]
) -> Iterator[tuple[str, str, list[bool]]]:
    """Give for each check and kind of table which tables it reports, one for each seed."""
    for (code, what), make in kinds.items():
        made = (make(np.random.default_rng(seed)) for seed in seeds)
        found = (ROW_CHECKS[code].review(one.split_rows()) for one in made)
        yield code, what, [isinstance(told[0], Finding) for told in found]


def row_lines(kinds: dict[tuple[str, str], Maker], tables: int) -> Iterator[list[str]]:
    """Give a line for each check and kind of table: how often the check reports it."""
    for code, what, found in reported(kinds, range(FIRST, FIRST + tables)):
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
    "honest tables": lambda times: table(HONESTLY, row_lines(HONEST, times), (0, 1)),
    "fault": lambda times: table(FAULTS, row_lines(FAULTY, times), (0, 1)),
    "advice": lambda times: table(ADVICE, advice_rows(times, FIRST)),
    "results": lambda times: table(RESULTS, result_rows(times)),
}

if __name__ == "__main__":
    main(__doc__, 400, PARTS)
