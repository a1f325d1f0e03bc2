"""prepare: check the raw rows, set bad ones aside, split the rest."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging

from crivo.core.stage import progress, run_stage

from crivo.core import artifacts
from crivo.core.params import Params
from crivo.preparation.by_column import prepare_by_column
from crivo.preparation.prepared import prepare_in_memory
from crivo.preparation.rawdata import verify_raw

log = logging.getLogger("crivo.prepare")


def prepare(params: Params) -> None:
    dataset, splitter = params.block("dataset"), params.block("splitter")
    raw = artifacts.RAW / params.dataset
    with progress(["verify raw files", "read", "check rows", "split", "write"]) as step:
        step()
        verify_raw(raw, raw.with_name(f"{raw.name}.dvc"))
        step()
        arguments = (dataset, splitter, params.splitter, params.prepare.quarantine_limit, step)
        if (columns := dataset.columns(raw)) is not None:
            prepared = prepare_by_column(columns, *arguments)
        else:
            prepared = prepare_in_memory(dataset.load(raw), *arguments)
        artifacts.write_schema(prepared.schema)
        artifacts.write_table(artifacts.QUARANTINE, prepared.quarantined)
        for name, table in prepared.tables.items():
            artifacts.write_csv(artifacts.DATA_METRICS / name, table)
        artifacts.write_json(artifacts.DATA_METRICS / "metrics.json", prepared.metrics)
    log.info(
        "%(rows_in)d rows in, %(rows_out)d out, %(rows_quarantined)d set aside", prepared.metrics
    )


if __name__ == "__main__":
    run_stage(prepare)
