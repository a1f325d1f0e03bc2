"""Evaluates predictions that any system made, from a file, as the pipeline evaluates its own.

In a project whose prepared rows have the ids of the file, what the file lacks comes from them:
target, cluster, weight, slices, the baseline, the settings of the evaluation. Elsewhere the file
stands for itself: task, classes and predictions are what it shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.comparison.result import Limits
from crivo.core import artifacts
from crivo.core.blocks import Evaluator
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.layout import columns
from crivo.core.params import PARAMS_FILE, Params, ValueSettings, read_params
from crivo.core.results import Number, result
from crivo.core.schema import Schema, Task
from crivo.core.tasks import TASKS, task_of
from crivo.evaluation.assess import DefaultEvaluator, intervals_table
from crivo.evaluation.checked_predictions import as_classes, check_predictions
from crivo.evaluation.evaluate import EvaluationInputs, Result, evaluate_predictions
from crivo.evaluation.incumbent import FILE as INCUMBENT
from crivo.evaluation.incumbent import Incumbent, read_incumbent
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.thresholds import OperatingPoint
from crivo.modelfile.canonical import load_model
from crivo.preparation.tables.columns import EXACT, is_text
from crivo.preparation.tables.files import read_table_file
from crivo.preparation.tables.targets import find_positive, guess_task


def read_predictions(path: Path, names: Mapping[str, str]) -> pd.DataFrame:
    """Return a file's table; in CSV an empty cell is a missing value.

    `names` says what the file calls our columns. CrivoError: it has no such file or column.
    """
    if not path.is_file():
        raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of predictions.")
    table = read_table_file(path)
    there = ", ".join(map(str, table.columns))
    chosen = {given: ours for ours, given in names.items() if given != ours}
    if lacking := [given for given in chosen if given not in table]:
        raise CrivoError(f"The file has no column {', '.join(lacking)} (there are: {there}).")
    # A column that was not chosen gives way to the one that was.
    replaced = [ours for ours in chosen.values() if ours in table and ours not in chosen]
    table = table.drop(columns=replaced).rename(columns=chosen)
    if "id" not in table:
        raise CrivoError(
            f"{path.name} lacks the column id (there are: {there}); add it, or name the column "
            "that identifies the row with --id."
        )
    for name in table:
        if is_text(table[name]):
            cells = table[name].mask(table[name] == "")
            table[name] = _plain(cells) if str(name).startswith("slice_") else cells
    return table


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


def choose_context(
    table: pd.DataFrame, schema: Schema | None, task: str | None, positive: str | None
) -> Context:
    """Return the task and its classes: as asked for, as the schema says, or as the table shows."""
    if task is not None and task not in TASKS:
        raise CrivoError(f"--task is {task!r}; expected {', '.join(TASKS)}.")
    if "target" not in table:
        raise CrivoError(
            f"The file has no target (there are: {', '.join(map(str, table.columns))}) and its ids "
            "are not those of data/prepared; add the column, or name it with --target."
        )
    if schema is not None and (task or schema.task) == schema.task:
        context = Context.of(schema)
    else:
        context = _shown_by(table, task or _guess(table), positive)
    if positive is None or not TASKS[context.task].has_positive:
        return context
    chosen = as_classes(pd.Series([positive], name="--positive"), context.classes)
    return replace(context, positive=chosen[0])


def _shown_by(table: pd.DataFrame, task: str, positive: str | None) -> Context:
    """Return a task with the classes that a table shows."""
    if not TASKS[task].has_classes:
        return Context(task)
    classes = _classes(table, task, positive)
    if not TASKS[task].has_positive or positive is not None:
        return Context(task, classes)
    # Each class once more: one that the target never has can't be counted else.
    seen = pd.Series([*_plain(table["target"]).dropna(), *classes])
    return Context(task, classes, find_positive(classes, None, seen))


def decided(table: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return the table with the predictions that the scores suggest; a threshold may follow."""
    task = task_of(context)
    names = task.score_columns
    lacking = [name for name in names if name not in table]
    if lacking or not names:
        raise CrivoError(
            f"The file has neither predictions nor all scores of a {context.task} task "
            f"({', '.join(lacking) or 'it has none'}); add a column of predictions (`--prediction "
            "NAME` names it) or all the scores."
        )
    scores = table[list(names)].apply(pd.to_numeric, errors="coerce")
    labels = task.decide(task.from_columns(scores.fillna(0)))
    return table.assign(prediction=pd.Series(labels, index=table.index))


def _guess(table: pd.DataFrame) -> Task:
    known = (name for name, kind in TASKS.items() if kind.recognises(table))
    return next(known, None) or guess_task(_plain(table["target"]))


def _classes(table: pd.DataFrame, task: str, positive: str | None) -> tuple[Any, ...]:
    """Return all classes that scores, targets or predictions name, sorted."""
    given = [_plain(table[name]) for name in ("target", "prediction") if name in table]
    labels = {label for column in given for label in column.dropna().tolist()}
    named = {str(label): label for label in labels}
    named = {name: name for name in TASKS[task].classes_named(table)} | named
    if positive is not None and len(named) == 1:
        named = {positive: positive} | named
    classes = tuple(named[text] for text in sorted(named))
    if not 2 <= len(classes) <= TASKS[task].max_classes:
        names = ", ".join(map(str, classes[:5]))
        raise CrivoError(
            f"The target and the predictions have {len(classes)} classes ({names}), which "
            f"doesn't fit a {task} task; give --task, or --positive if only the other class occurs."
        )
    return classes


def _plain(column: pd.Series) -> pd.Series:
    """Return a column of text that holds numbers alone as numbers, whole ones as integers."""
    if not is_text(column):
        return column
    numbers = pd.to_numeric(column, errors="coerce")
    if (numbers.isna() & column.notna()).any():
        return column
    whole = numbers.dropna()
    countable = (whole == whole.round()).all() and (whole.abs() < EXACT).all()
    return numbers.astype("Int64") if countable else numbers


@dataclass(frozen=True)
class Prepared:
    """The prepared rows of a project that a file's predictions are of."""

    root: Path
    split: str
    schema: Schema
    rows: pd.DataFrame
    params: Params

    @property
    def predicting(self) -> Predicting:
        """What tables of predictions carry, by the project's settings."""
        return Predicting(self.schema, self.params.evaluate)

    @cached_property
    def features(self) -> pd.DataFrame | None:
        """The model inputs of the rows, where they were made."""
        path = self.root / artifacts.features(self.split)
        return artifacts.read_table(path) if path.exists() else None

    @property
    def incumbent(self) -> Incumbent | None:
        """What a result on these rows must beat, where anything is kept."""
        path = self.root / INCUMBENT
        return read_incumbent(path) if path.exists() else None

    def baseline(self, ids: pd.Series) -> pd.DataFrame | None:
        """Return the baseline's predictions for these rows, where there is one."""
        path = self.root / artifacts.BASELINE
        if self.features is None or not path.exists():
            return None
        model = load_model(path)
        try:
            table = self.predicting.table(model, self.rows, self.features)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise CrivoError(
                f"{path} doesn't fit the rows of data/features ({type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}); run `dvc repro`."
            ) from error
        return table[table["id"].isin(ids)].reset_index(drop=True)


def evaluate_file(
    path: Path,
    names: Mapping[str, str] | None = None,
    *,
    task: str | None = None,
    positive: str | None = None,
    split: str = "valid",
    root: Path = Path(),
) -> Result:
    """Return the evaluation of a predictions file, CSV or Parquet, and all its files.

    `names` says what the file calls the columns; `task` and `positive` are those of the project
    or guessed when left out; `split` is the split whose rows the file is of, if it is of any.
    CrivoError: the file is not what docs/evaluation.md describes.
    """
    table = read_predictions(path, names or {})
    prepared = find_prepared(table, split, root)
    if prepared is not None:
        target = prepared.rows[prepared.schema.target].to_numpy()
        table = complete(table, prepared.predicting.of(prepared.rows, target))
    schema = None if prepared is None else prepared.schema
    context = choose_context(table, schema, task, positive)
    # Scores alone say what is predicted; a threshold may follow.
    scored = any(str(name).startswith("score") for name in table)
    labelled = "prediction" in table or not scored
    table = check_predictions(table if labelled else decided(table, context), context)
    prepared = _if_alike(prepared, table, context)
    evaluator, value = _settings(prepared)
    baseline = None if prepared is None else prepared.baseline(table["id"])
    both = (table, table if baseline is None else baseline)
    operating_point = OperatingPoint.choose(both, context, value, here=True)
    applied = operating_point.apply(both, context)
    predictions = table if labelled else applied[0]
    context = replace(context, baseline=None if baseline is None else applied[1])
    background = _background(path.name, predictions, baseline is not None, prepared)
    return evaluate_predictions(evaluator, predictions, context, operating_point, background)


def find_prepared(table: pd.DataFrame, split: str, root: Path) -> Prepared | None:
    """Return the project's rows if all ids of the table are among them."""
    paths = root / artifacts.prepared(split), root / artifacts.SCHEMA
    if split not in artifacts.SPLITS or not all(path.exists() for path in paths):
        return None
    rows, schema = artifacts.read_table(paths[0]), artifacts.read_schema(paths[1])
    known = set(rows[schema.id].astype("str"))
    if not known.issuperset(table["id"].dropna().astype("str")):
        return None
    return Prepared(root, split, schema, rows, read_params(root / PARAMS_FILE))


def _if_alike(prepared: Prepared | None, table: pd.DataFrame, context: Context) -> Prepared | None:
    """Return the prepared rows if the file is about the same task and targets.

    Else its baseline, its settings and its incumbent are about something else.
    """
    if prepared is None:
        return None
    schema = prepared.schema.model_copy(update={"positive": context.positive})
    if (schema.task, schema.classes) != (context.task, context.classes):
        return None
    targets = prepared.rows[schema.target].set_axis(prepared.rows[schema.id].astype("str"))
    same = targets.loc[table["id"]].tolist() == table["target"].tolist()
    return replace(prepared, schema=schema) if same else None


def _settings(prepared: Prepared | None) -> tuple[Evaluator, ValueSettings]:
    """Return the project's evaluator and gains for its own rows, else the standard ones."""
    if prepared is not None:
        return prepared.params.block("evaluator"), prepared.params.evaluate.value
    return DefaultEvaluator(), ValueSettings()


def _background(
    name: str, predictions: pd.DataFrame, has_baseline: bool, prepared: Prepared | None
) -> EvaluationInputs:
    """Return what is known of the file's predictions: nothing but their rows, or not even these."""
    facts = {"environment": "unknown"}
    if prepared is None:
        return EvaluationInputs(dataset="a file", model=name, facts=facts)
    whole = len(predictions) == len(prepared.rows)
    return EvaluationInputs(
        dataset=prepared.params.dataset,
        model=name,
        baseline=prepared.params.baseline if has_baseline else None,
        split=prepared.split if whole else "file",
        predicting=prepared.predicting,
        rows=prepared.rows,
        features=prepared.features,
        facts=facts,
        incumbent=prepared.incumbent,
    )


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
    rows = intervals_table(evaluated.evaluation).astype(object).to_dict("records")
    known = [{**row, "verdict": row["verdict"] if row["of"] == "difference" else None}
             for row in rows]  # fmt: skip
    return EvaluatedFile(
        about=dict(evaluated.about),
        metrics=tuple(EvaluatedMetric(**{str(key): row[key] for key in row}) for row in known),
        warnings=tuple(evaluated.evaluation.warnings),
        output=None if output is None else str(output),
    )


def evaluated_text(found: EvaluatedFile) -> str:
    """Return the metrics with their intervals, and what to beware of, for a terminal."""
    rows: list[tuple[str, ...]] = [("metric", "of", "value", "se", "low", "high", "verdict")]
    for one in found.metrics:
        numbers = (f"{value:.4g}" for value in (one.value, one.se, one.low, one.high))
        rows.append((one.metric, one.of, *numbers, one.verdict or ""))
    lines = [*columns(rows, right=range(2, 6)), *found.warnings]
    if found.output is not None:
        page = Path(found.output) / "report.html"
        lines.append(f"All files are in {found.output}; open {page} in a browser.")
    return "\n".join(lines)
