"""prepare: check the raw rows, set bad ones aside, split the rest."""

if __name__ == "__main__":  # first: libraries read the environment when they are imported
    from crivo.core.start import start_stage

    start_stage()

import logging

from crivo.core.stage import progress, run_stage

import pandas as pd

from crivo.core import artifacts
from crivo.core.params import Params
from crivo.preparation.profile import data_metrics, missing_fractions, quarantine_reasons
from crivo.preparation.quarantine import quarantine
from crivo.preparation.rawdata import verify_raw
from crivo.preparation.splits import divide

log = logging.getLogger("crivo.prepare")


def prepare(params: Params) -> None:
    dataset, splitter = params.block("dataset"), params.block("splitter")
    raw = artifacts.RAW / params.dataset
    with progress(["verify raw files", "read", "check rows", "split", "write"]) as step:
        step()
        verify_raw(raw, raw.with_name(f"{raw.name}.dvc"))
        step()
        rows = dataset.load(raw)
        schema = dataset.schema(rows)
        step()
        unusable = dataset.unusable(rows)
        rows, quarantined = quarantine(rows, schema, unusable, params.prepare.quarantine_limit)
        step()
        rows = rows.sort_values(schema.id, ignore_index=True)
        rows, splits, unsplit = divide(splitter, params.splitter, rows, schema)
        quarantined = (
            pd.concat([quarantined, unsplit], ignore_index=True) if len(unsplit) else quarantined
        )
        step()
        columns = [column.name for column in schema.columns]
        for split in artifacts.SPLITS:
            artifacts.write_table(artifacts.prepared(split), rows.loc[splits == split, columns])
        artifacts.write_schema(schema)
        artifacts.write_table(artifacts.QUARANTINE, quarantined)
        metrics = data_metrics(rows, quarantined, splits, schema)
        artifacts.write_json(artifacts.DATA_METRICS / "metrics.json", metrics)
        artifacts.write_csv(
            artifacts.DATA_METRICS / "quarantine.csv", quarantine_reasons(quarantined)
        )
        artifacts.write_csv(artifacts.DATA_METRICS / "missing.csv", missing_fractions(rows, splits))
    log.info("%(rows_in)d rows in, %(rows_out)d out, %(rows_quarantined)d set aside", metrics)


if __name__ == "__main__":
    run_stage(prepare)
