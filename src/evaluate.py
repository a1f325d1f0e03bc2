"""evaluate: evaluate the predictions for held-out rows, beside the baseline's."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging
from dataclasses import replace
from typing import Any

from crivo.core.stage import progress, run_stage

import pandas as pd

from crivo.core import artifacts
from crivo.core.environment import environment_state
from crivo.core.evaluation import Context
from crivo.core.findings import log_findings
from crivo.core.modelfile import load_model, save_model
from crivo.core.params import Params
from crivo.core.schema import Schema
from crivo.evaluation.evaluate import Background, evaluate_predictions
from crivo.evaluation.incumbent import read_incumbent
from crivo.evaluation.inspection import learning_curve, permutation_importance
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.refitted import FITTED_ON, NOT_REFITTED, refit_table
from crivo.evaluation.thresholds import OperatingPoint
from crivo.training.refit import refit

log = logging.getLogger("crivo.evaluate")


def evaluate(params: Params) -> None:
    split = params.evaluate.split
    with progress(["read", "predict", "explain", "measure", "find", "write"]) as step:
        step()
        schema = artifacts.read_schema()
        context = Context.of(schema, seed=params.seed)
        rows, features = read_split(split)
        model, baseline = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        tables, operating_point = predicted(
            params, schema, context, (model, baseline), (rows, features)
        )
        predictions, baseline_predictions = operating_point.apply(tables, context)
        evaluator = params.block("evaluator")
        curves: dict[str, pd.DataFrame] = {}
        facts, model_file = {}, artifacts.MODEL
        artifacts.remake_folder(artifacts.REFIT)
        if split == "test" and params.evaluate.refit:
            trial, facts, model_file = predictions, FITTED_ON, artifacts.REFIT_MODEL
            model, baseline = refitted_models(params, schema)
            save_model(model_file, model)
            tables = predicting_of(params, schema).tables((model, baseline), rows, features)
            predictions, baseline_predictions = operating_point.apply(tables, context)
            ours, theirs = (evaluator.evaluate(each, context) for each in (predictions, trial))
            curves = {"refit": refit_table(ours, theirs, schema.task)}
        artifacts.write_json(artifacts.REFIT / "fitted_on.json", facts or NOT_REFITTED)
        step()
        target, groups = rows[schema.target], predicting_of(params, schema).groups(rows)
        background = Background(
            dataset=params.dataset,
            model=params.model,
            baseline=params.baseline,
            split=split,
            schema=schema,
            rows=rows,
            features=features,
            facts=environment_state() | facts | {"model_mb": artifacts.file_size(model_file) / 1e6},
            curves={
                "learning": learning_curve(model, features, target),
                "importance": permutation_importance(model, features, target, params.seed, groups),
                **curves,
            },
            training=artifacts.read_json(artifacts.TRAIN_METRICS / "metrics.json"),
            row_findings=artifacts.read_csv(artifacts.ROW_FINDINGS, as_text=True),
            is_baseline=params.model == params.baseline,
            incumbent=read_incumbent(),
            limits=params.limits,
            cluster=params.evaluate.cluster,
            block=params.evaluate.block,
        )
        step()
        context = replace(context, baseline=baseline_predictions)
        result = evaluate_predictions(evaluator, predictions, context, operating_point, background)
        step()
        files = result.files
        step()
        artifacts.write_files(artifacts.EVALUATION, files)
    log_findings(log, result.doubts)
    for line in result.warnings:
        log.warning(line)


def predicted(
    params: Params,
    schema: Schema,
    context: Context,
    models: tuple[Any, Any],
    rows_and_features: tuple[pd.DataFrame, pd.DataFrame],
) -> tuple[tuple[pd.DataFrame, pd.DataFrame], OperatingPoint]:
    """Return what the model and the baseline say of a split, and where to cut the scores."""
    settings = params.evaluate
    predicting = predicting_of(params, schema)
    tables = predicting.tables(models, *rows_and_features)
    here = settings.split == "valid"
    # Test rows choose nothing, no threshold either.
    choosing = tables if here else predicting.tables(models, *read_split("valid"))
    return tables, OperatingPoint.choose(choosing, context, settings.value, here=here)


def predicting_of(params: Params, schema: Schema) -> Predicting:
    settings = params.evaluate
    return Predicting(schema, settings.cluster, settings.block, settings.slices, settings.period)


def refitted_models(params: Params, schema: Schema) -> list[Any]:
    """Return model and baseline, fitted on training and validation rows."""
    splits = [read_split(split) for split in ("train", "valid")]
    share = params.train.early_stopping_fraction
    models = [params.block("model"), params.block("baseline")]
    return refit(models, schema, splits, params.seed, share)


def read_split(split: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a split and what the model sees of them."""
    rows = artifacts.read_table(artifacts.prepared(split))
    return rows, artifacts.read_table(artifacts.features(split))


if __name__ == "__main__":
    run_stage(evaluate)
