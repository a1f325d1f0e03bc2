"""Compares experiments on the rows they share: is the difference real?

The numbers come from what git holds (metrics, their jackknife tables, settings), so that any
clone gives the same answer, without the workspace, the cache or a remote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from crivo.comparison.cautions import notes_of, pair_cautions, switched_cautions
from crivo.comparison.choice import Choice, Filters, choose
from crivo.comparison.columns import ComparedExperiment, experiment_table, metric_table
from crivo.comparison.comparing import compare_pairs
from crivo.comparison.families import Family, goodness, primary_of
from crivo.comparison.margins import Margins
from crivo.comparison.pairing import Pair, pair
from crivo.comparison.selection import selection_notes, selections
from crivo.comparison.sequences import Standing
from crivo.core.errors import CrivoError
from crivo.records.cached import Store
from crivo.records.changed_files import with_changed_files
from crivo.records.comparability import Refusal
from crivo.records.history import History, read_history
from crivo.records.looks import looks_in
from crivo.records.noted import NOTHING, Noted, noted
from crivo.records.reading import stacked_slices
from crivo.records.searches import searches_of
from crivo.repository.commits import SHORT
from crivo.repository.git import Repository
from crivo.statistics.scale import Scale


@dataclass(frozen=True)
class Comparison:
    """Experiments beside a reference, the best first.

    `table`: a row per experiment (index `name`): what it changed, its primary metric with its
    interval, the difference from the reference with the interval that counts all trials, the
    smallest difference that this comparison would have shown (`minimum_detectable`), the
    verdict, and which other metrics are shown to be worse (`worse`) or not worse by more than
    their margin (`not_worse`); which trial it is, what of the 5 % error it spends
    (`spent`) and what is left for others (`left`); who made it, when, why, and its model's size;
    whether it is `starred`, and the `notes` that people wrote on it.
    `metrics`: the same for every metric (index `name`, `metric`).
    `slices`: each one's slices (index `name`, `slice`), compared with the rest of its rows.
    `refused`: experiments that can't be compared, with reason and advice. `looks`: known looks
    at the test rows. `trials`: how many the correction counts, `planned`: how many were planned,
    if that was said. `headline`: the best candidate's row, which the first line is about.
    `after_selection`: a row per model that is the best of those on its rows (index `name`): how
    many it was chosen `among`, how many of these are `known`, the primary `metric`, its `value`,
    `low` and `high` after that. `unlisted`: how many rows a limit left out; `narrowed`: whether
    only some verdicts were asked for.
    """

    table: pd.DataFrame
    metrics: pd.DataFrame
    slices: pd.DataFrame
    refused: pd.DataFrame
    looks: pd.DataFrame
    reference: str
    primary: str
    split: str
    trials: int
    notes: tuple[str, ...] = ()
    headline: pd.Series | None = None
    scales: Mapping[str, Scale] = field(default_factory=dict)
    planned: int | None = None
    after_selection: pd.DataFrame = field(default_factory=pd.DataFrame)
    unlisted: int = 0
    narrowed: bool = False

    @property
    def candidates(self) -> pd.DataFrame:
        """The rows of `table` but the reference's own."""
        return self.table[self.table["verdict"] != "reference"]

    def _repr_html_(self) -> str:
        """Show the answer and the verdicts in a notebook."""
        from crivo.comparison.text import as_html

        return as_html(self)

    def standing(self, row: pd.Series) -> Standing:
        """Return under what rule a row's verdict is given, and what is left for other trials."""
        trials = max(self.trials, int(row["trial"]))
        return Standing(int(row["trial"]), trials, self.planned, row["spent"], row["left"])


def arranged(
    comparison: Comparison,
    sort: str = "metric",
    limit: int | None = None,
    verdicts: Sequence[str] = (),
) -> Comparison:
    """Return the comparison with its table in another order, cut after some rows.

    `sort`: `metric` (the primary one, best first), `difference`, `age` (newest first), `name`,
    `search` (those of one search together), or the name of a metric, best first. `verdicts`: only
    experiments with one of these.
    """
    if verdicts:
        comparison = _with_verdicts(comparison, verdicts)
    table, metrics = comparison.table, comparison.metrics
    if sort == "difference":
        table = table.sort_values("difference", key=lambda d: -d.abs(), kind="stable")
    elif sort == "age":
        table = table.sort_values("when", ascending=False, kind="stable")
    elif sort == "name":
        table = table.sort_index()
    elif sort == "search":
        table = table.sort_values("search", kind="stable")
    elif sort in metrics.index.get_level_values("metric"):
        values = metrics.xs(sort, level="metric")["value"].reindex(table.index)
        table = table.loc[_best_first(values, comparison.scales[sort])]
    elif sort != "metric":
        known = sorted({*metrics.index.get_level_values("metric")})
        raise CrivoError(
            f"--sort is {sort!r}; expected metric, difference, age, name, search, or one of "
            f"{', '.join(known)}."
        )
    shown = table.head(limit) if limit else table
    return replace(comparison, table=shown, unlisted=len(table) - len(shown))


def _with_verdicts(comparison: Comparison, verdicts: Sequence[str]) -> Comparison:
    """Return the comparison of those experiments only that have one of these verdicts."""
    found = comparison.candidates[comparison.candidates["verdict"].isin(verdicts)]
    table = comparison.table[comparison.table["verdict"].isin(["reference", *verdicts])]
    return replace(
        comparison,
        table=table,
        headline=None if found.empty else found.iloc[0],
        refused=comparison.refused.iloc[:0],
        narrowed=True,
    )


def compare(
    revisions: Sequence[str] = (),
    *,
    against: str | None = None,
    parent: bool = False,
    common_rows: bool = False,
    margin: float | Margins | None = None,
    filters: Filters | None = None,
    as_named: bool = False,
    folder: Path = Path(),
    history: History | None = None,
) -> Comparison:
    """Compare experiments, branches, tags and commits: which is better, and is it sure?

    Without `revisions`: all experiments of all commits, with the branches and tags. They are
    compared with the incumbent, or with `against`, or with each one's `parent`. The correction
    counts all recorded experiments on the same rows. A reference that was chosen by its result
    is compared with each model it was chosen among, unless it was named before any result on these
    rows was seen (`as_named`). `common_rows` compares on shared rows, from stored predictions.
    `margin` is the greatest difference that doesn't matter: of the primary metric, or by metric;
    without it, what the reference's settings say. `history`: what was read before of the clone.
    """
    history = history or read_history(folder)
    choice = choose(history, revisions, against=against, parent=parent, as_named=as_named)
    pairs_or_refusals = _pairs(history, choice, filters or Filters(), common_rows)
    pairs = {name: one for name, one in pairs_or_refusals.items() if isinstance(one, Pair)}
    family = Family(history.counted, choice.reference_of, choice.among_of, history.remembered)
    unjudged = _unjudged(pairs, family)
    pairs = {name: one for name, one in pairs.items() if name not in unjudged}
    if revisions:
        pairs_or_refusals |= unjudged
    compared = _compared(pairs, family, margin, noted(history))
    looks = looks_in(history)
    result = _comparison(compared, family, choice.title, _refused(pairs_or_refusals), looks)
    table = with_changed_files(result.table, pairs, history.repository)
    table = _with_searches(table, history.repository)
    after = selections(history, pairs)
    notes = (
        *notes_of(history, choice, [*pairs.values()], looks, not revisions),
        *_unlisted_seeds(unjudged, listed=bool(revisions)),
        *switched_cautions(compared),
        *pair_cautions(compared),
        *selection_notes(after, table),
    )
    history.keep_parsed()
    history.keep_known()
    return replace(result, table=table, notes=notes, after_selection=after)


def _unjudged(pairs: Mapping[str, Pair], family: Family) -> dict[str, Refusal]:
    """Say which runs are a recipe's with another seed: they are no trials and get no verdict."""
    return {
        name: Refusal(
            "a run of `crivo repeat` with another seed, which is no trial",
            f"`crivo repeat` compares recipes over seeds; `crivo try` makes a trial of seed "
            f"{one.record.settings.get('seed')}",
        )
        for name, one in pairs.items()
        if not (one.itself or family.trials(one.rows).judges(one.record))
    }


def _unlisted_seeds(unjudged: Mapping[str, Refusal], *, listed: bool) -> list[str]:
    if listed or not unjudged:
        return []
    return [
        f"{len(unjudged)} with other seeds aren't listed and don't count as trials; "
        "`crivo repeat REV --seeds N` summarises them."
    ]


def _compared(
    pairs: Mapping[str, Pair],
    family: Family,
    margin: float | Margins | None,
    said: Mapping[str, Noted],
) -> dict[str, ComparedExperiment]:
    """Return each pair with what its metrics show, and what people noted of it."""
    return {
        name: ComparedExperiment(
            one := pairs[name],
            metrics,
            said.get(one.record.origin.revision, NOTHING),
            family.trials(one.rows).primary(one.record),
        )
        for name, metrics in compare_pairs(pairs, family, margin).items()
    }


def _with_searches(table: pd.DataFrame, repository: Repository) -> pd.DataFrame:
    """Add which search made each experiment, if any did."""
    searches = searches_of(repository)
    return table.assign(search=[searches.get(one, "") for one in table["revision"]])


def _comparison(
    compared: Mapping[str, ComparedExperiment],
    family: Family,
    reference: str,
    refused: pd.DataFrame,
    looks: pd.DataFrame,
) -> Comparison:
    """Put the experiments into tables, and say which rows and trials these are about."""
    table = _table(compared)
    candidate_names = table.index[table["verdict"] != "reference"]
    first = next((one.pair for one in compared.values()), None)
    anchor = first.reference if first else None
    trials = family.trials(first.rows) if first else None
    return Comparison(
        table=table,
        metrics=metric_table(compared),
        slices=stacked_slices(
            {name: one.pair.record.slice_numbers for name, one in compared.items()}
        ),
        refused=refused,
        looks=looks,
        reference=reference,
        primary=anchor.about["primary"] if anchor else "",
        split=anchor.split if anchor else "",
        trials=trials.count if trials else 0,
        planned=trials.spending().planned if trials else None,
        headline=table.loc[candidate_names[0]] if len(candidate_names) else None,
        scales=anchor.metrics if anchor else {},
    )


def _pairs(
    history: History, choice: Choice, filters: Filters, common_rows: bool
) -> dict[str, Pair | Refusal]:
    """Return each listed experiment's pair or refusal, by a name that no other has."""
    store = Store(history.repository)
    names = Counter(record.name for record in choice.candidates)
    pairs_or_refusals = {}
    for record in filter(filters.take, choice.candidates):
        parent = f"@{(record.origin.parent or '')[:SHORT]}" if names[record.name] > 1 else ""
        reference = choice.reference_of(record)
        pairs_or_refusals[record.name + parent] = pair(record, reference, store, common_rows)
    return pairs_or_refusals


def _table(compared: Mapping[str, ComparedExperiment]) -> pd.DataFrame:
    """Return a row per experiment, the best first."""
    table = experiment_table(compared)
    if not compared:
        return table
    metric = primary_of(next(iter(compared.values())).pair.reference)
    return table.loc[_best_first(table["value"], metric)]


def _best_first(values: pd.Series, metric: Scale) -> pd.Index:
    order = values.map(lambda value: goodness(metric, value))
    return order.sort_values(ascending=False, kind="stable").index


def _refused(pairs_or_refusals: dict[str, Pair | Refusal]) -> pd.DataFrame:
    rows = {name: why for name, why in pairs_or_refusals.items() if isinstance(why, Refusal)}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=Refusal._fields)
    return table.rename_axis("name")
