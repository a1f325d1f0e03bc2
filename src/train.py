"""train: fit the model and the trivial baseline on the training rows, and on no others."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.inputs import require_taken
from crivo.core.modelfile import save_model
from crivo.core.params import Params
from crivo.core.stored_table import shared_texts
from crivo.core.timing import timed
from crivo.training.batches import fit_baseline, fit_model
from crivo.training.early_stopping import WatchingOnDemand, stopping_mask
from crivo.training.fraction import read_taught
from crivo.training.measure import log_iteration, log_training
from crivo.training.tracking import tracker

log = logging.getLogger("crivo.train")


def train(params: Params) -> None:
    model, baseline = params.block("model"), params.block("baseline")
    schema = artifacts.read_schema()
    with progress(["read", "fit", "measure"]) as step:
        step()
        settings = params.train
        rows, features = read_taught(
            schema, settings.fraction, out_of_memory=settings.out_of_memory
        )
        require_taken(features.head(1), params.model, model)
        target = shared_texts(rows[schema.target])
        share = settings.early_stopping_fraction
        step()
        with tracker(artifacts.TRAIN_METRICS) as live:
            estimator = model.build(schema.task, params.seed)
            training = WatchingOnDemand(
                lambda: stopping_mask(rows, schema, share), log_iteration(live)
            )
            with timed("fit", len(target)):
                fitted = fit_model(model, estimator, features, target, training)
            estimator = baseline.build(schema.task, params.seed)
            fitted_baseline = fit_baseline(baseline, estimator, features, target)
            step()
            log_training(live, fitted, fitted_baseline, features, target)
        save_model(artifacts.MODEL, fitted)
        save_model(artifacts.BASELINE, fitted_baseline)
    log.info("%s fitted on %d rows, %d inputs", params.model, len(target), len(features.columns))


if __name__ == "__main__":
    run_stage(train)
