"""evaluate: judge the predictions for rows that taught nothing, beside the baseline's."""

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
from crivo.core.findings import findings_table, log_findings
from crivo.core.modelfile import load_model
from crivo.core.params import Params
from crivo.core.schema import Schema
from crivo.evaluation.curves import plots
from crivo.evaluation.explain import learning_curve, permutation_importance
from crivo.evaluation.findings import findings, in_order
from crivo.evaluation.incumbent import against_incumbent, read_incumbent, why_not
from crivo.evaluation.outputs import check_results, output_files
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.summary import provenance
from crivo.evaluation.thresholds import OperatingPoint

log = logging.getLogger("crivo.evaluate")


def evaluate(params: Params) -> None:
    evaluator, split = params.block("evaluator"), params.evaluate.split
    with progress(["read", "predict", "measure", "explain", "find", "write"]) as step:
        step()
        schema = artifacts.read_schema()
        context = Context.of(schema, seed=params.seed)
        rows, features = read_side(split)
        incumbent = read_incumbent()
        models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        tables, point = predicted(params, schema, context, models, (rows, features))
        predictions, others = point.apply(tables, context)
        step()
        context = replace(context, baseline=others)
        evaluation = evaluator.evaluate(predictions, context)
        step()
        curves = plots(predictions, context)
        model, target = models[0], rows[schema.target]
        curves["learning"] = learning_curve(model, features, target)
        curves["importance"] = permutation_importance(model, features, target, params.seed)
        step()
        raw, inputs = in_order(predictions, schema, rows, features)
        found = findings(predictions, context, evaluation, vars(evaluator), point, raw, inputs)
        training = artifacts.read_json(artifacts.TRAIN_METRICS / "metrics.json")
        is_baseline = params.model == params.baseline
        doubts = check_results(predictions, evaluation, training, is_baseline)
        of_rows = artifacts.read_csv(artifacts.ROW_FINDINGS, as_text=True)
        step()
        about = provenance(evaluation, predictions, context, split) | environment_state()
        about["model_mb"] = artifacts.file_size(artifacts.MODEL) / 1e6
        margin = getattr(evaluator, "margin", 0.0)
        files = output_files(
            predictions=predictions,
            evaluation=evaluation,
            found=found,
            point=point,
            about=about,
            curves=curves,
            chosen={"dataset": params.dataset, "model": params.model},
            verdict={"verdict_against": params.baseline}
            | against_incumbent(evaluation, about["rows"], incumbent, margin),
            limits=params.limits,
            checked=pd.concat([of_rows, findings_table(doubts)]),
        )
        artifacts.write_files(artifacts.EVALUATION, files)
    log_findings(log, doubts)
    reason = why_not(evaluation, about["rows"], incumbent)
    for line in [*evaluation.warnings, *([reason] if reason else [])]:
        log.warning(line)


def predicted(
    params: Params,
    schema: Schema,
    context: Context,
    models: tuple[Any, Any],
    side: tuple[pd.DataFrame, pd.DataFrame],
) -> tuple[tuple[pd.DataFrame, pd.DataFrame], OperatingPoint]:
    """Return what the model and the baseline say of a side, and where to cut the scores."""
    settings = params.evaluate
    predicting = Predicting(schema, settings.cluster, settings.block, settings.slices)
    tables = predicting.tables(models, *side)
    here = settings.split == "valid"
    # Test rows choose nothing, no threshold either.
    choosing = tables if here else predicting.tables(models, *read_side("valid"))
    return tables, OperatingPoint.choose(choosing, context, settings.value, here=here)


def read_side(split: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a side and what the model sees of them."""
    rows = artifacts.read_table(artifacts.prepared(split))
    return rows, artifacts.read_table(artifacts.features(split))


if __name__ == "__main__":
    run_stage(evaluate)
