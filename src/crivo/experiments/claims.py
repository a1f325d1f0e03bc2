"""What a comparison shows of a metric, in words: harm, no harm, or what would decide it."""

from __future__ import annotations

from math import isfinite

import pandas as pd


def other_metrics(row: pd.Series) -> str:
    """Say what is shown of the other metrics: harm, and no harm; the rest is in neither list."""
    also, other = ("also ", "other ") if row["verdict"] == "worse" else ("", "")
    no_harm = f"no {other}metric is shown to be worse"
    worse = f"{also}worse in {row['worse']}" if row["worse"] else no_harm
    return f"{worse}; not worse in {row['not_worse']}" if row["not_worse"] else worse


def all_worse(row: pd.Series, primary: str) -> str:
    """Return every metric that is shown to be worse, the primary one first; empty for none."""
    own = primary if row["verdict"] == "worse" else ""
    return ", ".join(filter(None, (own, row["worse"])))


def verdict_words(row: pd.Series) -> str:
    """Return a metric's verdict, and that it isn't worse where no more is shown."""
    only = bool(row["not_worse"]) and row["verdict"] == "undecided"
    return "undecided, not worse" if only else str(row["verdict"])


def plan(row: pd.Series) -> str:
    """Return how many clusters would decide what these leave undecided; empty elsewhere."""
    needed, now = row["clusters_needed"], row["clusters"]
    if row["verdict"] != "undecided" or pd.isna(needed):
        return ""
    if not isfinite(needed):
        return (
            f"A hundred times as many clusters as these {now:.3g} wouldn't decide such a small "
            "difference."
        )
    return (
        f"{needed:,.0f} clusters like these {now:.3g} would decide it in four of five cases, if "
        "the true difference is the observed one."
    )
