"""Where the model is bad: slices and weak segments, each with the rows behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.confusion import class_name
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.forest import Forest, slices_forest
from crivo.evaluation.report.table import ROWS, Table, raw_column

# Columns that fit beside a slice.
SLICE_COLUMNS = 10
CLASSES = ("target", "prediction")
OURS = ("id", *CLASSES, "score", "loss")
TERMS_OF = {"score": "score", "loss": "loss"}


def slices_section(report: Report) -> dict[str, Any]:
    """Return the forest plots of slices and of weak segments, and what follows."""
    behind = _behind(report)
    rows, known = report.subject.rows, metrics_of(report.task)

    def forest(table: pd.DataFrame, caption: str) -> Forest | None:
        judged = [str(name) for name in table["judged_by"].dropna() if name] if len(table) else []
        if table.empty:
            return None
        name = judged[0] if judged else report.evaluation.primary
        lower = name in known and known[name].direction == "lower"
        return slices_forest(table, name, lower, caption, rows, behind)

    return {
        "slices": forest(report.slices, "Slices"),
        "segments": forest(report.segments, "Weak segments"),
        "conclusion": _slices_conclusion(report),
    }


def _slices_conclusion(report: Report) -> str:
    if report.slices.empty:
        return ""
    compared = report.slices[report.slices["difference"].notna()]
    if compared.empty:
        return f"No slice has enough {report.subject.rows} to be compared."
    sure = int((compared["verdict"] == "worse").sum())
    said = f"{sure} of {len(compared)} slices {'is' if sure == 1 else 'are'} shown to be worse"
    return (
        f"{said} than the other {report.subject.rows}. If an interval contains 0, the rows can't "
        f"tell. Open a row to see the {report.subject.rows} that are predicted worst in it."
    )


def _behind(report: Report) -> Callable[[str], Table | None]:
    """Return what gives the worst rows of a slice by its name."""
    table = report.table("errors/by_slice")
    if table is None:
        return lambda name: None
    names = table.iloc[:, 0].tolist()
    starts = {name: names.index(name) for name in dict.fromkeys(names)}
    rows = table.iloc[:, 1:]
    first = [name.split(" = ")[0].split(" is missing")[0] for name in starts]
    raw_columns = _raw_columns(report, rows)
    kept = raw_columns(first)[: SLICE_COLUMNS + len(first)]
    shown = {name: _values(report, rows[name]) for name in kept}

    def behind(name: str) -> Table | None:
        if name not in starts:
            return None
        mine = slice(starts[name], starts[name] + names.count(name))
        column = name.split(" = ")[0].split(" is missing")[0]
        chosen = raw_columns([column])[:SLICE_COLUMNS]
        columns = [
            raw_column(one, shown[one][0][mine], shown[one][1], TERMS_OF.get(one, ""))
            for one in chosen
        ]
        return Table(f"Highest loss where {name}", columns)

    return behind


def raw_rows(report: Report, table: pd.DataFrame, caption: str, most: int, file: str) -> Table:
    """Return rows of the data: what was predicted, then the columns that matter most."""
    columns = []
    for name in _raw_columns(report, table)([])[:most]:
        values, numeric = _values(report, table[name].head(ROWS))
        columns.append(raw_column(name, values, numeric, TERMS_OF.get(name, "")))
    return Table(caption, columns, max(len(table) - ROWS, 0), file)


def _raw_columns(report: Report, table: pd.DataFrame) -> Callable[[list[str]], list[str]]:
    """Return what puts the columns in order: given ones before the most important features."""
    there = [str(name) for name in table.columns]
    ours = [name for name in OURS if name in there]
    important = report.plots.get("importance")
    ranked = [] if important is None else important["feature"].tolist()
    others = [name for name in there if name not in OURS and not name.startswith("score_")]
    known = set(others)

    def in_order(first: list[str]) -> list[str]:
        wanted = [str(name) for name in (*first, *ranked) if name in known]
        return list(dict.fromkeys([*ours, *wanted, *others]))

    return in_order


def _values(report: Report, values: pd.Series) -> tuple[list[Any], bool]:
    """Return a column's values, and whether they are numbers; classes are named by their words."""
    if report.task == "binary" and values.name in CLASSES:
        return [class_name(report, label) for label in values], False
    numeric = is_numeric_dtype(values.dtype) and not is_bool_dtype(values.dtype)
    return values.tolist(), numeric
