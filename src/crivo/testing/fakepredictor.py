"""The mock of a trained model: scores raw rows before there is a model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from crivo.core.predictions import stable_hash
from crivo.core.schema import Schema
from crivo.core.tasks import task_of
from crivo.prediction.predictor import Estimates, Predictor
from crivo.preparation.tables.columns import as_text
from crivo.testing.examples import example_schema


@dataclass(frozen=True, kw_only=True)
class FakePredictor(Predictor):
    """Scores rows of any schema by a hash of their values: equal rows get equal scores.

    It checks rows and answers as the real one does, so a program that works with it works
    with `crivo.prediction.load_predictor` too.

    >>> from crivo.testing import example_rows
    >>> predictor = FakePredictor(threshold=0.5)
    >>> row = example_rows(rows=1)[list(predictor.columns)].iloc[0].to_dict()
    >>> answer = predictor.predict([row, row])
    >>> list(answer), answer["score"].nunique()
    (['prediction', 'score'], 1)
    """

    schema: Schema = field(default_factory=example_schema, repr=False)
    version: str = "fake"

    def estimate(self, rows: pd.DataFrame) -> Estimates:
        """Return numbers between 0 and 10, or classes with probabilities."""
        classes = np.asarray(self.schema.classes)
        marks = self._marks(rows, max(1, len(classes)))
        if not task_of(self.schema).has_classes:
            return 10 * marks[:, 0], None
        scores = marks / marks.sum(axis=1, keepdims=True)
        return classes[scores.argmax(axis=1)], scores

    def _marks(self, rows: pd.DataFrame, count: int) -> np.ndarray:
        """Return `count` numbers in (0, 1] for each row, from the text of its values."""
        texts = pd.DataFrame({name: as_text(rows[name]).fillna("") for name in rows})
        lines = ["\x1f".join(values) for values in texts.itertuples(index=False)]
        marks = [[stable_hash(f"{i} {line}") / 2**64 for i in range(count)] for line in lines]
        return 1 - np.array(marks).reshape(len(rows), count)
