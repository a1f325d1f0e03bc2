"""Calls estimators in batches, and builds and checks predictions tables, own ones and foreign ones.

A duplicate row, a score above one or an unknown class would not stop the metrics, it would just
make them wrong, so a table that isn't one of predictions is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.blocks import Context
from crivo.core.errors import CrivoError
from crivo.core.inputs import as_text
from crivo.core.params import EvaluateSettings
from crivo.core.predictions import (
    BATCH_ROWS,
    SUM_TOLERANCE,
    VERSION,
    VERSION_KEY,
    as_probabilities,
    assign_clusters,
    build_predictions,
)
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.evaluation.jackknife import jackknife_groups
from crivo.runtime.timing import timed


@dataclass(frozen=True)
class Predicting:
    """What the tables of a model's predictions carry beside these, by a project's settings."""

    schema: Schema
    settings: EvaluateSettings = field(default_factory=EvaluateSettings)

    def tables(
        self, models: tuple[Any, Any], rows: pd.DataFrame, features: pd.DataFrame
    ) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the predictions tables of model and baseline for rows and their features."""
        model, baseline = models
        try:
            with timed("predict", len(rows)):
                own = predict(model, features, self.schema)
            return self.of(rows, *own), self.table(baseline, rows, features)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            why = " ".join(str(error).split())[:200]
            raise CrivoError(
                f"The model or the baseline refuses the rows to evaluate ({why}); choose another "
                "one, or correct its block or the features that it gets."
            ) from error

    def table(self, model: Any, rows: pd.DataFrame, features: pd.DataFrame) -> pd.DataFrame:
        """Return the predictions table of one model.

        CrivoError: the model gave what isn't a prediction, such as a probability that is missing.
        """
        return self.of(rows, *predict(model, features, self.schema))

    def groups(self, rows: pd.DataFrame) -> pd.Categorical:
        """Return the clusters of rows, in their order."""
        ids = rows[self.schema.id].astype("str").array
        clusters = assign_clusters(rows, self.schema.id, self.settings)
        return jackknife_groups(pd.DataFrame({"id": ids, "cluster": clusters.array}))

    def of(
        self, rows: pd.DataFrame, prediction: np.ndarray, scores: np.ndarray | None = None
    ) -> pd.DataFrame:
        """Return the checked predictions table of what was said of rows."""
        table = build_predictions(rows, self.schema, prediction, scores, self.settings)
        return check_predictions(table, Context.of(self.schema))


def predict(
    estimator: Any, features: pd.DataFrame, schema: Schema
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the predictions and, where the estimator gives them, the classes' probabilities.

    The probabilities have one column per class of the schema; without `predict_proba` they
    are None. A binary prediction is the positive class from a probability of one half on. The
    estimator gets many rows in batches, as it copies them, and isn't asked about none.
    """
    task = task_of(schema)
    scored = task.has_classes and hasattr(estimator, "predict_proba")
    if not len(features):
        empty = np.empty(0, dtype=object if task.has_classes else float)
        return empty, np.empty((0, len(schema.classes))) if scored else None
    batches = (features[at : at + BATCH_ROWS] for at in range(0, len(features), BATCH_ROWS))
    if not scored:
        return np.concatenate([np.asarray(estimator.predict(batch)) for batch in batches]), None
    classes = pd.Index(estimator.classes_.tolist(), dtype=object)
    scores = np.concatenate([estimator.predict_proba(batch) for batch in batches])
    scores = as_probabilities(scores, len(features), len(classes))
    # A class never taught has probability 0. As objects, 1 and True are the same class.
    wanted = pd.Index(schema.classes, dtype=object)
    scores = pd.DataFrame(scores, columns=classes).reindex(columns=wanted, fill_value=0).to_numpy()
    return task.decide(scores), scores


NEEDED = ("id", "target", "prediction")

# Single-precision numbers may leave [0, 1] by this much; they are put back.
RANGE_TOLERANCE = 1e-6

# How true and false may be written.
BOOLEANS = {"true": True, "false": False, "TRUE": True, "FALSE": False, "1": True, "0": False}


def check_predictions(table: pd.DataFrame, context: Context) -> pd.DataFrame:
    """Return a predictions table in its proper form: sorted by id, labels as the classes are.

    Clusters and weights are added where there are none; other columns than those of the form
    are left out. CrivoError: the table is not what docs/evaluation.md says, and what to do about
    it.
    """
    _require_form(table)
    names = table["id"].astype("str")
    missing = table["id"].isna() | (names.str.strip() == "")
    _require(missing, "rows without an id", "give every row its own")
    advice = "each evaluated row has exactly one prediction"
    _require(names.duplicated(), "rows with the id of another row", advice, names)
    columns: dict[str, Any] = {"id": names.array}
    for name in ("target", "prediction"):
        if task_of(context).has_classes:
            columns[name] = as_classes(table[name], context.classes)
        else:
            columns[name] = _numbers(table[name])
    columns |= _scores(table, context)
    if "cluster" in table:
        advice = "give every row one, or leave the column out"
        _require(table["cluster"].isna(), "rows without a cluster", advice)
        columns["cluster"] = table["cluster"].array
    else:
        columns["cluster"] = assign_clusters(pd.DataFrame({"id": names.array}), "id").array
    columns["weight"] = _numbers(table["weight"]) if "weight" in table else np.ones(len(table))
    advice = "leave out rows that don't count"
    _require(columns["weight"] <= 0, "weights that are not above 0", advice)
    columns |= {str(name): table[name].array for name in table if str(name).startswith("slice_")}
    predictions = pd.DataFrame(columns).sort_values("id", ignore_index=True)
    predictions.attrs[VERSION_KEY] = VERSION
    return predictions


def _require_form(table: pd.DataFrame) -> None:
    version = table.attrs.get(VERSION_KEY, VERSION)
    if version != VERSION:
        raise CrivoError(
            f"The predictions table has version {version} of its format, and this crivo reads "
            f"version {VERSION}; make it again with the current code."
        )
    lacking = [name for name in NEEDED if name not in table]
    if lacking:
        raise CrivoError(
            f"The predictions table lacks {', '.join(lacking)} (its columns are: "
            f"{', '.join(map(str, table.columns))}); it needs {', '.join(NEEDED)}."
        )
    if not len(table):
        raise CrivoError("The predictions table has no rows; give it one for each evaluated row.")


def _require(wrong: Any, what: str, advice: str, values: Any = None) -> None:
    """Raise CrivoError where rows are wrong: how many, the first of `values`, and advice."""
    wrong = np.asarray(wrong, dtype=bool)
    if wrong.any():
        example = "" if values is None else f", such as {str(np.asarray(values)[wrong.argmax()])!r}"
        some = f"{wrong.sum()} of {len(wrong)}{example}"
        raise CrivoError(f"The predictions table has {what} ({some}); {advice}.")


def as_classes(column: pd.Series, classes: Sequence[Any]) -> Any:
    """Return labels as the classes they name, by value or as they are written.

    >>> as_classes(pd.Series(["True", "False"]), (False, True)).tolist()
    [True, False]
    """
    known: dict[Any, Any] = {str(name): name for name in classes} | {x: x for x in classes}
    if set(classes) <= {False, True} and all(isinstance(name, bool) for name in classes):
        known |= BOOLEANS
    codes, labels = pd.factorize(column)
    advice = "leave out rows whose target isn't known, and predict all others"
    _require(codes < 0, f"rows without a {column.name}", advice)
    plain = [label.item() if hasattr(label, "item") else label for label in labels]
    written = as_text(pd.Series(plain, dtype="object")).str.strip()
    label_classes = [
        known.get(label, known.get(text)) for label, text in zip(plain, written, strict=True)
    ]
    strange = [label for label, one in zip(plain, label_classes, strict=True) if one is None]
    if strange:
        raise CrivoError(
            f"The {column.name} {strange[0]!r} in the predictions table isn't a class; "
            f"the classes are {', '.join(map(repr, classes))}."
        )
    return pd.Series(label_classes).to_numpy()[codes]


def _scores(table: pd.DataFrame, context: Context) -> dict[str, np.ndarray]:
    names = task_of(context).score_columns
    given = [str(name) for name in table if str(name) == "score" or str(name).startswith("score_")]
    if not given:
        return {}
    if set(given) != set(names):
        expected = f"{', '.join(names)} or no score at all" if names else "no score"
        raise CrivoError(
            f"The predictions table has the score columns {', '.join(given)}; a {context.task} "
            f"task of these classes has {expected}."
        )
    scores = {name: _numbers(table[name]) for name in names}
    for name, values in scores.items():
        outside = (values < -RANGE_TOLERANCE) | (values > 1 + RANGE_TOLERANCE)
        what = f"values of {name} outside [0, 1]"
        _require(outside, what, "a score is a probability", values)
        scores[name] = values.clip(0, 1)
    if len(names) > 1:
        total = np.sum(list(scores.values()), axis=0)
        wrong, advice = np.abs(total - 1) > SUM_TOLERANCE, "give probabilities of all classes"
        _require(wrong, "rows whose scores don't sum to one", advice, total.round(4))
    return scores


def _numbers(column: pd.Series) -> np.ndarray:
    try:  # exact for numbers written as text, which `to_numeric` is not to the last digit
        values = column.to_numpy(float, na_value=np.nan)
    except (TypeError, ValueError):
        values = pd.to_numeric(column, errors="coerce").to_numpy(float, na_value=np.nan)
    what = f"values of {column.name} that aren't finite numbers"
    _require(~np.isfinite(values), what, "correct these rows, or leave them out", column)
    return values
