"""Notes and cautions below a comparison: what was left out, and why intervals may be too narrow."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from crivo.comparison.choice import Choice, Pair
from crivo.comparison.families import MORE, Trials, difference_of, losses_of
from crivo.comparison.result import ExperimentVerdict, MetricVerdict
from crivo.core.wording import a_few, counted
from crivo.evaluation.tasks import largest_fraction
from crivo.records.comparability import is_part
from crivo.records.exchange import unknown_trials
from crivo.records.history import History
from crivo.records.looks import Look, looks_sentence
from crivo.statistics.intervals import SKEWED, Estimate, interval


def _about(names: Collection[str], sentence: str) -> str:
    """Return a sentence about a few experiments, or nothing if there are none."""
    return sentence.format(a_few(names, 4)) if names else ""


def notes_of(
    history: History,
    choice: Choice,
    pairs: Mapping[str, Pair],
    looks: Sequence[Look],
    seeds: int | None,
) -> Iterator[str]:
    """Yield what a reader must know beside the table; a sentence may be empty.

    `seeds`: where all experiments were asked for, how many with other seeds were left out.
    """
    yield choice.note
    if pairs and (count := len(choice.among)) > 1:
        yield (
            f"{choice.reference.name} was itself chosen from {count} models on these rows; the "
            "intervals allow for this."
        )
    again = [name for name, one in pairs.items() if one.again]
    yield _about(again, "Evaluated again because their metrics were defined differently: {}.")
    if seeds is not None:
        yield _unlisted(history, looks, seeds)
    if looks or any(one.reference.split == "test" for one in pairs.values()):
        yield looks_sentence(looks)
    yield _not_counted(history, pairs)
    if history.repository.shallow:
        yield (
            "This clone is shallow: older trials and looks at the test rows may be missing from "
            "the counts; `git fetch --unshallow` fetches them."
        )


def _unlisted(history: History, looks: Sequence[Look], seeds: int) -> str:
    """Say which experiments were left out, when all were asked for."""
    counts = {
        "with other seeds": seeds,
        "on folds": sum(one.kind == "fold" for one in history.trials),
        "on parts of the training rows": sum(map(is_part, history.trials)),
        "on test rows": len(looks),
    }
    return _about(
        [f"{counted(count, 'experiment')} {what}" for what, count in counts.items() if count],
        "Not listed, because they aren't for choosing: {}. `crivo repeat` summarises seeds, folds "
        "and parts.",
    )


def _not_counted(history: History, pairs: Mapping[str, Pair]) -> str:
    """Say that trials may be missing that were made where an experiment comes from."""
    origins = {name: one.record.origin for name, one in pairs.items()}
    names = [
        name for name, one in origins.items() if one.trial and one.revision not in history.kept
    ]
    if not names:
        return unknown_trials(history.repository)
    return _about(
        names if history.repository.git("remote") else [],
        "If you fetched {}, trials on these rows may be missing from the count. `crivo fetch` "
        "fetches the shared trials, so that you get the same answer as your colleagues.",
    )


def pair_cautions(
    pairs: Mapping[str, Pair], experiments: Sequence[ExperimentVerdict], trials: Trials
) -> Iterator[str]:
    """Yield what the verdicts depend on, and what makes shown intervals too narrow.

    Shown are those of the primary metric, and claims about others.
    """
    shown = {one.name: one for one in experiments}
    others = {name: one for name, one in pairs.items() if not one.itself}
    then: dict[tuple[str, str], list[str]] = {}
    for name, one in others.items():
        before, now = trials.primary(one.record), shown[name].metrics[0].metric
        if before != now:
            then.setdefault((before, now), []).append(name)
    for (before, now), names in then.items():
        yield _about(
            names,
            f"Recorded while {before} was the primary metric: {{}}. For them, {now} still counts "
            "as one of the other metrics; it decides only trials that are recorded from now on.",
        )
    yield from _departures(others, shown, trials)
    records = [record for one in others.values() for record in (one.record, one.reference)]
    longest = max((record.about.get("advised_block") or 0 for record in records), default=0)
    if longest:
        yield (
            f"The evaluation found its blocks too short and suggests evaluate.block: {longest}; "
            "intervals of differences may be too narrow as well."
        )


# The largest 1 % of the rows don't carry a difference of which they make a smaller part.
FEW = 0.1

# What makes clusters other than independent and normal, and what to do.
KINDS = {
    "rows": (
        "the difference rests on few rows",
        "Look at the rows with the largest losses, or choose a primary metric that they affect "
        "less.",
    ),
    "clusters": (
        "the difference rests on few clusters",
        "Look at these clusters; more clusters help.",
    ),
    "neighbours": (
        "differences in neighbouring clusters are correlated",
        "Longer blocks (evaluate.block) or more clusters help.",
    ),
}


def _departures(
    others: Mapping[str, Pair], shown: Mapping[str, ExperimentVerdict], trials: Trials
) -> Iterator[str]:
    """Yield which verdicts were held back, or are unsure, because of what differences look like."""
    found: dict[tuple[str, bool], list[str]] = {}
    for name, one in sorted(others.items(), key=lambda item: item[1].record.moment):
        for part in shown[name].metrics:
            claimed = part.verdict in ("better", "worse")
            if claimed or (part is shown[name].metrics[0] and part.verdict == "undecided"):
                for kind in _reasons(one, part, trials):
                    found.setdefault((kind, claimed), []).append(f"{part.metric} of {name}")
    for kind, (why, advice) in KINDS.items():
        for claimed, what in ((False, "Undecided because"), (True, "Uncertain because")):
            yield _about(found.get((kind, claimed), []), f"{what} {why}: {{}}. {advice}")


def _reasons(one: Pair, part: MetricVerdict, trials: Trials) -> Iterator[str]:
    """Yield what a verdict wouldn't survive that the data don't rule out.

    Nothing where the verdict doesn't depend on it: it would be undecided without it, too.
    """
    metric = one.reference.metrics[part.metric]
    found = difference_of(one.record, one.reference, metric)
    if not _decided(found, part.critical):
        return
    for kind, shape in trials.departures(one.record, one.reference, metric, MORE).items():
        rows = kind == "rows"
        if rows and largest_fraction(losses_of(one.record, one.reference, metric) ** 2) < FEW:
            continue
        skewed = rows and max(shape.below, shape.above) > SKEWED
        if skewed or not _decided(found._replace(departures=shape), part.critical):
            yield kind


def _decided(found: Estimate, critical: float) -> bool:
    limits = interval(found, critical=critical)
    return limits.low > 0 or limits.high < 0
