"""The rules that `benchmarks/alarms.py` shows beside those of now: as they were before."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any
from unittest.mock import patch

import pandas as pd
from alarms_worlds import Table

from crivo.core.schema import Column
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows, shift
from crivo.featurization.row_checks.strength import Strengths


@contextmanager
def strengths_once() -> Iterator[None]:
    """Work strengths out once for a table: both rules of L005 ask for them, and they take long."""
    known: dict[str, float] = {}
    strength = Strengths._strength

    def remembered(self: Strengths, model: Any, columns: list[Any]) -> float:
        key = f"{model} {[zlib.crc32(column.tobytes()) for column in columns]}"
        if key not in known:
            known[key] = strength(self, model, columns)
        return known[key]

    with patch.object(Strengths, "_strength", remembered):
        yield


def copies_apart(table: Table) -> bool:
    """L002: equal rows, three times as many as independent columns would give."""
    rows = table.split_rows()
    columns = [*rows.features, rows.schema.target]
    for _, first, _, second in rows.pairs():
        hashes = [pd.util.hash_pandas_object(one[columns], index=False) for one in (first, second)]
        copied = int(hashes[1].isin(hashes[0]).sum())
        shares = (first[name].value_counts(normalize=True, dropna=False) for name in columns)
        chance = 1 - (1 - prod(float((share**2).sum()) for share in shares)) ** len(first)
        if copied and copied >= 0.01 * len(second) and copied > 3 * len(second) * chance:
            return True
    return False


def leak(table: Table) -> bool:
    """L005: a strength of 0.98, or of 0.5 and 0.2 ahead of all others together."""
    strengths = Strengths(table.split_rows())
    if not strengths.possible:
        return False
    alone = strengths.alone()
    for name, strength in alone.items():
        next_best = max(alone[other] for other in alone if other != name)
        ahead = strength >= 0.5 and strength - next_best >= 0.2
        if strength >= 0.98 or (ahead and strength - strengths.without(name) >= 0.2):
            return True
    return False


def overfitting(training: float, held_out: float) -> bool:
    """R003: training 25 points better, and held-out rows less than half of it."""
    return training - held_out > 0.25 and held_out < training / 2


def shifted(table: Table) -> bool:
    """T001: as if rows of a group were independent, and p-values asymptotic."""
    few, shift.FEW = shift.FEW, 0
    try:
        schema = table.schema.model_copy(update={"columns": tuple(_without_groups(table))})
        return bool(ROW_CHECKS["T001"].findings(SplitRows(schema, table.split)))
    finally:
        shift.FEW = few


def _without_groups(table: Table) -> list[Column]:
    columns = table.schema.columns
    return [
        one.model_copy(update={"role": "info"}) if one.role == "group" else one for one in columns
    ]


def classes_given(table: Table) -> bool:
    """L006: a column of few values, each with one class among the rows where it is known."""
    rows = table.split("train")
    if table.task == "regression" or rows["y"].nunique() < 2:
        return bool(ROW_CHECKS["L006"].findings(table.split_rows()))
    for name in table.schema.features:
        known = rows[[name, "y"]].dropna()
        few = 2 <= known[name].nunique() <= len(known) / 10
        if few and known.groupby(name)["y"].nunique().max() == 1:
            return True
    return False
