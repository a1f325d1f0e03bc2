"""Where the model is bad: slices and weak segments, each with the rows behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.confusion import class_name
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.forest import Forest, of_slices, slices_forest
from crivo.evaluation.report.table import Table, to_table

# Columns that fit beside a slice.
SLICE_COLUMNS = 10
CLASSES = ("target", "prediction")


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
    sure = int((compared["verdict"] == "worse").sum())
    said = f"{sure} of {len(compared)} slices {'is' if sure == 1 else 'are'} shown to be worse"
    return (
        f"{said} than the other {report.subject.rows}. An interval that contains 0 can't tell. "
        f"Open a row to see the {report.subject.rows} in it that are predicted worst."
    )


def _behind(report: Report) -> Callable[[str], Table | None]:
    tables = of_slices(report.tables.get("errors/by_slice"))

    def behind(name: str) -> Table | None:
        if name not in tables:
            return None
        first = name.split(" = ")[0].split(" is missing")[0]
        return raw_rows(report, tables[name], f"Highest loss where {name}", [first], SLICE_COLUMNS)

    return behind


def raw_rows(
    report: Report, table: pd.DataFrame, caption: str, first: list[str], most: int, file: str = ""
) -> Table:
    """Return rows of the data: what was predicted, then the columns that matter most.

    `first`: columns that come before those of the most important features.
    """
    ours = [name for name in ("id", "target", "prediction", "score", "loss") if name in table]
    important = report.plot("importance")
    ranked = [] if important is None else [str(name) for name in important["feature"]]
    scores = [name for name in table.columns if str(name).startswith("score_")]
    others = [name for name in table.columns if name not in (*ours, *scores)]
    wanted = [name for name in (*first, *ranked) if name in others]
    names = list(dict.fromkeys([*ours, *wanted, *others]))[:most]
    shown = table[names]
    if report.task == "binary":
        classes = {name: [class_name(report, label) for label in shown[name]] for name in CLASSES}
        shown = shown.assign(**classes)
    terms = {"loss": "loss", "score": "score"}
    return to_table(shown, caption, raw=True, terms=terms, file=file)
