"""featurize: turn rows into model inputs, with a featurizer fitted on the training rows."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.findings import findings_table, log_findings
from crivo.core.modelfile import save_model
from crivo.core.params import Params
from crivo.featurization.features import fit_transformer, write_features
from crivo.featurization.row_checks import ROW_CHECKS, SplitRows, checked_columns

log = logging.getLogger("crivo.featurize")


def featurize(params: Params) -> None:
    featurizer = params.block("featurizer")
    schema = artifacts.read_schema()
    columns, paths = checked_columns(schema), [*map(artifacts.prepared, artifacts.SPLITS)]
    splits = SplitRows(
        schema, lambda split: artifacts.open_table(artifacts.prepared(split), columns, paths)
    )
    with progress(["fit", *artifacts.SPLITS, "check rows"]) as step:
        with splits.counting_equal_rows():
            step()
            transformer = featurizer.build(schema, params.seed)
            fit_transformer(transformer, splits.split("train"), schema)
            save_model(artifacts.FEATURIZER, transformer)
            for split in artifacts.SPLITS:
                step()
                rows = splits.split(split)[list(schema.features)]
                inputs = write_features(transformer, rows, artifacts.features(split))
                splits.inputs = inputs if split == "train" else splits.inputs
        step()
        findings = ROW_CHECKS.review(splits)
        artifacts.write_csv(artifacts.ROW_FINDINGS, findings_table(findings))
    log_findings(log, findings)


if __name__ == "__main__":
    run_stage(featurize)
