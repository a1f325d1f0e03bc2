"""Loads a fitted featurizer and model, and predicts; files from elsewhere in a child process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
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
from crivo.evaluation.predicting import predict
from crivo.modelfile.canonical import parse_model, things
from crivo.modelfile.child import Answer, Child

log = logging.getLogger(__name__)

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
            return predict(self.model, rows, self.schema)
        part = "featurizer"
        try:
            inputs = with_shared_levels(check_inputs(self.featurizer.transform(rows), rows))
            part = "model"
            estimates = predict(self.model, inputs, self.schema)
        except REFUSALS as error:
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            raise CrivoError(
                f"The {part} refuses rows that fit the schema ({reason}), so featurizer and model "
                "come from different runs. Run `dvc repro`."
            ) from error
        for words in _unknown(rows, inputs, self.schema):
            warn(words)
        return estimates


def load_fitted(featurizer: bytes, model: bytes, schema: Schema, source: str) -> Fitted:
    """Return what two model files hold; CrivoError: a model has other classes than the schema."""
    transformer = parse_model(featurizer, f"The featurizer of {source}")
    estimator = parse_model(model, f"The model of {source}")
    strange = set(np.asarray(getattr(estimator, "classes_", [])).tolist()) - set(schema.classes)
    if strange:
        raise CrivoError(
            f"The model of {source} predicts {', '.join(sorted(map(str, strange)))}, which aren't "
            "classes of its schema, so the two come from different runs. Run `dvc repro`."
        )
    return Fitted(transformer, estimator, schema)


class Isolated:
    """The same in a process with limits, which starts at once: what it refuses is known then."""

    def __init__(self, featurizer: bytes, model: bytes, schema: Schema, source: str) -> None:
        self._schema = schema
        self._child = Child(f"The model of {source}", answering, featurizer, model, schema, source)
        self.estimate(pd.DataFrame(columns=list(schema.features)))

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return predictions and scores of rows that fit the schema, as the evaluation got them."""
        width, parts, scored = max(1, len(self._schema.classes)), [], False
        for at in range(0, max(1, len(rows)), BATCH_ROWS):
            batch = rows[at : at + BATCH_ROWS]
            answer = self._child.ask(batch, rows=len(batch), numbers=len(batch) * width)
            for words in answer["warnings"]:
                log.warning("%s", escape_control(words))
            parts.append(np.array(answer["numbers"], float).reshape(len(batch), width))
            scored = bool(answer["scored"])
        numbers = np.concatenate(parts)
        if not self._schema.classes:
            return numbers[:, 0], None
        return task_of(self._schema).decide(numbers), numbers if scored else None


def answering(featurizer: bytes, model: bytes, schema: Schema, source: str) -> Any:
    """Return what answers in the child to rows.

    The numbers of each row are its prediction, or the scores of the classes: without scores one
    for the predicted class.
    """
    fitted = load_fitted(featurizer, model, schema, source)
    for thing in things([fitted.featurizer, fitted.model]):
        if "n_jobs" in getattr(thing, "__dict__", {}):
            thing.n_jobs = 1  # it may say hundreds

    def answer(rows: pd.DataFrame) -> Answer:
        words: list[str] = []
        predictions, scores = fitted.estimate(rows, words.append)
        numbers = predictions if scores is None else scores
        if scores is None and schema.classes:
            places = [schema.classes.index(label) for label in predictions.tolist()]
            numbers = np.eye(len(schema.classes))[places]
        return {
            "warnings": [said[:500] for said in words],
            "scored": scores is not None,
            "numbers": np.asarray(numbers, float).tolist(),
        }

    return answer


def _unknown(rows: pd.DataFrame, inputs: pd.DataFrame, schema: Schema) -> Iterator[str]:
    """Say of each category which values the featurizer has left out, as it doesn't know them."""
    for name in schema.features:
        if schema.column(name).type != "category" or name not in inputs:
            continue
        unknown = rows[name][rows[name].notna().to_numpy() & inputs[name].isna().to_numpy()]
        if len(unknown):
            yield (
                f"In {len(unknown):,} of {len(rows):,} rows, {name} has a value that the model "
                f"doesn't know, such as {str(unknown.iloc[0])!r}; it counts as missing."
            )
