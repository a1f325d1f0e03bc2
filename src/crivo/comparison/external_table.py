"""Reads a predictions file and works out what it leaves unsaid: task, classes, predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context
from crivo.core.schema import Schema, Task
from crivo.core.tasks import TASKS, task_of
from crivo.evaluation.checked_predictions import as_classes
from crivo.preparation.tables.columns import EXACT, is_text
from crivo.preparation.tables.files import read_table_file
from crivo.preparation.tables.targets import find_positive, guess_task

SCORE = "score"


@dataclass(frozen=True)
class Names:
    """What a file calls the columns."""

    id: str = "id"
    target: str = "target"
    prediction: str = "prediction"
    score: str = SCORE

    def renamed(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table with our names; CrivoError when a column that was named isn't there."""
        ours = {"id": self.id, "target": self.target, "prediction": self.prediction}
        ours[SCORE] = self.score
        lacking = [given for name, given in ours.items() if given != name and given not in table]
        if lacking:
            raise CrivoError(
                f"The file has no column {', '.join(lacking)} (there are: "
                f"{', '.join(map(str, table.columns))})."
            )
        chosen = {given: name for name, given in ours.items()}
        # A column that was not chosen gives way to the one that was.
        kept = [column for column in table if column in chosen or column not in chosen.values()]
        return table[kept].rename(columns=chosen)


def read_predictions(path: Path, names: Names) -> pd.DataFrame:
    """Return a file's table with our names; in CSV an empty cell is a missing value."""
    if not path.is_file():
        raise CrivoError(f"There is no file {path}; give a CSV or Parquet file of predictions.")
    table = names.renamed(read_table_file(path))
    if "id" not in table:
        raise CrivoError(
            f"{path.name} lacks the column id (there are: {', '.join(map(str, table.columns))}); "
            "name the rows, or say which column does by --id."
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
            f"The file has predictions for {len(table)} of {len(known)} rows; "
            f"{missing.iloc[0]!r}, for example, has none. Predict them all, or give the "
            "targets of those you have."
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
            f"The file has no target (there are: {', '.join(map(str, table.columns))}) and its "
            "ids are not those of data/prepared; add the column, or name it by --target."
        )
    if schema is not None and (task or schema.task) == schema.task:
        context = Context.of(schema)
        if positive is None or not TASKS[schema.task].has_positive:
            return context
        return replace(context, positive=_chosen(context.classes, positive))
    task_name = task or _guess(table)
    if not TASKS[task_name].has_classes:
        return Context(task_name)
    classes = _classes(table, task_name, positive)
    if not TASKS[task_name].has_positive:
        return Context(task_name, classes)
    if positive is not None:
        return Context(task_name, classes, _chosen(classes, positive))
    # Each class once more: one that the target never has can't be counted else.
    seen = pd.Series([*_plain(table["target"]).dropna(), *classes])
    return Context(task_name, classes, find_positive(classes, None, seen))


def undecided(table: pd.DataFrame) -> bool:
    """Return whether the table has scores and no predictions."""
    scored = any(str(name).startswith(SCORE) for name in table)
    return scored and "prediction" not in table


def decided(table: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return the table with the predictions that the scores suggest; a threshold may follow."""
    task = task_of(context)
    names = task.score_columns
    lacking = [name for name in names if name not in table]
    if lacking or not names:
        raise CrivoError(
            f"The file has no predictions, and not the scores of a {context.task} task either "
            f"({', '.join(lacking) or 'it has none'}); give it a column of predictions "
            "(`--prediction NAME` names it) or all scores of the task."
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


def _chosen(classes: Sequence[Any], positive: str) -> Any:
    return as_classes(pd.Series([positive], name="--positive"), classes)[0]


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
