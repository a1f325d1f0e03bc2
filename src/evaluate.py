"""evaluate: evaluate the predictions for held-out rows, beside the baseline's."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging
from dataclasses import replace

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.artifacts import SPLITS, read_split
from crivo.core.environment import environment_state
from crivo.core.evaluation import Context
from crivo.core.findings import log_findings
from crivo.core.modelfile import load_model, save_model
from crivo.core.params import Params
from crivo.evaluation.evaluate import Background, evaluate_predictions
from crivo.evaluation.incumbent import read_incumbent
from crivo.evaluation.inspection import model_curves
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
        models = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        settings, evaluator = params.evaluate, params.block("evaluator")
        clusters = (settings.cluster, settings.block, settings.slices, settings.period)
        predicting = Predicting(schema, *clusters)
        tables, here = predicting.tables(models, rows, features), split == "valid"
        # Test rows choose nothing, no threshold either.
        choosing = tables if here else predicting.tables(models, *read_split("valid"))
        operating_point = OperatingPoint.choose(choosing, context, settings.value, here=here)
        predictions, baseline_predictions = operating_point.apply(tables, context)
        curves, fitted_on, model_file = {}, NOT_REFITTED, artifacts.MODEL
        artifacts.remake_folder(artifacts.REFIT)
        if settings.refit and not here:
            trial, fitted_on, model_file = predictions, FITTED_ON, artifacts.REFIT_MODEL
            blocks = params.block("model"), params.block("baseline")
            splits = map(read_split, SPLITS[:2])
            models = refit(blocks, schema, splits, params.seed, params.train)
            save_model(model_file, models[0])
            tables = predicting.tables(models, rows, features)
            predictions, baseline_predictions = operating_point.apply(tables, context)
            pair = [evaluator.evaluate(table, context) for table in (predictions, trial)]
            curves = {"refit": refit_table(pair, schema.task)}
        artifacts.write_json(artifacts.REFIT / "fitted_on.json", fitted_on)
        step()
        model, target, groups = models[0], rows[schema.target], predicting.groups(rows)
        background = Background(
            dataset=params.dataset,
            model=params.model,
            baseline=params.baseline,
            split=split,
            schema=schema,
            rows=rows,
            features=features,
            facts=environment_state() | fitted_on | artifacts.size_in_mb(model_file),
            curves=curves | model_curves(model, features, target, params.seed, groups),
            settings=vars(params.block("model")),
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


if __name__ == "__main__":
    run_stage(evaluate)
