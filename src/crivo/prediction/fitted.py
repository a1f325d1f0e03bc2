"""Loads a fitted featurizer and model, and predicts; files from elsewhere in a child process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from crivo.core.errors import CrivoError
from crivo.core.inputs import check_inputs, with_shared_levels
from crivo.core.predictions import BATCH_ROWS
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.core.text_guard import escape_control
from crivo.evaluation.predicting import predict, predict_nothing
from crivo.modelfile.canonical import parse_model, things
from crivo.modelfile.child import Answer, Child

log = logging.getLogger("crivo.prediction")

# Predictions and, where the model gives them, the classes' probabilities in the schema's order.
Estimates = tuple[np.ndarray, np.ndarray | None]
REFUSALS = (ValueError, TypeError, LookupError, AttributeError)


@dataclass(frozen=True)
class Fitted:
    """A featurizer and a model of one run, in this process."""

    featurizer: Any
    model: Any
    schema: Schema

    def estimate(self, rows: pd.DataFrame, warn: Callable[[str], None] = log.warning) -> Estimates:
        """Return predictions and scores of rows that fit the schema, as the evaluation got them."""
        if rows.empty:
            return predict_nothing(self.model, self.schema)
        with _of_one_run("The featurizer refuses rows that fit the schema"):
            inputs = with_shared_levels(check_inputs(self.featurizer.transform(rows), rows))
        for words in _unknown(rows, inputs, self.schema):
            warn(words)
        with _of_one_run("The model refuses what the featurizer gives"):
            return predict(self.model, inputs, self.schema)


@contextmanager
def _of_one_run(what: str) -> Iterator[None]:
    """Turn any error of fitted code into a sentence: what it refuses another run has made."""
    try:
        yield
    except REFUSALS as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise CrivoError(
            f"{what} ({reason}), so the two come from different runs. Run `dvc repro`."
        ) from error


def load_fitted(featurizer: bytes, model: bytes, schema: Schema, source: str) -> Fitted:
    """Return what two model files hold; CrivoError unless they are a featurizer and a model."""
    fitted = Fitted(
        _part(featurizer, f"The featurizer of {source}", "transform"),
        _part(model, f"The model of {source}", "predict"),
        schema,
    )
    strange = set(np.asarray(getattr(fitted.model, "classes_", [])).tolist()) - set(schema.classes)
    if strange:
        raise CrivoError(
            f"The model of {source} predicts {', '.join(sorted(map(str, strange)))}, which aren't "
            "classes of its schema, so the two come from different runs. Run `dvc repro`."
        )
    return fitted


def _part(data: bytes, name: str, method: str) -> Any:
    """Return what a model file holds; CrivoError unless it has the method it is there for."""
    estimator = parse_model(data, name)
    if not hasattr(estimator, method):
        raise CrivoError(
            f"{name} holds a {type(estimator).__name__}, which can't {method}; run `dvc repro`."
        )
    return estimator


class Isolated:
    """The same in a process with limits, which starts at once: what it refuses is known then."""

    def __init__(self, featurizer: bytes, model: bytes, schema: Schema, source: str) -> None:
        self._schema = schema
        parts = featurizer, model, schema, source
        self._child = Child(f"The model of {source}", f"{__name__}:answering", *parts)
        self._scored = bool(self._child.ask(None)["scored"])

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return predictions and scores of rows that fit the schema, as the evaluation got them."""
        starts = range(0, max(1, len(rows)), BATCH_ROWS)
        parts = [self._estimated(rows[at : at + BATCH_ROWS]) for at in starts]
        values = np.concatenate(parts)
        task, classes = task_of(self._schema), np.array(self._schema.classes, dtype=object)
        if not task.has_classes:
            return values[:, 0], None
        if self._scored:
            return task.decide(values), values
        return classes[values[:, 0].astype(int).clip(0, len(classes) - 1)], None

    def _estimated(self, rows: pd.DataFrame) -> np.ndarray:
        """Return a column of predictions, or one of scores for each class."""
        width = len(self._schema.classes) if self._scored else 1
        answer = self._child.ask(rows, rows=len(rows), numbers=len(rows) * width)
        for words in answer["warnings"]:
            log.warning("%s", escape_control(words))
        return np.array(answer["numbers"], float).reshape(len(rows), width)


def answering(featurizer: bytes, model: bytes, schema: Schema, source: str) -> Any:
    """Return what answers in the child: to None whether there are scores, to rows with numbers."""
    fitted = load_fitted(featurizer, model, schema, source)
    for thing in things([fitted.featurizer, fitted.model]):
        if "n_jobs" in getattr(thing, "__dict__", {}):
            thing.n_jobs = 1  # it may say hundreds

    def answer(rows: pd.DataFrame | None) -> Answer:
        if rows is None:
            return {"scored": predict_nothing(fitted.model, schema)[1] is not None}
        words: list[str] = []
        predictions, scores = fitted.estimate(rows, words.append)
        numbers = np.asarray(_numbers(predictions, scores, schema.classes), float)
        return {"warnings": [said[:500] for said in words], "numbers": numbers.tolist()}

    return answer


def _numbers(
    predictions: np.ndarray, scores: np.ndarray | None, classes: Sequence[Any]
) -> np.ndarray:
    if scores is not None or not classes:
        return predictions if scores is None else scores
    places = {name: place for place, name in enumerate(classes)}
    return np.array([places[name] for name in predictions.tolist()])


def _unknown(rows: pd.DataFrame, inputs: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Say of each category which values the featurizer has left out, as it doesn't know them."""
    for name in schema.features:
        if schema.column(name).type != "category" or name not in inputs:
            continue
        unknown = rows[name][rows[name].notna().to_numpy() & inputs[name].isna().to_numpy()]
        if len(unknown):
            yield (
                f"{len(unknown):,} of {len(rows):,} rows have a value in {name} that the model "
                f"doesn't know, such as {str(unknown.iloc[0])!r}; it counts as missing."
            )
