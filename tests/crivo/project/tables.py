"""Small made-up tables of the kinds that people bring."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

ROWS = 400


class Kind(NamedTuple):
    """A kind of table, and how it is given to `crivo start` beside its target `y`."""

    rows: Callable[[np.random.Generator], pd.DataFrame]
    options: Sequence[str] = ()
    # What is changed in params.yaml before the tests run: pattern, replacement.
    changes: Sequence[tuple[str, str]] = ()


def counts_by_day(rng: np.random.Generator) -> pd.DataFrame:
    """Counts, and a time that is a number: seconds since 1970."""
    day = np.arange(ROWS)
    warm = np.sin(day / 58) + rng.normal(0, 0.1, ROWS)
    rows = pd.DataFrame({"day": 1_600_000_000 + 86_400 * day, "warm": warm.round(3)})
    rows["holiday"], rows["weather"] = rng.integers(0, 2, ROWS), rng.choice([*"cmr"], ROWS)
    return rows.assign(y=rng.poisson(np.exp(3 + 0.4 * warm)))


def reviews(rng: np.random.Generator) -> pd.DataFrame:
    """Sentences, and whether they praise."""
    good = rng.random(ROWS) < 0.5
    words, praise, blame = (
        text.split() for text in ("film plot actor scene music end", "great lovely", "dull awful")
    )
    said = [[*rng.choice(words, 5), *rng.choice(praise if one else blame, 2)] for one in good]
    texts = [" ".join(rng.permutation(some)) for some in said]
    return pd.DataFrame({"review": texts, "y": np.where(rng.random(ROWS) < 0.9, good, ~good)})


def decimal_commas(rng: np.random.Generator) -> pd.DataFrame:
    """What a German spreadsheet exports: 1.234,50 €, 12,5%, 31.12.2020."""
    days = pd.date_range("2020-01-01", periods=ROWS)
    warm, cost = rng.normal(65, 9, ROWS), rng.gamma(2, 900, ROWS)
    swapped = str.maketrans(",.", ".,")
    return pd.DataFrame(
        {
            "day": days.strftime("%d.%m.%Y"),
            "Temp SF": [f"{one:.1f}".translate(swapped) for one in warm],
            "cost": [f"{one:,.2f} €".translate(swapped) for one in cost],
            "share": [f"{one:.1f}%".translate(swapped) for one in rng.random(ROWS) * 100],
            "sun": rng.choice(["Y", "N", ""], ROWS),
            "y": [f"{one:.1f} €".translate(swapped) for one in warm + rng.normal(0, 5, ROWS)],
        }
    )


def yes_or_no(rng: np.random.Generator) -> pd.DataFrame:
    """Houses, sold in one of five years, with gaps, levels, Y/N, and prices not always known."""
    area, air = rng.gamma(9, 150, ROWS), rng.choice(["Y", "N"], ROWS, p=[0.9, 0.1])
    noise = rng.normal(1, 0.1, ROWS)
    return pd.DataFrame(
        {
            "area": area.round(),
            "Central Air": air,
            "alley": rng.choice(["NA", "Grvl", "Pave"], ROWS, p=[0.9, 0.05, 0.05]),
            "garage": np.where(rng.random(ROWS) < 0.1, None, rng.integers(1900, 2010, ROWS)),
            "seen": [f"{1 + i % 12:02}/{1 + i % 11:02}/2020" for i in range(ROWS)],
            "sold": rng.integers(2006, 2011, ROWS),
            "y": (1000 * area * (1 + 0.2 * (air == "Y")) * noise).round(),
        }
    ).assign(y=lambda rows: rows["y"].where(rng.random(ROWS) > 0.08))


def odd_cells(rng: np.random.Generator) -> pd.DataFrame:
    """Numbers and days among which some cells say in their own way that nothing is known."""
    tenure, known = rng.gamma(2, 20, ROWS).round(1), rng.random(ROWS) > 0.1
    days = pd.date_range("2019-01-01", periods=ROWS, freq="D").strftime("%d/%m/%Y")
    charge = pd.Series(tenure.astype(str)).where(known, "-")
    left = np.where(rng.random(ROWS) < 1 / (1 + tenure / 20), "Yes", "No")
    joined = np.where(known, rng.permutation(days), "unknown")
    seen = np.where(known, "x", None)  # its gaps tell rows apart
    return pd.DataFrame({"charge": charge, "joined": joined, "site": "A", "seen": seen, "y": left})


def visits(rng: np.random.Generator) -> pd.DataFrame:
    """Patients with several visits each, copies of rows, and a weight."""
    number, noise = rng.normal(size=ROWS).round(1), rng.normal(size=ROWS)
    rows = pd.DataFrame({"patient": rng.integers(0, 90, ROWS), "number": number})
    rows["weight"] = rng.gamma(2, 1, ROWS).round(2) + 0.01
    return rows.assign(dose=rng.choice(["low", "high"], ROWS), y=(number + noise > 0.7).astype(int))


def repeated_ids(rng: np.random.Generator) -> pd.DataFrame:
    """Rows named by two columns, a few of them twice."""
    rows = visits(rng).drop(columns="weight")
    rows["visit"] = rows.groupby("patient").cumcount()
    return pd.concat([rows, rows.head(6).assign(y=0)])


def many_classes(rng: np.random.Generator) -> pd.DataFrame:
    """Twelve classes, some of them rare."""
    shares = 1 / np.arange(1, 13)
    kind = rng.choice(12, ROWS, p=shares / shares.sum())
    near = kind + rng.normal(0, 1, len(kind))
    rows = pd.DataFrame({"near": near.round(2), "rest": kind % 4 + rng.normal(0, 1, len(kind))})
    return rows.assign(y=[f"k{one:02d}" for one in kind])


def prices(rng: np.random.Generator) -> pd.DataFrame:
    """Many rows with a heavy-tailed whole number as target, of which the tests take a few."""
    carat = rng.gamma(2, 0.4, 5 * ROWS).round(2)
    cut = rng.choice(["Fair", "Good", "Ideal"], len(carat))
    price = 4000 * carat * rng.lognormal(0, 1, len(carat)) * np.where(cut == "Ideal", 1.2, 1)
    return pd.DataFrame({"carat": carat, "cut": cut, "y": price.round().astype(int)})


BOOSTING = (r"^model: \w+", "model: boosting"), (r"early_stopping: \d+", "early_stopping: 20")
KINDS = {
    "numeric_time": Kind(counts_by_day, ["--time", "day"]),
    "text": Kind(reviews),
    "decimal_comma": Kind(decimal_commas, ["--time", "day"]),
    "yes_or_no": Kind(yes_or_no, ["--time", "sold"]),
    "odd_cells": Kind(odd_cells),
    "weights_and_groups": Kind(visits, ["--weight", "weight", "--group", "patient"]),
    "repeated_ids": Kind(repeated_ids, ["--id", "patient", "--id", "visit", "--group", "patient"]),
    "many_classes": Kind(many_classes),
    "early_stopping_on_few_rows": Kind(prices, changes=BOOSTING),
}
