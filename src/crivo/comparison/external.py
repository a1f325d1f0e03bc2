"""`crivo evaluate`: evaluates a file of predictions of any system as the pipeline does its own.

Task, classes and settings are the project's. Where its prepared rows have the ids of the file, what
the file lacks comes from them: target, cluster, weight, slices, the baseline. A file of other rows
stands for itself, with its own targets.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.comparison.layout import columns
from crivo.comparison.result import Limits
from crivo.comparison.text import decimals, number
from crivo.core import artifacts
from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.params import PARAMS_FILE, read_params
from crivo.core.results import Number, result
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.assess import intervals_table
from crivo.evaluation.evaluate import Result
from crivo.evaluation.incumbent import FILE as INCUMBENT
from crivo.evaluation.incumbent import read_incumbent
from crivo.evaluation.predicting import Predicting, check_predictions
from crivo.evaluation.thresholds import OperatingPoint
from crivo.modelfile.canonical import load_model
from crivo.preparation.tables.columns import (
    Reading,
    as_type,
    decimal_marks,
    different,
    is_text,
    typed,
)
from crivo.preparation.tables.files import read_table_file


def read_predictions(path: Path, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a file's table; in CSV an empty cell is a missing value, and commas may be decimal.

    `names` says what the file calls our columns. CrivoError: it has no such file or column.
    """
    if not path.is_file():
        raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of predictions.")
    table = read_table_file(path)
    chosen = {given: ours for ours, given in names.items() if given != ours}
    # A column that was not chosen gives way to the one that was.
    replaced = [ours for ours in chosen.values() if ours in table and ours not in chosen]
    renamed = table.drop(columns=replaced).rename(columns=chosen)
    lacking = [given for given in chosen if given not in table]
    if lacking := lacking or [ours for ours in ("id",) if ours not in renamed]:
        left = ", ".join(str(name) for name in table if name not in chosen)
        many = "s" * (len(lacking) > 1)
        raise CrivoError(
            f"{path.name} lacks the column{many} {', '.join(lacking)} (there are: {left}); "
            "add what is missing, or name the right column, such as --id NAME for "
            "the column that identifies the row."
        )
    reading = Reading().of(renamed.drop(columns="id"))
    for name in [name for name in renamed if is_text(renamed[name])]:
        values = renamed[name].mask(renamed[name] == "")
        texts = different(values)
        commas = name != "id" and reading.decimal == "," and "." not in decimal_marks(texts)
        if commas and as_type(texts, reading)[0] == "number":
            values = typed(values, reading, "number")
        elif str(name).startswith("slice_"):
            with suppress(ValueError):  # a column of numbers
                values = pd.to_numeric(values)
        renamed[name] = values
    return renamed


def complete(table: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the columns it lacks of those known of its rows, by id.

    CrivoError: it lacks the target and is not of all rows, so that it would be evaluated on others.
    """
    wanted = [name for name in known if name not in (*table, "prediction")]
    if "target" in wanted and len(table) < len(known):
        missing = known.loc[~known["id"].isin(table["id"].astype("str")), "id"]
        raise CrivoError(
            f"The file has predictions for {len(table)} of {len(known)} rows; {missing.iloc[0]!r}, "
            "for example, has none. Predict all of them, or add the targets to the file."
        )
    joined = table.assign(id=table["id"].astype("str"))
    return joined.merge(known[["id", *wanted]], how="left", on="id")


def decided(table: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return a table with the predictions that its scores suggest."""
    task = task_of(context)
    names = list(task.score_columns)
    if not (names and set(names) <= set(table)):
        raise CrivoError(
            "The file lacks the column prediction; add it, or name the right one with "
            f"--prediction{', or give all scores: ' if names else ''}{', '.join(names)}."
        )
    scores = table[names].apply(pd.to_numeric, errors="coerce")
    labels = task.decide(task.from_columns(scores.fillna(0)))
    return table.assign(prediction=pd.Series(labels, index=table.index))


def evaluate_file(
    path: Path, names: Mapping[str, str] | None = None, *, split: str = "valid", root: Path = Path()
) -> Result:
    """Return the evaluation of a predictions file, CSV or Parquet, and all its files.

    `names` says what the file calls the columns; `split` is the split whose rows the file is of, if
    it is of any. CrivoError: the file is not what docs/evaluation.md describes.
    """
    if split not in artifacts.SPLITS[1:]:
        raise CrivoError(f"--split is {split!r}; expected valid or test.")
    table = read_predictions(path, names or {})
    if not (root / artifacts.SCHEMA).exists():
        raise CrivoError(
            f"There is no {artifacts.SCHEMA}; run this in a project's folder, after `dvc repro`."
        )
    schema, params = artifacts.read_schema(root / artifacts.SCHEMA), read_params(root / PARAMS_FILE)
    predicting, context = Predicting(schema, params.evaluate), Context.of(schema)
    rows = _prepared_rows(table, schema.id, root / artifacts.prepared(split))
    if rows is not None:
        table = complete(table, predicting.of(rows, rows[schema.target].to_numpy()))
    elif "target" not in table:
        raise CrivoError(
            f"The file has no target (there are: {', '.join(map(str, table.columns))}) and its ids "
            "are not those of data/prepared; add the column, or name it with --target."
        )
    # Scores alone say what is predicted; a threshold may follow.
    labelled = "prediction" in table
    table = check_predictions(table if labelled else decided(table, context), context)
    known: dict[str, Any] = {"dataset": params.dataset, "facts": {"environment": "unknown"}}
    baseline = None
    if rows is not None:
        known |= _of_project(table, rows, split, schema, root)
        baseline = _baseline(predicting, rows, known["features"], table["id"], root)
    both = (table, table if baseline is None else baseline)
    operating_point = OperatingPoint.choose(both, context, params.evaluate.value, here=True)
    applied = operating_point.apply(both, context)
    predictions = table if labelled else applied[0]
    if baseline is not None:
        known["baseline"] = params.baseline
        context = replace(context, baseline=applied[1])
    evaluator = params.block("evaluator")
    evaluation = evaluator.evaluate(predictions, context)
    shown = (predictions, context, evaluation, operating_point, vars(evaluator), predicting)
    return Result(*shown, model=path.name, **known)


def _prepared_rows(table: pd.DataFrame, name: str, path: Path) -> pd.DataFrame | None:
    """Return the project's rows of a split if all ids of the table are among them."""
    if not path.exists():
        return None
    rows = artifacts.read_table(path)
    known = set(rows[name].astype("str"))
    return rows if known.issuperset(table["id"].dropna().astype("str")) else None


def _of_project(
    table: pd.DataFrame, rows: pd.DataFrame, split: str, schema: Schema, root: Path
) -> dict[str, Any]:
    """Return what the project knows of the file's rows; CrivoError: they have other targets."""
    targets = rows[schema.target].set_axis(rows[schema.id].astype("str")).loc[table["id"]]
    if targets.tolist() != table["target"].tolist():
        raise CrivoError(
            "The file's targets aren't those that data/prepared has for the same ids; leave the "
            "column out, or give other rows other ids."
        )
    features, incumbent = root / artifacts.features(split), root / INCUMBENT
    return {
        "split": split if len(table) == len(rows) else "file",
        "rows": rows,
        "features": artifacts.read_table(features) if features.exists() else None,
        "incumbent": read_incumbent(incumbent) if incumbent.exists() else None,
    }


def _baseline(
    predicting: Predicting,
    rows: pd.DataFrame,
    features: pd.DataFrame | None,
    ids: pd.Series,
    root: Path,
) -> pd.DataFrame | None:
    """Return the baseline's predictions for the rows of these ids, where there is one."""
    path = root / artifacts.BASELINE
    if features is None or not path.exists():
        return None
    model = load_model(path)
    try:
        table = predicting.table(model, rows, features)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise CrivoError(
            f"{path} doesn't fit the rows of data/features ({type(error).__name__}: "
            f"{' '.join(str(error).split())[:200]}); run `dvc repro`."
        ) from error
    return table[table["id"].isin(ids)].reset_index(drop=True)


@result
class EvaluatedMetric(Limits):
    """A metric of the model or of the baseline, or the difference between the two."""

    metric: str
    """The metric's name."""
    of: str
    """`model`, `baseline` or `difference`."""
    se: Number
    """Its standard error."""
    verdict: str | None
    """For a difference, the verdict that follows from its interval."""


@result
class EvaluatedFile:
    """The metrics of a file of predictions."""

    about: dict[str, Any]
    """What was evaluated, as in evaluation.json."""
    metrics: tuple[EvaluatedMetric, ...]
    """The metrics with their intervals."""
    warnings: tuple[str, ...]
    """The reasons to doubt the numbers."""
    output: str | None
    """The folder with all files of the result; null if none was given."""


def evaluated_file(evaluated: Result, output: Path | None) -> EvaluatedFile:
    """Return what the command prints of an evaluation, and where its files are."""
    order = ["value", "low", "high", "metric", "of", "se", "verdict"]
    table = intervals_table(evaluated.evaluation).astype(object)[order]
    table["verdict"] = table["verdict"].where(table["verdict"].notna(), None)
    return EvaluatedFile(
        about=dict(evaluated.about),
        metrics=tuple(EvaluatedMetric(*row) for row in table.itertuples(index=False)),
        warnings=tuple(evaluated.evaluation.warnings),
        output=None if output is None else str(output),
    )


def evaluated_text(found: EvaluatedFile) -> str:
    """Return the metrics with their intervals, and what to beware of, for a terminal."""
    rows: list[tuple[str, ...]] = [("metric", "of", "value", "se", "low", "high", "verdict")]
    for one in found.metrics:
        digits = decimals(one.low, one.high)
        numbers = (number(value, digits) for value in (one.value, one.se, one.low, one.high))
        rows.append((one.metric, one.of, *numbers, one.verdict or ""))
    lines = [*columns(rows, right=range(2, 6)), *found.warnings]
    if found.output is not None:
        page = Path(found.output) / "report.html"
        lines.append(f"All files are in {found.output}; open {page} in a browser.")
    return "\n".join(lines)
