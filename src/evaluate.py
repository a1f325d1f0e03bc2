"""evaluate: judge the predictions for rows that taught nothing, beside the baseline's."""

import logging
from dataclasses import replace

import pandas as pd

from crivo.core import artifacts
from crivo.core.environment import environment_state
from crivo.core.evaluation import Context
from crivo.core.modelfile import load_model
from crivo.core.params import Params
from crivo.core.stage import progress, run_stage
from crivo.evaluation.curves import plots
from crivo.evaluation.explain import learning_curve, permutation_importance
from crivo.evaluation.findings import findings, in_order
from crivo.evaluation.incumbent import against_incumbent, read_incumbent, why_not
from crivo.evaluation.outputs import Before, output_files
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.summary import provenance
from crivo.evaluation.thresholds import OperatingPoint

log = logging.getLogger("crivo.evaluate")


def evaluate(params: Params) -> None:
    evaluator = params.block("evaluator")
    split, value, seed = params.evaluate.split, params.evaluate.value, params.seed
    cluster, block = params.evaluate.cluster, params.evaluate.block
    slices = params.evaluate.slices
    with progress(["read", "predict", "measure", "explain", "find", "write"]) as step:
        step()
        schema = artifacts.read_schema()
        context = Context.of(schema, seed=seed)
        rows, features = read_side(split)
        incumbent = read_incumbent()
        models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        predicting = Predicting(schema, cluster, block, slices)
        tables = predicting.tables(models, rows, features)
        # Test rows choose nothing, no threshold either.
        choosing = tables if split == "valid" else predicting.tables(models, *read_side("valid"))
        point = OperatingPoint.choose(choosing, context, value, here=split == "valid")
        predictions, others = point.apply(tables, context)
        step()
        context = replace(context, baseline=others)
        evaluation = evaluator.evaluate(predictions, context)
        step()
        curves = plots(predictions, context)
        model, target = models[0], rows[schema.target]
        curves["learning"] = learning_curve(model, features, target)
        curves["importance"] = permutation_importance(model, features, target, seed)
        step()
        raw, inputs = in_order(predictions, schema, rows, features)
        found = findings(predictions, context, evaluation, vars(evaluator), point, raw, inputs)
        step()
        about = provenance(evaluation, predictions, context, split) | environment_state()
        about["model_mb"] = artifacts.file_size(artifacts.MODEL) / 1e6
        chosen = {"dataset": params.dataset, "model": params.model}
        verdict = {"verdict_against": params.baseline}
        margin = getattr(evaluator, "margin", 0.0)
        verdict |= against_incumbent(evaluation, about["rows"], incumbent, margin)
        before = Before(
            artifacts.read_csv(artifacts.ROW_FINDINGS, as_text=True),
            artifacts.read_json(artifacts.TRAIN_METRICS / "metrics.json"),
            is_baseline=params.model == params.baseline,
        )
        limits = params.limits
        files = output_files(
            predictions, evaluation, found, point, about, curves, chosen, verdict, limits, before
        )
        artifacts.write_files(artifacts.EVALUATION, files)
    reason = why_not(evaluation, about["rows"], incumbent)
    for line in [*evaluation.warnings, *([reason] if reason else [])]:
        log.warning(line)


def read_side(split: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of a side and what the model sees of them."""
    rows = artifacts.read_table(artifacts.prepared(split))
    return rows, artifacts.read_table(artifacts.features(split))


if __name__ == "__main__":
    run_stage(evaluate)
