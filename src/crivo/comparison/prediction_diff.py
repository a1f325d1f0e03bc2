"""`crivo compare --rows`: rows that one of two experiments predicts better, and their slices.

It also shows the settings, data, code and packages in which the two differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crivo.comparison.layout import paragraph
from crivo.comparison.result import Limits
from crivo.comparison.text import with_interval
from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.results import result
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.wording import a_few
from crivo.evaluation.jackknife import jackknife_groups
from crivo.evaluation.report.numbers import number, same_digits
from crivo.evaluation.report.page import Subject
from crivo.evaluation.slices import column_slices, size_of, too_small
from crivo.evaluation.tasks import Evaluated
from crivo.records.cached import Store
from crivo.records.changed_files import input_differences
from crivo.records.comparability import other_rows
from crivo.records.history import read_history
from crivo.records.record import require
from crivo.statistics.intervals import LEVEL, Estimate, interval, t_quantile
from crivo.statistics.jackknife import effective_clusters, ratios_without

# What tells a person most comes first.
ROLES = ("time", "outcome", "info", "group", "feature", "weight")
# What becomes of a row, for classes and for numbers.
BETTER, WORSE = ("fixed", "nearer"), ("broken", "farther")
# How many rows of each kind are shown, and what is shown of the files that differ and of a row.
MOST = 5
MAX_NAMED = 12
MAX_COLUMNS = 14
# Why a better model may break as many rows as it fixes.
DECISIONS = (
    "A row is fixed or broken only if its decision changed. A metric of all scores, such as "
    "roc_auc or log_loss, also depends on changes in scores that change no decision. So it can "
    "improve even if as many rows are broken as fixed."
)
# Raw values that are shown as texts.
MOMENTS = (pd.Timestamp, pd.Timedelta, pd.Period, pd.Interval)
# What a row has besides its raw columns.
OWN = {"id", "change", "target", "one", "other", "loss_grew"}


@result
class ChangedSlice(Limits):
    """A slice of the rows: the share of fixed rows minus the share of broken rows."""

    slice: str
    """The name of the slice."""
    rows: int
    """The number of its rows."""


@result
class PredictionDiff:
    """Which rows an experiment, B, predicts better or worse than another, A, and what differs."""

    one: str
    """The experiment that was named first, A."""
    other: str
    """The experiment that was named second, B."""
    made: tuple[str, ...]
    """What differs between their runs, in words."""
    counts: dict[str, int]
    """How many rows were fixed, broken and so on."""
    net: Limits
    """The share of fixed rows minus the share of broken rows."""
    rows: tuple[dict[str, Any], ...]
    """The rows whose loss changed most: each one's `id`, its `change` (`fixed`, `broken`, `nearer`,
    `farther` …), and its raw columns under their own names."""
    slices: tuple[ChangedSlice, ...]
    """The difference `net` in each slice, with an interval that allows for the number of slices."""
    unit: str
    """The unit of a numeric target; empty if it has none."""
    classes: dict[str, str]
    """What the text calls the target's classes."""


def diff_predictions(one: str, other: str, *, folder: Path = Path()) -> PredictionDiff:
    """Compare two experiments row by row, from their stored predictions.

    `other` is the newer one: a row is fixed when it is right and `one` was wrong. A few rows of
    each kind are shown, those whose loss changed most. CrivoError: they were evaluated on other
    rows, or predictions are not in the cache.
    """
    history = read_history(folder)
    old, new = (require(history.find(name)) for name in (one, other))
    if refusal := other_rows(new, old):
        raise CrivoError(f"{new.name} and {old.name} can't be compared row by row: {refusal[0]}.")
    store = Store(history.repository)
    schema = store.schema(old)
    subject = Subject(schema.target, schema.classes, schema.positive, schema.words)
    tables = (store.predictions(record) for record in (old, new))
    before, after = (table.sort_values("id", ignore_index=True) for table in tables)
    changed = row_changes(before, after, Context.of(schema))
    return PredictionDiff(
        one=old.name,
        other=new.name,
        made=tuple(input_differences(history, old, new)),
        counts={str(name): int(n) for name, n in changed["change"].value_counts().items()},
        net=net_change(changed["change"], before),
        rows=_most_changed(changed, store.prepared(new), schema),
        slices=slice_changes(changed["change"], before),
        unit=schema.words.unit,
        classes={str(name): subject.short(name) for name in schema.classes},
    )


def _most_changed(
    changed: pd.DataFrame, raw: pd.DataFrame, schema: Schema
) -> tuple[dict[str, Any], ...]:
    """Return the rows whose loss changed most, with their raw columns."""
    ordered = changed.sort_values("loss_grew", key=abs, ascending=False)
    rows = pd.concat([ordered[ordered["change"] == kind].head(MOST) for kind in (*BETTER, *WORSE)])
    rows["id"] = rows["id"].astype("str")
    wanted = [name for role in ROLES for name in schema.named(role)]
    wanted = [name for name in wanted if name in raw and name not in rows]
    raw = raw.set_index(raw[schema.id].astype("str"))[wanted]
    rows = rows.join(raw, on="id")
    plain = rows.map(lambda value: str(value) if isinstance(value, MOMENTS) else value)
    records = plain.astype(object).where(rows.notna(), None).to_dict("records")
    return tuple({str(name): value for name, value in row.items()} for row in records)


def row_changes(before: pd.DataFrame, after: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return, for each row, what became of it and by how much its loss grew.

    Both are predictions tables of the same rows in the same order.
    """
    losses = [Evaluated(table, context).losses for table in (before, after)]
    grew = losses[1] - losses[0]
    if task_of(context).has_classes:
        was, now = (table["prediction"] == table["target"] for table in (before, after))
        kinds = ["fixed", "broken", "right in both"]
        change = np.select([~was & now, was & ~now, was & now], kinds, "wrong in both")
    else:
        change = np.select([grew < 0, grew > 0], ["nearer", "farther"], "same")
    return pd.DataFrame(
        {
            "id": before["id"],
            "change": change,
            "target": before["target"],
            "one": before["score" if "score" in before else "prediction"],
            "other": after["score" if "score" in after else "prediction"],
            "loss_grew": grew,
        }
    )


def net_change(change: pd.Series, predictions: pd.DataFrame, among: int = 1) -> Limits:
    """Return how many more of all rows were fixed than broken, or came nearer than farther.

    The comparison of McNemar (1947), with whole clusters left out in turn: `value` is a part of
    the rows' weight, `low` and `high` are the ends of its 95 % interval, which allows for as many
    such numbers as are looked at (`among`), and not for other trials; they are missing where there
    is one cluster.
    """
    gain: np.ndarray = change.isin(BETTER).to_numpy(int) - change.isin(WORSE).to_numpy(int)
    groups = jackknife_groups(predictions)
    weight = predictions["weight"].to_numpy(float) if "weight" in predictions else gain**0
    codes = groups.codes
    found = Estimate(
        float(np.average(gain, weights=weight)),
        ratios_without(weight * gain, weight, codes, len(groups.categories)),
        effective_clusters(codes, weight),
    )
    shown = interval(found, (-1, 1), t_quantile(1 - (1 - LEVEL) / 2 / among, found.clusters))
    return Limits(found.value, shown.low, shown.high)


def slice_changes(change: pd.Series, predictions: pd.DataFrame) -> tuple[ChangedSlice, ...]:
    """Return the net change in each value of a `slice_` column, the greatest first.

    Slices that are too small are left out.
    """
    groups = jackknife_groups(predictions)
    columns = (part for part in column_slices(predictions) if part.kind == "column")
    parts = [part for part in columns if not too_small(*size_of(part.inside, groups))]
    found = []
    for part in parts:
        net = net_change(change[part.inside], predictions[part.inside], len(parts))
        rows = int(part.inside.sum())
        found.append(ChangedSlice(net.value, net.low, net.high, part.name, rows))
    return tuple(sorted(found, key=lambda one: -abs(one.value)))


def prediction_diff_text(found: PredictionDiff) -> str:
    """Return what sets two experiments apart: first the counts of rows, then where and why."""
    counts = ", ".join(f"{n:,} {what}" for what, n in found.counts.items())
    rows = f"{sum(found.counts.values()):,} rows: {counts}"
    if found.net.low != found.net.high:
        rows += f"; {_share(found, found.net)}"
    first = paragraph(f"{found.other} against {found.one}: {rows}", "", "  ")
    if found.counts.keys() >= {"fixed", "broken"}:
        first += ["", *paragraph(DECISIONS)]
    return "\n".join([*first, *_made(found), *_slices(found), *_rows(found)])


def _share(found: PredictionDiff, net: Limits) -> str:
    """Return the net gain as a share of the rows, and whether it is sure."""
    i = 1 if found.counts.keys() & {"nearer", "farther"} else 0
    sure = f"more {BETTER[i]}" if net.low > 0 else f"more {WORSE[i]}" if net.high < 0 else ""
    value = with_interval(net.value, net.low, net.high, sign=True)
    return f"{BETTER[i]} minus {WORSE[i]} {value} of the rows: {sure or 'undecided'}"


def _made(found: PredictionDiff) -> list[str]:
    made = a_few(found.made, MAX_NAMED, separator="; ") or "no setting, code, data or package"
    return ["", *paragraph(f"What differs ({found.one} → {found.other}): {made}.", "", "  ")]


def _slices(found: PredictionDiff) -> Iterator[str]:
    changed = [one for one in found.slices if one.low > 0 or one.high < 0]
    if not found.slices:
        yield from ("", "No declared slice is large enough.")
    elif not changed:
        yield from ("", f"No slice is shown to have changed (of {len(found.slices)}).")
    else:
        yield from ("", f"Slices that changed, {len(changed)} of {len(found.slices)}:")
    for one in changed:
        yield from paragraph(f"{one.slice}, {one.rows:,} rows: {_share(found, one)}", "  ", "    ")


def _rows(found: PredictionDiff) -> Iterator[str]:
    """Yield the rows that changed most, one paragraph each."""
    for kind in dict.fromkeys(row["change"] for row in found.rows):
        yield from ("", f"Rows {kind}, with the largest changes in loss:")
        for row in [row for row in found.rows if row["change"] == kind]:
            texts = {name: _plain(value) for name, value in row.items() if value is not None}
            own = [f"{name}={text}" for name, text in texts.items() if name not in OWN]
            changed = _predicted(found, *(row[name] for name in ("target", "one", "other")))
            yield from paragraph(f"{row['id']}: {changed}; {a_few(own, MAX_COLUMNS)}", "  ", "    ")


def _predicted(found: PredictionDiff, target: Any, *both: Any) -> str:
    if found.classes:
        one, other = (number(one) if isinstance(one, float) else str(one) for one in both)
        target = found.classes.get(str(target), target)
    else:
        target, one, other = same_digits([target, *both])
    return f"target {target}, {one} → {other} {found.unit}".strip()


def _plain(value: object) -> str:
    """Return a raw value; a whole number may be an identifier and has no separators."""
    if isinstance(value, float):
        text = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
        return text.replace("-", "−")
    return str(value).removesuffix(" 00:00:00")
