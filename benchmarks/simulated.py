"""What the simulations share: their options, shares of worlds in per cent, and tables on pages."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

# At most so many equals may be called different.
GOAL = 0.06


def options(about: str | None, worlds: int, *only: str) -> argparse.Namespace:
    """Return how many worlds of each kind are asked for, whether to renew the page, and what of it.

    `only`: names of parts that may be asked for alone.
    """
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("--worlds", type=int, default=worlds, help="of each kind")
    parser.add_argument("--publish", action="store_true", help="renew the table on its page")
    for part in only:
        parser.add_argument(f"--{part}", action="store_true", help=f"the table of {part} only")
    return parser.parse_args()


def quick() -> None:
    """Make fewer draws than for people: what they lack averages out over the worlds."""
    from crivo.statistics import max_t

    max_t.DRAWS = max_t.MIN_DRAWS = 500
    max_t.MAX_STEP_DRAWS, max_t.MIN_STEP_DRAWS, max_t.MAX_CELLS = 200, 100, 4_000


def run(
    about: str | None,
    worlds: int,
    place: str,
    head: Sequence[str],
    rows_of: Callable[[int], Iterable[Sequence[object]]],
    texts: int = 1,
) -> None:
    """Simulate as the command line says, print each row, and renew a table of evidence.md."""
    given, rows = options(about, worlds), []
    for row in rows_of(given.worlds):
        print(*row, sep=" | ", flush=True)
        rows.append(row)
    if given.publish:
        publish("evidence.md", place, [*numbers_of(given.worlds), *table(head, rows, texts)])


def day_of_rows(days: int, rows: int, *, unequal: bool = False) -> np.ndarray:
    """Return each row's day; `unequal`: the largest day has thirty times the smallest one's."""
    sizes = np.full(days, rows)
    if unequal:
        shares = 30 ** np.linspace(0, 1, days)
        sizes = np.rint(shares * rows / shares.mean()).astype(int)
    return np.repeat(np.arange(days), sizes)


def estimates(rows: Any, groups: pd.Categorical, metrics: Sequence[Any]) -> dict[str, Any]:
    """Return metrics of rows, with and without each group."""
    from crivo.evaluation.jackknife import measure_without_each

    found = measure_without_each(rows, groups, metrics)
    return {metric.name: found.estimate(metric) for metric in metrics}


def t_values(differences: np.ndarray) -> np.ndarray:
    """Return T of each column of numbers per cluster; clusters are the last axis but one."""
    error = differences.std(axis=-2, ddof=1) / sqrt(differences.shape[-2])
    return np.asarray(differences.mean(axis=-2) / error)


def mean_of(worlds: int, judge: Callable[[np.random.Generator], Any]) -> np.ndarray:
    """Return the mean of what is found in so many worlds, each with a seed of its own."""
    found = [judge(np.random.default_rng(number)) for number in range(worlds)]
    return np.mean(np.asarray(found, dtype=float), axis=0)


def percent(share: float, low: float = 0.0, high: float = GOAL) -> str:
    """Return a share in per cent, bold if it misses its goal.

    >>> percent(0.05), percent(0.07), percent(0.9, 0.92, 0.98)
    ('5.0', '**7.0**', '**90.0**')
    """
    text = f"{100 * share:.1f}"
    return text if low <= share <= high else f"**{text}**"


def numbers_of(worlds: int, share: float = 0.05) -> list[str]:
    """Return the line that says how many worlds a row has, and its Monte-Carlo error."""
    error, half = (100 * sqrt(p * (1 - p) / worlds) for p in (share, 0.5))
    return [
        f"{worlds:,} data sets per row; ± {error:.1f} at {100 * share:.0f} % "
        f"and ± {half:.1f} at 50 %.",
        "",
    ]


def table(head: Sequence[str], rows: Sequence[Sequence[object]], texts: int = 1) -> list[str]:
    """Return a table as Markdown; the first `texts` columns hold words, the others numbers."""
    marks = ["---"] * texts + ["---:"] * (len(head) - texts)
    return [f"| {' | '.join(map(str, row))} |" for row in (head, marks, *rows)]


def publish(page: str, name: str, lines: Sequence[str]) -> None:
    """Put lines into a page of docs/, between `<!-- NAME -->` and `<!-- end -->`.

    Negative numbers get a minus sign, as everywhere on the pages.
    """
    path = ROOT / "docs" / page
    before, start, rest = path.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not (start and end):
        sys.exit(f"docs/{page} has no place for {name}.")
    text = re.sub(r"(?<=[ \[(])-(?=\d)", "−", "\n".join(["", *lines, "", ""]))
    path.write_text(f"{before}{start}{text}{end}{after}", encoding="utf-8", newline="\n")
