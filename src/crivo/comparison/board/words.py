"""The board's first screen in words: is anything better than the reference, and what changed?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd

from crivo.comparison.claims import answer
from crivo.comparison.compare import Comparison

SPLITS = {"valid": "validation", "test": "test"}
# In the order in which a reader asks for them.
VERDICTS = ("better", "worse", "equivalent", "identical", "undecided")


def title(comparison: Comparison) -> str:
    """Return what the page is about: how many experiments, and what they are compared with."""
    count = len(comparison.table)
    if not count:
        return f"No experiment can be compared with {comparison.reference}"
    split = SPLITS.get(comparison.split, comparison.split)
    rows = f" on {split} rows" if split else ""
    return f"{_count(count, 'experiment')}{rows}, compared with {comparison.reference}"


def is_better(comparison: Comparison) -> dict[str, Any]:
    """Return the answer to "is anything better?": a sentence, details, and counts by verdict."""
    candidates = comparison.candidates
    counts = {verdict: int((candidates["verdict"] == verdict).sum()) for verdict in VERDICTS}
    detail = answer(comparison)
    if not len(candidates):
        if len(comparison.refused):
            text = f"None can be compared with {comparison.reference}."
            return {"answer": text, "detail": _sentence(detail), "counts": {}}
        advice = "`crivo try key=value` makes an experiment."
        return {"answer": "There is nothing to compare yet.", "detail": advice, "counts": {}}
    metric, reference = comparison.primary, comparison.reference
    compared = f"of {_count(len(candidates), 'experiment')}"
    if not counts["better"]:
        text = f"Not shown: none {compared} is better than {reference} in {metric}."
    elif len(candidates) == 1:
        text = f"Yes: {candidates.index[0]} is better than {reference} in {metric}."
    else:
        verb = "is" if counts["better"] == 1 else "are"
        text = f"Yes: {counts['better']} {compared} {verb} better than {reference} in {metric}."
    kept = {verdict: count for verdict, count in counts.items() if count}
    return {"answer": text, "detail": _sentence(detail), "counts": kept}


def what_changed(comparison: Comparison) -> list[dict[str, str]]:
    """Return what the first better experiments changed; where none is, the one with best value."""
    candidates = comparison.candidates
    better = candidates[candidates["verdict"] == "better"]
    shown = better.head(3) if len(better) else candidates.head(1)
    return [_changed(str(name), row) for name, row in shown.iterrows()]


def _changed(name: str, row: pd.Series) -> dict[str, str]:
    made = _joined([row["author"], f"{row['when']:%Y-%m-%d}"] if row["author"] else [])
    return {
        "name": name,
        "changed": row["changed"] or "no setting and no file",
        "message": row["message"],
        "made": made,
        "verdict": row["verdict"],
    }


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(filter(None, parts))


def _sentence(text: str) -> str:
    return f"{text}." if text and text[-1] not in ".!?" else text


def _count(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
