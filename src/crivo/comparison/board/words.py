"""The board's first screen in words: whether anything beats the reference, and what changed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from crivo.comparison.result import Comparison
from crivo.core.layout import counted

SPLITS = {"valid": "validation", "test": "test"}
# In the order in which a reader asks for them.
VERDICTS = ("better", "worse", "equivalent", "identical", "undecided")


def title(comparison: Comparison) -> str:
    """Return what the page is about: how many experiments, and what they are compared with."""
    count = len(comparison.experiments)
    if not count:
        return f"No experiment can be compared with {comparison.reference}"
    split = SPLITS.get(comparison.split, comparison.split)
    rows = f" on {split} rows" if split else ""
    return f"{counted(count, 'experiment')}{rows}, compared with {comparison.reference}"


def is_better(comparison: Comparison) -> dict[str, Any]:
    """Return the answer to "is anything better?": a sentence, details, and counts by verdict."""
    candidates, metric, reference = comparison.candidates, comparison.primary, comparison.reference
    detail = _sentence(comparison.answer)
    if not candidates:
        if comparison.refused:
            text = f"None can be compared with {reference}."
            return {"answer": text, "detail": detail, "counts": {}}
        advice = "`crivo try key=value` makes an experiment."
        return {"answer": "There is nothing to compare yet.", "detail": advice, "counts": {}}
    found = Counter[str](one.verdict for one in candidates)
    compared, better = f"of {counted(len(candidates), 'experiment')}", found["better"]
    if not better:
        text = f"Not shown: none {compared} is better than {reference} in {metric}."
    elif len(candidates) == 1:
        text = f"Yes: {candidates[0].name} is better than {reference} in {metric}."
    else:
        verb = "is" if better == 1 else "are"
        text = f"Yes: {better} {compared} {verb} better than {reference} in {metric}."
    counts = {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}
    return {"answer": text, "detail": detail, "counts": counts}


def what_changed(comparison: Comparison) -> list[dict[str, str]]:
    """Return what the first better experiments changed; where none is, the one with best value."""
    better = [one for one in comparison.candidates if one.verdict == "better"]
    return [
        {
            "name": one.name,
            "changed": one.changed or "no setting and no file",
            "message": one.message,
            "made": f"{one.author}, {one.when:%Y-%m-%d}" if one.author else "",
            "verdict": one.verdict,
        }
        for one in better[:3] or comparison.candidates[:1]
    ]


def _sentence(text: str) -> str:
    return f"{text}." if text and text[-1] not in ".!?" else text
