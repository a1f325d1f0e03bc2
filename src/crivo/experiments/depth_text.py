"""Two experiments in depth, as text that fits 80 columns."""

from __future__ import annotations

from textwrap import wrap

import pandas as pd

from crivo.experiments.depth import Depth
from crivo.experiments.numbers import bracket, decimals, number

WIDTH = 80


def depth_text(depth: Depth) -> str:
    """Return what sets two experiments apart: first the counts of rows, then where and why."""
    lines = [f"{depth.other} against {depth.one}: {_counts(depth.counts)}"]
    lines += _made(depth)
    lines += _slices(depth.slices)
    lines += _rows(depth)
    return "\n".join(lines)


def _counts(counts: pd.Series) -> str:
    return ", ".join(f"{count:,} rows {name}" for name, count in counts.items())


def _made(depth: Depth) -> list[str]:
    if depth.made.empty:
        return ["", "They were made alike: no setting, code, data or package differs."]
    lines = ["", f"What differs ({depth.one} → {depth.other}):"]
    for _, row in depth.made.iterrows():
        change = f"{row['one']} → {row['other']}" if row["one"] else row["other"]
        lines += _wrapped(f"{row['kind']} {row['what']}: {change}")
    return lines


def _slices(slices: pd.DataFrame) -> list[str]:
    if slices.empty:
        return ["", "No slices were declared (evaluate.slices), or all are too small to judge."]
    changed = slices[slices["verdict"].isin(["better", "worse"])]
    if changed.empty:
        return ["", f"None of {len(slices)} slices changed for sure."]
    lines = ["", f"Slices that changed, {len(changed)} of {len(slices)}:"]
    for name, row in changed.iterrows():
        digits = decimals((row["high"] - row["low"]) / 4)
        shown = bracket(row["low"], row["high"], digits, sign=True)
        difference = number(row["difference"], digits, sign=True)
        text = f"{name}: {row['verdict']}, {difference} {shown}, {row['rows']:,} rows"
        lines += _wrapped(text)
    return lines


def _rows(depth: Depth) -> list[str]:
    """Return the rows that changed most, one paragraph each."""
    lines = []
    for kind in dict.fromkeys(depth.rows["change"]):
        part = depth.rows[depth.rows["change"] == kind]
        lines += ["", f"Rows {kind}, those whose loss changed most:"]
        for _, row in part.iterrows():
            raw = row.drop(["id", "change", "target", "one", "other", "loss_grew"]).dropna()
            columns = ", ".join(f"{name}={value}" for name, value in raw.items())
            said = f"{_plain(row['one'])} → {_plain(row['other'])}"
            lines += _wrapped(f"{row['id']}: target {row['target']}, {said}; {columns}")
    return lines


def _plain(value: object) -> str:
    return number(value, 3) if isinstance(value, float) else str(value)


def _wrapped(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="  ", subsequent_indent="    ")
