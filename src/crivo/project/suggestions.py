"""Columns that look like an id, a group or a weight, by their name and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from crivo.core.schema import Schema

WEIGHT = re.compile(r"(?:^|_)(?:weights?|wts?|wgt|pondera|peso)(?:_|$|\d)|wgt$|weight$|weights$")
ID = re.compile(r"(?:^|_)(?:id|ids|uuid|guid|key|index|code|number|no|nr|num)$|^id_")
WHO = re.compile(
    r"(?:^|_)(?:patient|subject|customer|client|user|person|people|participant|household|family"
    r"|machine|device|engine|sensor|animal|student|school|shop|store|site|session|member|employee"
    r"|company|firm|account|vehicle|driver|group|cluster|batch|subj)s?(?:_|$)"
)
UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{16,64}")
# Fewer different values than this name no groups, and so few rows tell nothing.
MIN_VALUES = 20
# Rows of one value that agree in so many other features look like one thing seen again.
AGREEING, SAMPLE = 2, 60


def suggestions(rows: pd.DataFrame, schema: Schema, splitter: str) -> Iterator[str]:
    """Give a sentence for each feature that looks like an id, a group or a weight."""
    for name in schema.features:
        values, kind = rows[name].dropna(), schema.column(name).type
        if len(values) < MIN_VALUES or kind in ("boolean", "date"):
            continue
        weighs = kind == "number" and WEIGHT.search(_words(name)) and (values > 0).all()
        if schema.weight is None and weighs:
            yield (
                f"{name} is named like a weight: if it says how much a row counts, give it as "
                "--weight."
            )
        elif values.is_unique:
            yield from _id(name, values, kind)
        elif schema.group is None and splitter in ("at_random", "by_time"):
            yield from _group(name, values, rows, schema)


def _id(name: str, values: pd.Series, kind: str) -> Iterator[str]:
    """Find columns that name the row rather than describe it."""
    whole = kind == "number" and values.dtype.kind == "i"
    if whole:  # numbers that count the rows have few gaps
        by_content = int(values.max() - values.min()) < 2 * len(values)
    else:
        texts = kind == "text" and values.head(50).str.fullmatch(UUID).all()
        by_content = kind == "category" or bool(texts)
    if by_content or ((whole or kind == "text") and ID.search(_words(name))):
        yield (
            f"{name} has another value in every row: if it identifies the row, give it as --id; if "
            "not, consider --drop."
        )


def _group(name: str, values: pd.Series, rows: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Find columns whose values stand for one thing that was seen several times."""
    kind, count = schema.column(name).type, values.nunique()
    named = bool(ID.search(_words(name)) or WHO.search(_words(name)))
    whole = kind == "number" and values.dtype.kind == "i"
    if kind not in ("category", "text") and not whole:
        return
    if not MIN_VALUES < count < 0.9 * len(values):
        return
    if whole and not named:  # a measurement repeats, too
        return
    agreeing = _constant_within(name, rows, schema) if whole or kind == "category" else []
    if named or len(agreeing) >= AGREEING:
        why = f"; rows of one agree in {' and '.join(agreeing[:3])}" if agreeing else ""
        yield (
            f"{name} repeats ({count:,} different values{why}): if its rows belong together, give "
            "it as --group."
        )


def _constant_within(name: str, rows: pd.DataFrame, schema: Schema) -> list[str]:
    """Return the features that have one value for each value of this one, and not the reverse.

    A feature with as many values is another name of the same; one with few says little.
    """
    sizes = rows[name].value_counts().sort_index()
    if sizes.median() < 2:
        return []
    known = sizes.index[:SAMPLE]  # a few of the values are enough to tell
    others = [other for other in schema.features if other != name][:SAMPLE]
    part = rows.loc[rows[name].isin(known), [name, *others]].head(SAMPLE * SAMPLE)
    several = [other for other in others if 1 < part[other].nunique() < len(known)]
    within = part.groupby(name, observed=True)[several].nunique(dropna=False).max()
    return [other for other in several if within[other] <= 1]


def _words(name: str) -> str:
    """Return a column's name in lower case, its words apart: `customerId` is `customer_id`."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^a-z0-9]+", "_", apart.lower()).strip("_")
