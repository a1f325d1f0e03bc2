"""Two experiments in depth, as text that fits 80 columns."""

from __future__ import annotations

from textwrap import wrap

import pandas as pd

from crivo.experiments.numbers import bracket, decimals, number
from crivo.experiments.prediction_diff import PredictionDiff

WIDTH = 80

# What is shown of the files that differ, and of a row; the function returns all.
MAX_LINES = 8
MAX_COLUMNS = 14


def prediction_diff_text(depth: PredictionDiff) -> str:
    """Return what sets two experiments apart: first the counts of rows, then where and why."""
    first = f"{depth.other} against {depth.one}: {_counts(depth.counts)}{_net(depth)}"
    lines = wrap(first, WIDTH, subsequent_indent="  ")
    lines += _made(depth)
    lines += _slices(depth.slices)
    lines += _rows(depth)
    return "\n".join(lines)


def _counts(counts: pd.Series) -> str:
    return f"{counts.sum():,} rows: " + ", ".join(f"{n:,} {what}" for what, n in counts.items())


def _net(depth: PredictionDiff) -> str:
    """Return the net gain of rows, where any row changed, and whether it is sure."""
    value, low, high = depth.net[["value", "low", "high"]]
    numbers = {"nearer", "farther"} & set(depth.counts.index)
    better, worse = ("nearer", "farther") if numbers else ("fixed", "broken")
    if pd.isna(low):
        gain = f"{better} minus {worse} {value:+.2g} of the rows"
        return f"; {gain}, without an interval, because there is only one cluster"
    if not high > low:
        return ""
    sure = f"more {better}" if low > 0 else f"more {worse}" if high < 0 else "these rows can't tell"
    digits = decimals((high - low) / 4)
    shown = bracket(low, high, digits, sign=True)
    gain = f"{better} minus {worse} {number(value, digits, sign=True)} {shown} of the rows"
    return f"; {gain}: {sure}"


def _made(depth: PredictionDiff) -> list[str]:
    if depth.made.empty:
        return ["", "Nothing differs between their runs: no setting, code, data or package."]
    lines = ["", f"What differs ({depth.one} → {depth.other}):"]
    for kind, part in depth.made.groupby("kind", sort=False):
        for _, row in part.head(MAX_LINES).iterrows():
            change = f"{row['one']} → {row['other']}" if row["one"] else row["other"]
            lines += _wrapped(f"{kind} {row['what']}: {change}")
        if len(part) > MAX_LINES:
            lines.append(f"  {kind}: {len(part) - MAX_LINES} more")
    return lines


def _slices(slices: pd.DataFrame) -> list[str]:
    if slices.empty:
        return ["", "No slices were declared (evaluate.slices), or all are too small."]
    changed = slices[slices["verdict"].isin(["better", "worse"])]
    if changed.empty:
        return ["", f"None of {len(slices)} slices changed for sure."]
    lines = ["", f"Slices that changed, {len(changed)} of {len(slices)}:"]
    for name, row in changed.iterrows():
        digits = decimals((row["high"] - row["low"]) / 4)
        limits = bracket(row["low"], row["high"], digits, sign=True)
        difference = number(row["difference"], digits, sign=True)
        text = f"{name}: {row['verdict']}, {difference} {limits}, {row['rows']:,} rows"
        lines += _wrapped(text)
    return lines


def _rows(depth: PredictionDiff) -> list[str]:
    """Return the rows that changed most, one paragraph each."""
    lines = []
    for kind in dict.fromkeys(depth.rows["change"]):
        part = depth.rows[depth.rows["change"] == kind]
        lines += ["", f"Rows {kind}, those whose loss changed most:"]
        for _, row in part.iterrows():
            raw = row.drop(["id", "change", "target", "one", "other", "loss_grew"]).dropna()
            columns = [f"{name}={_plain(value)}" for name, value in raw.items()]
            more = [f"{len(columns) - MAX_COLUMNS} more"] if len(columns) > MAX_COLUMNS else []
            predictions = f"{_said(row['one'])} → {_said(row['other'])}"
            lines += _wrapped(
                f"{row['id']}: target {row['target']}, {predictions}; "
                f"{', '.join([*columns[:MAX_COLUMNS], *more])}"
            )
    return lines


def _plain(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")


def _said(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
