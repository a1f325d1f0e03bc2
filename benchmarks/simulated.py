"""What the benchmarks share: their command line, tables on pages, shares of worlds in per cent.

    python benchmarks/coverage.py --help
    python benchmarks/coverage.py --only shares --times 200 --publish

Simulations take minutes; coverage.py half an hour.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

# At most so many equals may be called different.
GOAL = 0.06


def main(
    about: str | None,
    times: int | None,
    parts: Mapping[str, Callable[[Any], list[str]]],
    page: str = "evidence.md",
) -> None:
    """Print what the command line asks for, and renew the page with `--publish`.

    `parts`: of each place on the page, what gives its lines by the number of repetitions; None is
    that of what isn't repeated.
    """
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    if times is not None:
        help_text = "data sets, runs, or times the rows (default: %(default)s)"
        parser.add_argument("--times", type=int, default=times, help=help_text)
    parser.add_argument("--only", nargs="*", choices=parts, default=parts, help="some tables")
    parser.add_argument("--publish", action="store_true", help=f"renew the tables in docs/{page}")
    given = parser.parse_args(namespace=argparse.Namespace(times=None))
    for place in given.only:
        lines = parts[place](given.times)
        print(*lines, sep="\n", flush=True)
        if given.publish:
            publish(page, place, lines)


def worlds_of(place: str, kind: type) -> list[Any]:
    """Return the kinds of data of a place on the page, as worlds.yaml lists them."""
    text = (ROOT / "benchmarks/worlds.yaml").read_text(encoding="utf-8")
    return [kind(name, **given) for name, given in yaml.safe_load(text)[place].items()]


def quick() -> None:
    """Make fewer draws than for people: what they lack averages out over the worlds."""
    from crivo.statistics import max_t

    max_t.DRAWS = max_t.MIN_DRAWS = 500
    max_t.MAX_STEP_DRAWS, max_t.MIN_STEP_DRAWS, max_t.MAX_CELLS = 200, 100, 4_000


def autoregression(values: np.ndarray, strength: float) -> np.ndarray:
    """Return an autoregression of first order along the last axis, from independent values.

    What varies as much at each place before varies as much afterwards.
    """
    new = sqrt(1 - strength**2)
    for place in range(1, values.shape[-1] if strength else 0):
        values[..., place] = strength * values[..., place - 1] + new * values[..., place]
    return values


def estimates(rows: Any, groups: pd.Categorical, metrics: Sequence[Any]) -> dict[str, Any]:
    """Return metrics of rows, with and without each group."""
    from crivo.evaluation.jackknife import measure_without_each

    found = measure_without_each(rows, groups, metrics)
    return {metric.name: found.estimate(metric) for metric in metrics}


def t_values(differences: np.ndarray) -> np.ndarray:
    """Return T of each column of numbers per cluster; clusters are the last axis but one."""
    error = differences.std(axis=-2, ddof=1) / sqrt(differences.shape[-2])
    return np.asarray(differences.mean(axis=-2) / error)


def mean_of(worlds: int, judge: Callable[..., Any], *given: Any) -> np.ndarray:
    """Return the mean of what is found in so many worlds, each with a seed of its own."""
    found = [judge(np.random.default_rng(number), *given) for number in range(worlds)]
    return np.mean(np.asarray(found, dtype=float), axis=0)


def percent(share: float, low: float = 0.0, high: float = GOAL) -> str:
    """Return a share in per cent, bold if it misses its goal.

    >>> percent(0.05), percent(0.07), percent(0.9, 0.92, 0.98)
    ('5.0', '**7.0**', '**90.0**')
    """
    text = f"{100 * share:.1f}"
    return text if low <= share <= high else f"**{text}**"


def table(
    head: Sequence[str], rows: Iterable[Any], texts: Sequence[int] = (0,), times: int = 0
) -> list[str]:
    """Return a table as Markdown, and tell each row as soon as it is there.

    The columns at the places `texts` hold words, the others numbers. `times`: a line above says of
    how many data sets a row is, and its Monte-Carlo error.
    """
    marks = ["---" if place in texts else "---:" for place in range(len(head))]
    lines = []
    if times:
        errors = (100 * sqrt(share * (1 - share) / times) for share in (0.05, 0.5))
        text = "{:,} data sets per row; ± {:.1f} at 5 % and ± {:.1f} at 50 %."
        lines = [text.format(times, *errors), ""]
    for row in chain((head, marks), rows):
        print(*row, sep=" | ", file=sys.stderr, flush=True)
        lines.append(f"| {' | '.join(map(str, row))} |")
    return lines


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
