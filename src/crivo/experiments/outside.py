"""Judges predictions that any system made, from a file, as the pipeline judges its own.

In a project whose prepared rows have the ids of the file, what the file lacks comes from them:
target, cluster, weight, slices, the baseline, the settings of the evaluation. Elsewhere the file
stands for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Evaluator
from crivo.core.errors import CrivoError
from crivo.core.evaluation import Context, Evaluation
from crivo.core.findings import findings_table
from crivo.core.modelfile import load_model
from crivo.core.params import PARAMS_FILE, Params, ValueSettings, read_params
from crivo.core.registry import make_block
from crivo.core.schema import Schema
from crivo.evaluation.checked_predictions import check_predictions
from crivo.evaluation.curves import plots
from crivo.evaluation.findings import findings, in_order
from crivo.evaluation.incumbent import FILE as INCUMBENT
from crivo.evaluation.incumbent import against_incumbent, read_incumbent
from crivo.evaluation.outputs import check_results, output_files
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.summary import intervals_table, provenance
from crivo.evaluation.thresholds import OperatingPoint
from crivo.experiments.outside_table import (
    Names,
    choose_context,
    complete,
    decided,
    read_predictions,
    undecided,
)


@dataclass(frozen=True)
class Judged:
    """The evaluation of a file, and all files that the stage would have written."""

    evaluation: Evaluation
    make_files: Callable[[], dict[str, Any]] = field(repr=False)

    @cached_property
    def files(self) -> dict[str, Any]:
        """The content of each file by name."""
        return self.make_files()

    @property
    def text(self) -> str:
        """The metrics with their intervals, and what to beware of, for a terminal."""
        table = intervals_table(self.evaluation)
        shown = table.fillna({"verdict": ""}).to_string(index=False, float_format="{:.4g}".format)
        return "\n".join([shown, *self.evaluation.warnings])


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
        settings = self.params.evaluate
        return Predicting(self.schema, settings.cluster, settings.block, settings.slices)

    def features(self) -> pd.DataFrame | None:
        """Return the model inputs of the rows, where they were made."""
        path = self.root / artifacts.features(self.split)
        return artifacts.read_table(path) if path.exists() else None

    def verdict(self, evaluation: Evaluation, rows: str) -> dict[str, Any]:
        """Return what `metrics.json` says of the incumbent, or of the baseline without one."""
        path = self.root / INCUMBENT
        incumbent = read_incumbent(path) if path.exists() else None
        margin = getattr(self.params.block("evaluator"), "margin", 0.0)
        found = against_incumbent(evaluation, rows, incumbent, margin)
        if found or evaluation.baseline.empty:
            return found
        return {"verdict_against": self.params.baseline}

    def baseline(self, ids: pd.Series) -> pd.DataFrame | None:
        """Return the baseline's predictions for these rows, where there is one."""
        path, features = self.root / artifacts.BASELINE, self.features()
        if features is None or not path.exists():
            return None
        model = load_model(path)
        try:
            table = self.predicting.table(model, self.rows, features)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise CrivoError(
                f"{path} is no baseline for the rows of data/features ({type(error).__name__}: "
                f"{' '.join(str(error).split())[:200]}); run `dvc repro`."
            ) from error
        return table[table["id"].isin(ids)].reset_index(drop=True)


def evaluate_file(
    path: Path,
    names: Names | None = None,
    *,
    task: str | None = None,
    positive: str | None = None,
    split: str = "valid",
    root: Path = Path(),
) -> Judged:
    """Return the evaluation of a predictions file, CSV or Parquet, and all its files.

    `names` says what the file calls the columns; `task` and `positive` are those of the project
    or guessed when left out; `split` is the side whose rows the file is of, if it is of any.
    CrivoError: the file is not what docs/predictions.md describes.
    """
    table = read_predictions(path, names or Names())
    prepared = find_prepared(table, split, root)
    if prepared is not None:
        target = prepared.rows[prepared.schema.target].to_numpy()
        table = complete(table, prepared.predicting.of(prepared.rows, target))
    schema = None if prepared is None else prepared.schema
    context = choose_context(table, schema, task, positive)
    labelled = not undecided(table)
    table = check_predictions(table if labelled else decided(table, context), context)
    prepared = _if_alike(prepared, table, context)
    evaluator, value = _settings(prepared)
    baseline = None if prepared is None else prepared.baseline(table["id"])
    both = (table, table if baseline is None else baseline)
    point = OperatingPoint.choose(both, context, value, here=True)
    applied = point.apply(both, context)
    predictions = table if labelled else applied[0]
    context = replace(context, baseline=None if baseline is None else applied[1])
    return _judge(predictions, context, evaluator, point, prepared, path)


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
    said = prepared.rows[schema.target].set_axis(prepared.rows[schema.id].astype("str"))
    same = said.loc[table["id"]].tolist() == table["target"].tolist()
    return replace(prepared, schema=schema) if same else None


def _settings(prepared: Prepared | None) -> tuple[Evaluator, ValueSettings]:
    """Return the project's evaluator and gains for its own rows, else the standard ones."""
    if prepared is not None:
        return prepared.params.block("evaluator"), prepared.params.evaluate.value
    return make_block("evaluator", "standard", {}), ValueSettings()


def _judge(
    predictions: pd.DataFrame,
    context: Context,
    evaluator: Evaluator,
    point: OperatingPoint,
    prepared: Prepared | None,
    path: Path,
) -> Judged:
    evaluation = evaluator.evaluate(predictions, context)

    def files() -> dict[str, Any]:
        raw, inputs = _beside(predictions, prepared)
        found = findings(predictions, context, evaluation, vars(evaluator), point, raw, inputs)
        whole = prepared is not None and len(predictions) == len(prepared.rows)
        split = prepared.split if prepared is not None and whole else "file"
        about = provenance(evaluation, predictions, context, split) | {"environment": "unknown"}
        dataset = prepared.params.dataset if prepared is not None else "a file"
        chosen = {"dataset": dataset, "model": path.name}
        verdict = {} if prepared is None else prepared.verdict(evaluation, about["rows"])
        return output_files(
            predictions=predictions,
            evaluation=evaluation,
            found=found,
            point=point,
            about=about,
            curves=plots(predictions, context),
            chosen=chosen,
            verdict=verdict,
            limits={} if prepared is None else prepared.params.limits,
            checked=findings_table(check_results(predictions, evaluation)),
        )

    return Judged(evaluation, files)


def _beside(
    predictions: pd.DataFrame, prepared: Prepared | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return raw columns and features of the predicted rows; none where they aren't known."""
    nothing = pd.DataFrame(index=predictions.index)
    if prepared is None:
        return nothing, nothing
    features = prepared.features()
    beside = [] if features is None else [features]
    raw, *inputs = in_order(predictions, prepared.schema, prepared.rows, *beside)
    return raw, inputs[0] if inputs else nothing
