"""featurize: turn rows into model inputs, with what the training rows teach."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.findings import findings_table, log_findings
from crivo.core.inputs import check_inputs
from crivo.core.modelfile import save_model
from crivo.core.params import Params
from crivo.featurization.row_checks import ROW_CHECKS, Sides, looked_at

log = logging.getLogger("crivo.featurize")


def featurize(params: Params) -> None:
    featurizer = params.block("featurizer")
    schema = artifacts.read_schema()
    columns = looked_at(schema)
    sides = Sides(schema, lambda side: artifacts.read_table(artifacts.prepared(side), columns))
    with progress(["fit", *artifacts.SPLITS, "check rows"]) as step:
        step()
        transformer = featurizer.build(schema, params.seed)
        train = sides.side("train")
        transformer.fit(train[list(schema.features)], train[schema.target])
        save_model(artifacts.FEATURIZER, transformer)
        for side in artifacts.SPLITS:
            step()
            rows = sides.side(side)[list(schema.features)]
            inputs = transformer.transform(rows)
            artifacts.write_table(artifacts.features(side), check_inputs(inputs, rows))
        step()
        found = ROW_CHECKS.findings(sides)
        artifacts.write_csv(artifacts.ROW_FINDINGS, findings_table(found))
    log_findings(log, found)


if __name__ == "__main__":
    run_stage(featurize)
