"""evaluate: judge the predictions for rows that taught nothing, beside the baseline's."""

import logging

from crivo.core import artifacts
from crivo.core.environment import environment_state
from crivo.core.evaluation import Context
from crivo.core.modelfile import load_model
from crivo.core.params import Params
from crivo.core.prediction import predict
from crivo.core.predictions import build_predictions
from crivo.core.stage import progress, run_stage
from crivo.evaluation.curves import plots
from crivo.evaluation.explain import learning_curve, permutation_importance
from crivo.evaluation.incumbent import against_incumbent, read_incumbent, why_not
from crivo.evaluation.report import Report, to_html, to_markdown
from crivo.evaluation.summary import intervals_table, provenance, short_metrics

log = logging.getLogger("crivo.evaluate")


def evaluate(params: Params) -> None:
    evaluator = params.block("evaluator")
    split = params.evaluate.split
    cluster, block, slices = (
        params.evaluate.cluster,
        params.evaluate.block,
        params.evaluate.slices,
    )
    seed = params.seed
    with progress(["read", "predict", "measure", "explain", "write"]) as step:
        step()
        schema = artifacts.read_schema()
        rows = artifacts.read_table(artifacts.prepared(split))
        features = artifacts.read_table(artifacts.features(split))
        incumbent = read_incumbent()
        model, baseline = load_model(artifacts.MODEL), load_model(artifacts.BASELINE)
        step()
        tables = [
            build_predictions(
                rows,
                schema,
                *predict(estimator, features, schema),
                cluster=cluster,
                block=block,
                slices=slices,
            )
            for estimator in (model, baseline)
        ]
        predictions = tables[0]
        step()
        context = Context.of(schema, baseline=tables[1], seed=seed)
        evaluation = evaluator.evaluate(predictions, context)
        step()
        curves = plots(predictions, context)
        curves["learning"] = learning_curve(model, features, rows[schema.target])
        curves["importance"] = permutation_importance(model, features, rows[schema.target], seed)
        step()
        folder = artifacts.EVALUATION
        artifacts.write_table(folder / "predictions.parquet", predictions)
        artifacts.write_csv(folder / "jackknife.csv", evaluation.jackknife, index=True)
        artifacts.write_csv(folder / "intervals.csv", intervals_table(evaluation))
        about = provenance(evaluation, predictions, context, split)
        about |= environment_state()
        short = short_metrics(evaluation) | {"verdict_against": params.baseline}
        margin = getattr(evaluator, "margin", 0.0)
        short |= against_incumbent(evaluation, about["rows"], incumbent, margin)
        artifacts.write_json(folder / "metrics.json", short)
        artifacts.write_json(folder / "evaluation.json", about)
        for name, table in curves.items():
            artifacts.write_csv(folder / "plots" / f"{name}.csv", table)
        chosen = {"dataset": params.dataset, "model": params.model}
        report = Report(evaluation, about, chosen, curves)
        artifacts.write_text(folder / "report.html", to_html(report))
        artifacts.write_text(folder / "report.md", to_markdown(report))
    reason = why_not(evaluation, about["rows"], incumbent)
    for line in [*evaluation.warnings, *([reason] if reason else [])]:
        log.warning(line)


if __name__ == "__main__":
    run_stage(evaluate)
