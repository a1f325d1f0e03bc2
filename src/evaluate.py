"""evaluate: evaluate the predictions for held-out rows, beside the baseline's."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging
from dataclasses import replace

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.artifacts import read_split
from crivo.core.evaluation import Context
from crivo.core.findings import log_findings
from crivo.core.modelfile import load_model
from crivo.core.params import Params
from crivo.evaluation.background import read_background
from crivo.evaluation.evaluate import evaluate_predictions
from crivo.evaluation.inspection import model_curves
from crivo.evaluation.predicting import Predicting
from crivo.evaluation.refitted import refit_table, write_refitted
from crivo.evaluation.thresholds import OperatingPoint
from crivo.training.refit import refit_recipe

log = logging.getLogger("crivo.evaluate")


def evaluate(params: Params) -> None:
    settings, evaluator = params.evaluate, params.block("evaluator")
    with progress(["read", "predict", "explain", "measure", "find", "write"]) as step:
        step()
        schema = artifacts.read_schema()
        context = Context.of(schema, seed=params.seed)
        rows, features = read_split(settings.split)
        models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        predicting = Predicting.of_settings(schema, settings)
        tables, here = predicting.tables(models, rows, features), settings.split == "valid"
        # Test rows choose nothing, no threshold either.
        choosing = tables if here else predicting.tables(models, *read_split("valid"))
        operating_point = OperatingPoint.choose(choosing, context, settings.value, here=here)
        predictions, baseline_predictions = operating_point.apply(tables, context)
        curves, refitted = {}, settings.refit and not here
        if refitted:
            trial, blocks = predictions, (params.block("model"), params.block("baseline"))
            models = refit_recipe(blocks, schema, params.seed, params.train)
            tables = predicting.tables(models, rows, features)
            predictions, baseline_predictions = operating_point.apply(tables, context)
            pair = [evaluator.evaluate(table, context) for table in (predictions, trial)]
            curves = {"refit": refit_table(pair, schema.task)}
        facts = write_refitted(models[0] if refitted else None)
        step()
        target, groups = rows[schema.target], predicting.groups(rows)
        curves |= model_curves(models[0], features, target, params.seed, groups)
        background = read_background(
            predicting,
            dataset=params.dataset,
            model=params.model,
            baseline=params.baseline,
            split=settings.split,
            rows=rows,
            features=features,
            facts=facts,
            curves=curves,
            limits=params.limits,
            settings=vars(params.block("model")),
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


if __name__ == "__main__":
    run_stage(evaluate)
