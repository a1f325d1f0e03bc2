"""One project whose pipeline has run, for all tests; each puts back what it changes."""

from pathlib import Path

import pandas as pd
import pytest

from crivo.core.cache import md5_of
from crivo.testing import example_rows
from tests.crivo.fuzz.commands import crivo, new_project, pipeline, recorded_without_dvc

ROLES = ("--target", "target", "--id", "id", "--time", "date", "--group", "shop", "--yes")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a trained project with raw rows, predictions of its rows, and an exported model."""
    folder = new_project(tmp_path_factory.mktemp("fuzz") / "project")
    file = folder.with_name("example.csv")
    example_rows("binary").to_csv(file, index=False)
    with recorded_without_dvc():
        assert crivo(folder, "init", str(file), *ROLES).accepted
    outcome = pipeline(folder)
    assert outcome.accepted, outcome
    # What `dvc.lock` names needs no process of its own.
    models = [folder / f"models/{name}.skops" for name in ("featurizer", "model")]
    outs = "".join(f"    - {{path: models/{one.name}, md5: {md5_of(one)}}}\n" for one in models)
    lock = f"schema: '2.0'\nstages:\n  train:\n    cmd: train\n    outs:\n{outs}"
    (folder / "dvc.lock").write_text(lock, encoding="utf-8")
    example_rows(rows=20).drop(columns="target").to_csv(folder / "raw.csv", index=False)
    valid = pd.read_parquet(folder / "data/prepared/valid.parquet")
    said = pd.DataFrame({"id": valid["id"], "prediction": valid["target"]})
    said.to_csv(folder / "said.csv", index=False)
    assert crivo(folder, "export", "model.zip").accepted
    return folder
