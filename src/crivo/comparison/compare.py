"""Compares experiments on the rows they share, with intervals, margins and verdicts.

The numbers come from what git holds (metrics, their jackknife tables, settings), so that any
clone gives the same answer, without the workspace, the cache or a remote.

*Worse* is shown by an interval beyond 0, *not worse* by one that ends within the margin
(non-inferiority). Where neither is shown, it is undecided: no evidence of harm isn't
evidence of none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isfinite, isnan, nan
from pathlib import Path
from typing import Any

import numpy as np

from crivo.comparison.cautions import notes_of, pair_cautions
from crivo.comparison.choice import Choice, Filters, Pair, choose, pair
from crivo.comparison.families import Trials, difference_of, goodness, primary_of
from crivo.comparison.result import (
    ComparisonResult,
    ExperimentVerdict,
    MetricVerdict,
    RefusedExperiment,
    SliceValue,
)
from crivo.comparison.selection import selection_notes, selections
from crivo.comparison.text import NO_MATCH, answer, next_step
from crivo.records.cached import Store
from crivo.records.changed_files import changed_texts
from crivo.records.comparability import Refusal
from crivo.records.history import History, read_history
from crivo.records.looks import looks_in
from crivo.records.noted import NOTHING, noted
from crivo.records.record import Record
from crivo.records.searches import searches_of
from crivo.records.settings import settings_of
from crivo.repository.commits import SHORT
from crivo.statistics.departures import all_of
from crivo.statistics.intervals import (
    Estimate,
    Interval,
    interval,
    smallest_detectable,
    verdict,
)
from crivo.statistics.planning import clusters_needed
from crivo.statistics.scale import Scale

# What an experiment has of its primary metric.
OF_PRIMARY = (
    *("value", "low", "high", "difference", "difference_low", "difference_high"),
    *("minimum_detectable", "trial", "spent", "left"),
)

# The runs of one recipe with several seeds aren't trials.
OTHER_SEED = Refusal(
    "a run of `crivo repeat` with another seed, which isn't a trial",
    "`crivo repeat` compares recipes over seeds; `crivo try seed=N` makes a trial",
)


def margins_of(reference: Record) -> dict[str, float]:
    """Return the greatest difference that doesn't matter, by metric, as the settings say."""
    own = settings_of("evaluator", reference.settings)
    return {primary_of(reference).name: own.get("margin") or 0.0, **(own.get("margins") or {})}


def shown_not_worse(limits: Interval, metric: Scale, margin: float) -> bool:
    """Whether the interval of a difference shows that the first isn't worse by the margin."""
    if limits.low == 0 == limits.high:  # identical
        return True
    return limits.low > -margin if metric.direction == "higher" else limits.high < margin


def shortened(
    found: ComparisonResult, limit: int | None = None, verdicts: Sequence[str] = ()
) -> ComparisonResult:
    """Return the comparison of the best experiments, or of those with one of some verdicts."""
    if verdicts:
        kept = tuple(one for one in found.experiments if one.verdict in ("reference", *verdicts))
        found = replace(found, experiments=kept, refused=())
        found = replace(found, answer=answer(found) if found.candidates else NO_MATCH)
    shown = found.experiments[:limit]
    return replace(found, experiments=shown, unlisted=len(found.experiments) - len(shown))


def compare(
    revisions: Sequence[str] = (),
    *,
    against: str | None = None,
    filters: Filters | None = None,
    as_named: bool = False,
    folder: Path = Path(),
    history: History | None = None,
) -> ComparisonResult:
    """Compare experiments, branches, tags and commits: which is better, and how sure is that?

    Without `revisions`: all experiments of all commits, with the branches and tags. They are
    compared with the incumbent, or with `against`. The correction counts all recorded experiments
    on the same rows. A reference that was chosen by its result is compared with each model it was
    chosen among, unless it was named before any result (`as_named`). `history`: if already read.
    """
    history = history or read_history(folder)
    choice = choose(history, revisions, against=against, as_named=as_named)
    reference, looks = choice.reference, tuple(looks_in(history))
    trials = Trials(history.counted, reference, choice.among, history.remembered)
    found = _pairs(history, choice, filters or Filters(), trials)
    seeds = [name for name, one in found.items() if one is OTHER_SEED]
    if not revisions:
        found = {name: one for name, one in found.items() if one is not OTHER_SEED}
    pairs = {name: one for name, one in found.items() if isinstance(one, Pair)}
    refused = {name: one for name, one in found.items() if isinstance(one, Refusal)}
    experiments, after = _experiments(history, reference, pairs, trials), selections(history, pairs)
    result = ComparisonResult(
        answer="",
        reference=reference.name,
        primary=primary_of(reference).name if pairs else "",
        split=reference.split if pairs else "",
        trials=trials.count if pairs else 0,
        planned_trials=trials.spending().planned if pairs else None,
        experiments=tuple(experiments),
        after_selection=tuple(after),
        refused=tuple(RefusedExperiment(name, *why) for name, why in refused.items()),
        test_looks=looks,
        notes=(),
        unlisted=0,
        scales=reference.metrics if pairs else {},
    )
    history.keep_known(judged=not all(one.itself for one in pairs.values()))
    notes = [
        *notes_of(history, choice, pairs, looks, None if revisions else len(seeds)),
        *pair_cautions(pairs, experiments, trials),
        *selection_notes(after, pairs),
        next_step(result),
    ]
    return replace(result, answer=answer(result), notes=tuple(filter(None, notes)))


def _pairs(
    history: History, choice: Choice, filters: Filters, trials: Trials
) -> dict[str, Pair | Refusal]:
    """Return each listed experiment's pair or refusal, by a name that no other has."""
    store = Store(history.repository)
    names = Counter(record.name for record in choice.candidates)
    found = {}
    for record in filters.select(history, choice.candidates):
        parent = f"@{(record.origin.parent or '')[:SHORT]}" if names[record.name] > 1 else ""
        one = pair(record, choice.reference, store)
        judged = isinstance(one, Refusal) or one.itself or trials.judges(one.record)
        found[record.name + parent] = one if judged else OTHER_SEED
    return found


def _experiments(
    history: History, reference: Record, pairs: Mapping[str, Pair], trials: Trials
) -> list[ExperimentVerdict]:
    """Return the experiments with their verdicts, and what people said of them, the best first."""
    said, searches = noted(history), searches_of(history.ledger)
    records = [one.record for one in pairs.values()]
    changed = changed_texts(records, reference)
    found = []
    for (name, one), text in zip(pairs.items(), changed, strict=True):
        origin, metrics = one.record.origin, _compare_pair(one, trials)
        notes = said.get(origin.revision, NOTHING)
        first, *others = metrics
        not_worse = () if one.itself else [other.metric for other in others if other.not_worse]
        slices = [part for part in one.record.slices(first.metric) if part.verdict == "worse"]
        of_primary: dict[str, Any] = {part: getattr(first, part) for part in OF_PRIMARY}
        found.append(
            ExperimentVerdict(
                name=name,
                changed=text,
                **of_primary,
                verdict="reference" if one.itself else first.verdict,
                worse=", ".join(other.metric for other in others if other.verdict == "worse"),
                not_worse=", ".join(not_worse),
                author=origin.author,
                when=origin.when,
                message=origin.hypothesis if origin.trial else "",
                revision=origin.revision,
                model_bytes=one.record.model_bytes,
                starred=notes.starred,
                notes=notes.notes,
                search=searches.get(origin.revision, ""),
                metrics=metrics,
                worse_slices=tuple(SliceValue(*part[2:], part.name) for part in slices),
            )
        )
    return sorted(found, key=partial(_badness, metric=primary_of(reference)))


def _badness(one: ExperimentVerdict, metric: Scale) -> float:
    """Return what orders experiments by a metric; those that lack it come last."""
    own = [goodness(metric, part.value) for part in one.metrics if part.metric == metric.name]
    return -own[0] if own and not isnan(own[0]) else inf


def _compare_pair(one: Pair, trials: Trials) -> tuple[MetricVerdict, ...]:
    """Return each metric's difference and verdict, the primary one first.

    The primary metric decides. All others share one error, as if they were one metric. The metric
    that decided when the record was made has the trial's error for itself.
    """
    metrics, decided = one.reference.metrics, trials.primary(one.record)
    names = dict.fromkeys([primary_of(one.reference).name, *one.record.metrics])
    found = []
    for name in [name for name in names if name in metrics]:
        critical = trials.critical(one.record, [*metrics.values()], primary=name == decided)
        found.append(_compare_metric(one, metrics[name], critical, trials))
    return tuple(found)


def _compare_metric(one: Pair, metric: Scale, critical: float, trials: Trials) -> MetricVerdict:
    """Return the difference in a metric; equal predictions are identical, whatever is noted.

    `critical`: how many standard errors its interval reaches if clusters are independent and
    normal.
    """
    record, reference = one.record, one.reference
    margin = margins_of(reference).get(metric.name, 0.0)
    difference = difference_of(record, reference, metric)
    allowed = all_of(trials.departures(record, reference, metric))
    difference = difference._replace(departures=allowed)
    if record.predicts_as(reference):
        difference = Estimate(0.0, np.zeros_like(difference.deleted), difference.effective)
    reach = critical if isfinite(critical) else None
    limits = interval(difference, critical=reach)
    word, needed = verdict(limits, metric, margin), nan
    if word == "undecided":
        needed = clusters_needed(difference.value, limits.se, critical, record.clusters, margin)
    detectable = smallest_detectable(limits.se, difference.clusters, reach) or nan
    own, rule = record.intervals[metric.name], trials.rule(record)
    units, unit = record.units
    return MetricVerdict(
        metric=metric.name,
        value=own["value"],
        low=own["low"],
        high=own["high"],
        difference=difference.value,
        se=limits.se,
        difference_low=limits.low,
        difference_high=limits.high,
        minimum_detectable=detectable,
        critical=critical,
        verdict=word,
        not_worse=shown_not_worse(limits, metric, margin),
        clusters=record.clusters,
        clusters_needed=needed,
        units=units,
        unit=unit,
        trial=rule.trial,
        spent=rule.spent,
        left=rule.left,
    )
