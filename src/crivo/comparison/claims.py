"""The claims of a comparison in words: the answer, harm, no harm, and what would decide it.

A `row` is that of a comparison's table, or the same as an object.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from crivo.comparison.numbers import bracket, decimals, number

if TYPE_CHECKING:
    from crivo.comparison.result import ComparisonResult, ExperimentVerdict

# Other predictions may have the same metric, such as scores in the same order.
NOTHING = "the metric doesn't differ at all: the change had no effect"
NO_MATCH = "no experiment matches the filters"
SENTENCES = {
    "better": "{} is better than {}",
    "worse": "{} is worse than {}",
    "equivalent": "{} is equivalent to {}",
    "identical": "{} is identical to {}",
    "undecided": "{} vs {} is undecided",
}


# What to do after a verdict; no row is left to choose on once test rows were looked at.
NEXT = {
    "better": "{weigh}`crivo confirm {name}` evaluates it on the test rows, once you have "
    "chosen it.",
    "worse": "keep {reference}, and try something else.",
    "equivalent": "keep the simpler or faster one of the two.",
    "identical": "look whether the change is read; after a full run `crivo check` names settings "
    "that no stage reads.",
    "undecided": "keep {reference} until more data decide. {needed}",
}


def answer(found: ComparisonResult) -> str:
    """Return the comparison's first line: the verdict about the best candidate.

    `slower vs main is undecided: roc_auc +0.0024 [-0.0012, +0.0061], needs ≥ 0.0052; no metric is
    worse; corrected as trial 3 of 14`
    """
    if not found.candidates:
        return _nothing(found)
    best = _best(found)
    sentence = SENTENCES[best.verdict].format(best.name, found.reference)
    if best.verdict == "identical":
        return f"{sentence}: {NOTHING}"
    detectable = ""
    if best.verdict == "undecided" and isfinite(best.minimum_detectable):
        detectable = f", needs ≥ {number(best.minimum_detectable, _digits(best))}"
    told = f"{found.primary} {difference_text(best)}{detectable}; {other_metrics(best)}"
    return f"{sentence}: {told}; {found.rule(best)}"


def next_step(found: ComparisonResult) -> str:
    """Return what the verdict about the best candidate suggests; empty if it suggests nothing."""
    if not found.candidates or found.split == "test":
        return ""
    best = _best(found)
    words = {
        "name": best.name,
        "reference": found.reference,
        "needed": needed_clusters(best.metrics[0]),
        "weigh": f"weigh the gain against {best.worse}. " if best.worse else "",
    }
    return f"Next: {NEXT[best.verdict].format(**words).strip()}"


def _best(found: ComparisonResult) -> ExperimentVerdict:
    """Return the best candidate; one that is identical to the reference answers nothing."""
    different = [one for one in found.candidates if one.verdict != "identical"]
    return (different or found.candidates)[0]


def _nothing(found: ComparisonResult) -> str:
    """Say that nothing was compared, and why."""
    if not found.refused:
        if not found.experiments:
            return NO_MATCH
        return (
            f"there is nothing yet to compare with {found.reference}; "
            "`crivo try key=value` makes an experiment"
        )
    if len(found.refused) == 1:
        (one,) = found.refused
        return f"refused: {one.name}: {one.reason}"
    count = len(found.refused)
    return f"refused: none of {count} experiments can be compared with {found.reference}"


def _digits(row: Any) -> int:
    """Return the digits that a row's uncertainty allows."""
    width = row.difference_high - row.difference_low
    return decimals(width / 4 if width else row.high - row.low)


def value_text(row: Any) -> str:
    """Return a metric with half its interval."""
    half = (row.high - row.low) / 2
    digits = decimals(half / 2)
    return f"{number(row.value, digits)} ±{number(half, digits)}"


def difference_text(row: Any) -> str:
    """Return a difference with its interval."""
    digits = _digits(row)
    limits = bracket(row.difference_low, row.difference_high, digits, sign=True)
    return f"{number(row.difference, digits, sign=True)} {limits}"


def cells(row: Any) -> tuple[str, str]:
    """Return a metric with half its interval, and the difference with its interval, as texts."""
    same = {"reference": "–", "identical": "0"}
    return value_text(row), same.get(row.verdict) or difference_text(row)


def other_metrics(row: Any) -> str:
    """Say what is shown of the other metrics: harm, and no harm; the rest is in neither list."""
    also, other = ("also ", "other ") if row.verdict == "worse" else ("", "")
    no_harm = f"no {other}metric is shown to be worse"
    worse = f"{also}worse in {row.worse}" if row.worse else no_harm
    return f"{worse}; not worse in {row.not_worse}" if row.not_worse else worse


def all_worse(row: Any, primary: str) -> str:
    """Return every metric that is shown to be worse, the primary one first; empty for none."""
    own = primary if row.verdict == "worse" else ""
    return ", ".join(filter(None, (own, row.worse)))


def verdict_words(row: Any) -> str:
    """Return a metric's verdict, and that it isn't worse where no more is shown."""
    only = bool(row.not_worse) and row.verdict == "undecided"
    return "undecided, not worse" if only else str(row.verdict)


def needed_clusters(row: Any) -> str:
    """Return how many clusters would decide what these leave undecided; empty elsewhere."""
    needed, now = row.clusters_needed, row.clusters
    if row.verdict != "undecided" or needed != needed:
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
