"""The sections of a report: their tables, their forest plots and what follows from each."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd

from crivo.core.tasks import TASKS
from crivo.evaluation.importances import leading
from crivo.evaluation.metrics import metrics_of
from crivo.evaluation.report.confusion import class_name
from crivo.evaluation.report.contents import Report
from crivo.evaluation.report.forest import Forest, importances_forest
from crivo.evaluation.report.numbers import (
    aligned,
    cell,
    common_digits,
    digits_of,
    interval,
    number,
    signed,
    with_interval,
)
from crivo.evaluation.report.table import Column, Table, to_table
from crivo.evaluation.report.where import raw_rows
from crivo.evaluation.report.words import worse

# Columns of raw rows that fit beside each other.
RAW_COLUMNS = 11
# Where a metric was described first: of no use to a reader of the report.
SOURCE = re.compile(r" \([^()]*\d{4}[a-z]?\)")
STATES = {"holds": "✓ holds", "violated": "✗ violated", "not measured": "– not measured"}
# What the checks of a stage look for, by the first letter of their codes.
KINDS = {
    "L": "rows or groups in two splits, and columns that leak the target",
    "T": "splits that differ from each other",
    "R": "results that can't be believed",
}
VALUE_OF = {
    "model": "the model",
    "model_at_threshold": "the model at the threshold",
    "act_on_all": "flagging all rows",
    "act_on_none": "flagging no row",
    "baseline": "the baseline",
    "difference": "the model minus the baseline",
}


def metrics_table(report: Report) -> Table:
    """Return each metric with its interval, beside the baseline where there is one."""
    evaluation = report.evaluation
    own = evaluation.metrics
    names = [str(name) for name in own.index]
    digits = [digits_of(low, high) for low, high in zip(own["low"], own["high"], strict=True)]
    known = metrics_of(report.task) if report.task in TASKS else {}
    notes = [SOURCE.sub("", known[name].description) if name in known else "" for name in names]
    values = own["value"].astype(float).tolist()
    texts = [number(value, each) for value, each in zip(values, digits, strict=True)]
    ends = [interval(row, each) for row, each in zip(own.to_dict("records"), digits, strict=True)]
    columns = [
        Column("metric", names, notes=notes),
        Column("value", aligned(texts), values),
        Column("95 % interval", ends, own["low"].astype(float).tolist(), "interval"),
    ]
    if len(evaluation.baseline):
        beside = evaluation.baseline["value"].reindex(own.index).astype(float).tolist()
        written = [
            "" if pd.isna(value) else number(value, each)
            for value, each in zip(beside, digits, strict=True)
        ]
        head = f"baseline, {report.subject.baseline}" if report.subject.baseline else "baseline"
        columns.append(Column(head, aligned(written), beside, "baseline"))
    if len(evaluation.against_baseline):
        columns += _versus(evaluation.against_baseline.reindex(own.index))
    caption = "Each metric with its interval, the baseline's value, and the difference"
    return Table(caption, columns, file="intervals.csv")


def _versus(versus: pd.DataFrame) -> list[Column]:
    rows = versus.to_dict("records")
    digits = [digits_of(row["low"], row["high"]) for row in rows]
    values = versus["difference"].astype(float).tolist()
    texts = [
        "" if pd.isna(value) else signed(value, each)
        for value, each in zip(values, digits, strict=True)
    ]
    ends = [interval(row, each) for row, each in zip(rows, digits, strict=True)]
    words = [cell(row["verdict"]) for row in rows]
    return [
        Column("difference", aligned(texts), values),
        Column("its interval", ends, versus["low"].astype(float).tolist(), "interval"),
        Column("verdict", words, term="verdict"),
    ]


def metrics_conclusion(report: Report) -> str:
    """Return what follows from the metrics."""
    verdicts = report.evaluation.against_baseline
    if verdicts.empty:
        return "There is no baseline for these predictions, so it isn't known how easy the task is."
    better = int((verdicts["verdict"] == "better").sum())
    said = f"Better than the baseline in {better} of {len(verdicts)} metrics."
    return f"{said} {worse(report.evaluation)}"


def limits_table(report: Report) -> Table | None:
    """Return the limits as passed or failed; None where none are set."""
    if not report.limits:
        return None
    checked = report.limits
    values = [float("nan") if one.value is None else one.value for one in checked]
    columns = [
        Column("state", [STATES[one.state] for one in checked]),
        Column("number", [one.name for one in checked]),
        Column("limit", [one.limit for one in checked], term="limit"),
        Column("value", aligned([cell(value) for value in values]), values),
    ]
    return Table("Limits", columns)


def findings(report: Report) -> list[tuple[str, str, str]] | None:
    """Return for each kind of checks a mark, what it looks for and what it found."""
    if report.checked is None or report.found is None:
        return None
    external = report.about.get("environment", "unknown") == "unknown"
    found = []
    for letter, what in KINDS.items():
        if external and letter != "R":
            continue
        mine = report.found[report.found["code"].str.startswith(letter)]
        grave = int((mine["severity"] != "note").sum())
        counted = f"{grave} finding{'s' * (grave != 1)}" if grave else "passed"
        notes = len(mine) - grave
        counted += f", {notes} note{'s' * (notes != 1)}" if notes else ""
        found.append(("✗" if grave else "✓", f"{what} ({letter})", counted))
    return found


def findings_of_checks(report: Report) -> Table | None:
    """Return all findings; None where there are none or no checks were made."""
    found = report.found
    if found is None or found.empty:
        return None
    return to_table(found, "Findings of the checks", most=len(found), terms={"code": "finding"})


def silent_checks(report: Report, state: str) -> list[tuple[str, str, str]]:
    """Return code, title and reason of the checks that passed or that aren't applicable."""
    if report.checked is None:
        return []
    rows = report.checked[report.checked["severity"] == state]
    return [(str(one.code), str(one.subject), str(one.message)) for one in rows.itertuples()]


def value_section(report: Report) -> tuple[Table, str] | None:
    """Return what acting is worth, and what follows from it."""
    if (value := report.table("value")) is None:
        return None
    rows = report.subject.rows
    known = value.rename(columns={"low": "value_per_1000_low", "high": "value_per_1000_high"}).drop(
        columns="se", errors="ignore"
    )
    by_name = {
        str(of): {"value": worth, "low": low, "high": high}
        for of, worth, low, high in zip(
            value["of"], value["value_per_1000"], value["low"], value["high"], strict=True
        )
    }
    known = known[~_same_as_model(known)]
    # As in the table, so that no number is given in two ways.
    ends = zip(known["value_per_1000_low"], known["value_per_1000_high"], strict=True)
    money = partial(report.subject.money, digits=common_digits(ends))
    known["of"] = [VALUE_OF.get(str(of), str(of)) for of in known["of"]]
    unit = f", {report.subject.currency}" if report.subject.currency else ""
    heads = {
        "of": "decisions by",
        "acted_per_1000": f"flagged of 1,000 {rows}",
        "value_per_1000": f"value per 1,000 {rows}{unit}",
    }
    parts = []
    if (model := by_name.get("model")) and not pd.isna(model["value"]):
        parts.append(f"The model is worth {money(model)} per 1,000 {rows}.")
    if (gap := by_name.get("difference")) and not pd.isna(gap["value"]):
        parts.append(f"That is {money(gap)} more than the baseline.")
    if (everything := by_name.get("act_on_all")) and not pd.isna(everything["value"]):
        parts.append(f"Flagging all would be worth {money(everything, ends=False)}.")
    table = to_table(known, "Value", heads=heads, terms={"of": "threshold"}, file="value.csv")
    return table, " ".join(parts)


def _same_as_model(value: pd.DataFrame) -> pd.Series:
    """Return which line is the threshold's, if it flags what the model's line flags already."""
    acted = value.set_index("of")["acted_per_1000"]
    near = abs(acted.get("model_at_threshold", 0.0) - acted.get("model", 0.0)) < 1
    return (value["of"] == "model_at_threshold") & near


def errors_section(report: Report) -> Table | None:
    """Return the rows that are predicted worst of all."""
    table = report.table("errors/worst")
    if table is None:
        return None
    return raw_rows(report, table, "Worst rows", RAW_COLUMNS, "errors/worst.csv")


def tenths(report: Report) -> Table | None:
    """Return how good the model is in tenths of the rows, in the words of the task."""
    table = report.table("errors/by_decile")
    if table is None:
        return None
    heads = {"decile": "tenth", "rows": report.subject.rows}
    if report.task == "regression":
        heads |= {"lowest": "lowest prediction", "highest": "highest prediction"}
        heads |= {"mean_score": "mean prediction", "observed_rate": f"mean {report.subject.target}"}
        heads |= {"mean_loss": "mean absolute error"}
        table = table.drop(columns="error_rate")
    elif report.task == "multiclass":
        heads |= {"lowest": "lowest probability", "highest": "highest probability"}
        heads |= {"mean_score": "mean probability of the predicted class"}
        heads |= {"observed_rate": "share right", "mean_loss": "mean log loss"}
        table = table.drop(columns="error_rate")
    else:
        positive = class_name(report, report.subject.positive)
        heads |= {"lowest": "lowest score", "highest": "highest score"}
        heads |= {"observed_rate": f"share {positive}", "error_rate": "share wrong"}
        heads |= {"mean_loss": "mean log loss"}
    caption = (
        "By tenth of the predictions" if report.task == "regression" else "By tenth of the scores"
    )
    return to_table(table, caption, heads=heads, file="errors/by_decile.csv")


def importance_section(report: Report) -> tuple[Forest, str] | None:
    """Return which features are important, and what follows from it."""
    table = report.plot("importance")
    if table is None:
        return None
    return importances_forest(table, "Permutation importance"), leading(table)


def refit_section(report: Report) -> Table | None:
    """Return the refitted model beside the trial's; None where none was refitted."""
    table = report.plot("refit")
    return None if table is None else to_table(table, "The refitted model beside the trial's")


def calibration_conclusion(report: Report) -> str:
    """Return what follows from the mean score; nothing where it isn't known."""
    name, whole = "calibration_in_the_large", report.all_rows
    if name not in whole or pd.isna(whole[name]):
        return ""
    row = {"value": whole[name], "low": whole[f"{name}_low"], "high": whole[f"{name}_high"]}
    fits = pd.isna(row["low"]) or row["low"] <= 0 <= row["high"]
    side = "high" if row["value"] > 0 else "low"
    said = with_interval(row, sign=True)
    if fits:
        return f"The scores are not shown to be too high or too low on average ({said})."
    return f"The scores are too {side} on average ({said}): don't read them as probabilities."


def settings(report: Report) -> list[tuple[str, str]]:
    """Return the model's settings as pairs of a name and a value."""
    shown: Mapping[str, Any] = report.settings
    return [(str(name), str(value)) for name, value in sorted(shown.items())]
