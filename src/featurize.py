"""featurize: turn rows into model inputs, with what the training rows teach."""

from crivo.core import artifacts
from crivo.core.inputs import check_inputs
from crivo.core.modelfile import save_model
from crivo.core.params import Params
from crivo.core.stage import progress, run_stage


def featurize(params: Params) -> None:
    featurizer = params.block("featurizer")
    schema = artifacts.read_schema()
    with progress(["fit", *artifacts.SPLITS]) as step:
        step()
        transformer = featurizer.build(schema, params.seed)
        train = artifacts.read_table(artifacts.prepared("train"))
        transformer.fit(train[list(schema.features)], train[schema.target])
        save_model(artifacts.FEATURIZER, transformer)
        for side in artifacts.SPLITS:
            step()
            rows = artifacts.read_table(artifacts.prepared(side), schema.features)
            inputs = transformer.transform(rows)
            artifacts.write_table(artifacts.features(side), check_inputs(inputs, rows))


if __name__ == "__main__":
    run_stage(featurize)
