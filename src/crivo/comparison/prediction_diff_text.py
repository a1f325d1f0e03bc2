"""Two experiments compared row by row, as text."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan

from crivo.comparison.numbers import with_interval
from crivo.comparison.prediction_diff import PredictionDiff
from crivo.core.layout import a_few, paragraph

# What is shown of the files that differ, and of a row; the function returns all.
MAX_LINES = 8
MAX_COLUMNS = 14
# What a row has besides its raw columns.
OWN = {"id", "change", "target", "one", "other", "loss_grew"}


def prediction_diff_text(found: PredictionDiff) -> str:
    """Return what sets two experiments apart: first the counts of rows, then where and why."""
    counts = ", ".join(f"{n:,} {what}" for what, n in found.counts.items())
    rows = f"{sum(found.counts.values()):,} rows: {counts}{_net(found)}"
    first = paragraph(f"{found.other} against {found.one}: {rows}", "", "  ")
    return "\n".join([*first, *_made(found), *_slices(found), *_rows(found)])


def _net(found: PredictionDiff) -> str:
    """Return the net gain of rows, where any row changed, and whether it is sure."""
    value, low, high = found.net.value, found.net.low, found.net.high
    numbers = found.counts.keys() & {"nearer", "farther"}
    better, worse = ("nearer", "farther") if numbers else ("fixed", "broken")
    if isnan(low):
        gain = f"{better} minus {worse} {value:+.2g} of the rows"
        return f"; {gain}, without an interval, because there is only one cluster"
    if not high > low:
        return ""
    sure = f"more {better}" if low > 0 else f"more {worse}" if high < 0 else "undecided"
    gain = with_interval(value, low, high, sign=True)
    return f"; {better} minus {worse} {gain} of the rows: {sure}"


def _made(found: PredictionDiff) -> Iterator[str]:
    if not found.made:
        yield from ("", "Nothing differs between their runs: no setting, code, data or package.")
        return
    yield from ("", f"What differs ({found.one} → {found.other}):")
    for kind in dict.fromkeys(one.kind for one in found.made):
        part = [one for one in found.made if one.kind == kind]
        for one in part[:MAX_LINES]:
            change = f"{one.one} → {one.other}" if one.one else one.other
            yield from paragraph(f"{kind} {one.what}: {change}", "  ", "    ")
        if len(part) > MAX_LINES:
            yield f"  {kind}: {len(part) - MAX_LINES} more"


def _slices(found: PredictionDiff) -> Iterator[str]:
    changed = [one for one in found.slices if one.verdict in ("better", "worse")]
    if not found.slices:
        yield from ("", "No slice is declared and large enough, or the metric has changed since.")
    elif not changed:
        yield from ("", f"None of {len(found.slices)} slices changed for sure.")
    else:
        yield from ("", f"Slices that changed, {len(changed)} of {len(found.slices)}:")
    for one in changed:
        difference = with_interval(one.difference, one.low, one.high, sign=True)
        text = f"{one.slice}: {one.verdict}, {difference}, {one.rows:,} rows"
        yield from paragraph(text, "  ", "    ")


def _rows(found: PredictionDiff) -> Iterator[str]:
    """Yield the rows that changed most, one paragraph each."""
    for kind in dict.fromkeys(row["change"] for row in found.rows):
        yield from ("", f"Rows {kind}, those whose loss changed most:")
        for row in found.rows:
            if row["change"] == kind:
                own = [f"{name}={_plain(value)}" for name, value in row.items()
                       if name not in OWN and value is not None]  # fmt: skip
                changed = f"{_rounded(row['one'])} → {_rounded(row['other'])}"
                text = f"{row['id']}: target {row['target']}, {changed}; {a_few(own, MAX_COLUMNS)}"
                yield from paragraph(text, "  ", "    ")


def _plain(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")


def _rounded(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
