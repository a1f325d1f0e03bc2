"""Trials by Optuna, tracked by MLflow in a SQLite file, as `benchmarks/search.py` compares them.

The rows are read once and all trials run in this process. Each one keeps its settings, four metrics
and the model's file: no intervals, slices, explanations or report, and no data or code by hash.
Run it in a copy of the project; it prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
import time
from pathlib import Path
from typing import Any

import joblib
import mlflow
import optuna
from plain import features_stored
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from crivo.core.blocks import Training
from crivo.core.params import check_params, read_yaml


def main(iterations: int, trials: int, jobs: int) -> None:
    """Run the trials, and print their seconds."""
    logging.disable(logging.INFO)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    parts, inputs, schema = features_stored()
    target, expected = (parts[split][schema.target].astype(bool) for split in ("train", "valid"))
    values: dict[str, Any] = read_yaml(Path("params.yaml"))
    mlflow.set_tracking_uri(f"sqlite:///{Path('mlflow.db').resolve()}")
    mlflow.set_experiment("trials")

    def objective(trial: optuna.Trial) -> float:
        own = {"max_iter": iterations, "l2_regularization": trial.suggest_float("l2", 0.01, 0.1)}
        models = {**values["models"], "boosting": {**values["models"]["boosting"], **own}}
        params = check_params({**values, "model": "boosting", "models": models})
        with mlflow.start_run(run_name=f"trial-{trial.number}"):
            mlflow.log_params(models["boosting"])
            block = params.block("model")
            training = Training(target.to_numpy() & False, lambda metrics: None)
            estimator = block.build(schema.task, params.seed)
            fitted = block.fit(estimator, inputs["train"], target, training)
            score = fitted.predict_proba(inputs["valid"])[:, 1]
            metrics = {
                "roc_auc": roc_auc_score(expected, score),
                "average_precision": average_precision_score(expected, score),
                "brier": brier_score_loss(expected, score),
                "log_loss": log_loss(expected, score),
            }
            mlflow.log_metrics(metrics)
            with tempfile.TemporaryDirectory() as folder:
                joblib.dump(fitted, place := Path(folder) / "model.joblib")
                mlflow.log_artifact(str(place))
        return metrics["roc_auc"]

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    begin = time.perf_counter()
    study.optimize(objective, n_trials=trials, n_jobs=jobs)
    print(json.dumps({"trials": trials, "seconds": time.perf_counter() - begin}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    main(given.iterations, given.trials, given.jobs)
