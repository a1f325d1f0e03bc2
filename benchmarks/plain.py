"""The work of the pipeline as one plain script: no stages, no checks, no files in between.

With `--fit` it reads the features that the pipeline wrote, and only fits and scores.
"""

import sys
from pathlib import Path

import pandas as pd

from crivo.core import artifacts
from crivo.core.blocks import Context
from crivo.core.params import read_params
from crivo.core.predictions import build_predictions
from crivo.core.schema import Schema
from crivo.evaluation.predicting import predict
from crivo.training.fit import fit_model


def features_of(params) -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame], Schema]:
    """Return the rows and the model inputs of each split, made in memory."""
    dataset, splitter = params.block("dataset"), params.block("splitter")
    rows = dataset.load(Path("data/raw") / params.dataset)
    schema = dataset.schema(rows)
    rows = rows[rows[schema.target].notna()].sort_values(schema.id, ignore_index=True)
    splits = splitter.split(rows, schema)
    parts = {split: rows[splits == split] for split in artifacts.SPLITS}
    transformer = params.block("featurizer").build(schema, params.seed)
    transformer.fit(parts["train"][list(schema.features)])
    inputs = {split: transformer.transform(part) for split, part in parts.items()}
    return parts, inputs, schema


def features_stored() -> tuple[dict[str, pd.DataFrame], dict[str, pd.DataFrame], Schema]:
    """Return the rows and the model inputs that the pipeline has written."""
    splits = ("train", "valid")
    parts = {split: pd.read_parquet(artifacts.prepared(split)) for split in splits}
    inputs = {split: pd.read_parquet(artifacts.features(split)) for split in splits}
    return parts, inputs, artifacts.read_schema()


def fit_and_score(params, parts, inputs, schema) -> list[pd.DataFrame]:
    """Fit the model and the baseline, and return their predictions of the validation rows."""
    blocks = (params.block(kind) for kind in ("model", "baseline"))
    taught = schema, parts["train"], inputs["train"], params.train, params.seed
    fitted = [fit_model(block, *taught) for block in blocks]
    return [
        build_predictions(
            parts["valid"], schema, *predict(model, inputs["valid"], schema), params.evaluate
        )
        for model in fitted
    ]


def main(only_fit: bool) -> None:
    params = read_params()
    parts, inputs, schema = features_stored() if only_fit else features_of(params)
    tables = fit_and_score(params, parts, inputs, schema)
    if not only_fit:
        context = Context.of(schema, tables[1], params.seed)
        print(params.block("evaluator").evaluate(tables[0], context).metrics)


if __name__ == "__main__":
    main("--fit" in sys.argv)
