"""What is known of predictions beside the table of them: their rows, their model, its making."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.environment import environment_state
from crivo.core.params import Limit
from crivo.core.schema import Schema
from crivo.evaluation.explanations import in_order
from crivo.evaluation.incumbent import Incumbent, read_incumbent
from crivo.evaluation.predicting import Predicting


@dataclass(frozen=True, kw_only=True)
class Background:
    """What is known of the predicted rows and of what predicted them, as far as anything is.

    `dataset`, `model`: what they are called, `baseline`: the name of the trivial one, if there
    is any; `split`: the split that the rows are. `schema`, `rows`: the prepared rows, `features`:
    what a model sees of them, in their order. `facts`: what `evaluation.json` says of the making;
    `curves`: what the model is like; `training`: its metrics on training rows; `row_findings`:
    what the checks of rows found. `is_baseline`: the model is the baseline. `cluster`, `block`:
    the column whose values were put into blocks, and how many of them form one. `settings`: those
    of the model.
    """

    dataset: str
    model: str
    baseline: str | None = None
    split: str = "file"
    schema: Schema | None = None
    rows: pd.DataFrame | None = None
    features: pd.DataFrame | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    curves: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    row_findings: pd.DataFrame | None = None
    is_baseline: bool = False
    incumbent: Incumbent | None = None
    limits: Mapping[str, Limit] = field(default_factory=dict)
    cluster: str | None = None
    block: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)

    def beside(self, predictions: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return raw columns and features of the predicted rows; none where they aren't known."""
        nothing = pd.DataFrame(index=predictions.index)
        if self.schema is None or self.rows is None:
            return nothing, nothing
        if self.features is None:
            return in_order(predictions, self.schema, self.rows)[0], nothing
        raw, features = in_order(predictions, self.schema, self.rows, self.features)
        return raw, features


def read_background(
    predicting: Predicting, *, model: str, baseline: str, facts: Mapping[str, Any], **known: Any
) -> Background:
    """Return what the stage knows, with what other stages measured, and the incumbent.

    `known`: more fields of `Background`.
    """
    return Background(
        model=model,
        baseline=baseline,
        is_baseline=model == baseline,
        facts={**environment_state(), **facts},
        schema=predicting.schema,
        cluster=predicting.cluster,
        block=predicting.block,
        training=artifacts.read_json(artifacts.TRAIN_METRICS / "metrics.json"),
        row_findings=artifacts.read_csv(artifacts.ROW_FINDINGS, as_text=True),
        incumbent=read_incumbent(),
        **known,
    )
