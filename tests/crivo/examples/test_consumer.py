"""The consumer's program runs against the mock and the trained model, by a setting alone."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from tests.crivo.examples.test_loop import load

from crivo.core import artifacts
from crivo.core.artifacts import read_schema
from crivo.core.registry import make_block
from crivo.modelfile.canonical import save_model
from crivo.prediction.bundle import export_predictor

CONSUMER = Path(__file__).parents[3] / "docs/examples/consumer"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.delenv("PREDICTOR", raising=False)
    return load(CONSUMER / "alerts.py")


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """A file of a model trained by the real blocks: what leaves after noon is late."""
    schema = read_schema(CONSUMER / "schema.json")
    given = pd.read_csv(CONSUMER / "departures.csv")
    rows = pd.concat([given] * 20, ignore_index=True)
    rows["departure_hour"] = np.arange(len(rows)) % 24
    late = rows["departure_hour"] > 12
    featurizer = make_block("featurizer", "flights", {}).build(schema, 1)
    inputs = featurizer.fit(rows[list(schema.features)]).transform(rows[list(schema.features)])
    model = make_block("model", "boosting", {"max_iter": 20}).build("binary", 1).fit(inputs, late)
    artifacts.write_json(tmp_path / artifacts.SCHEMA, schema.to_json())
    save_model(tmp_path / artifacts.FEATURIZER, featurizer)
    save_model(tmp_path / artifacts.MODEL, model)
    export_predictor(tmp_path / "model.zip", tmp_path)
    return tmp_path / "model.zip"


def printed(program: ModuleType, capsys: pytest.CaptureFixture[str]) -> list[str]:
    program.main(str(CONSUMER / "departures.csv"))
    return capsys.readouterr().out.splitlines()


def test_the_program_runs_against_the_mock(program, capsys) -> None:
    lines = printed(program, capsys)
    assert lines[0] == "2 of 8 departures, scored by model fake"
    assert len(lines) == 4


def test_a_setting_alone_switches_to_the_trained_model(
    program, capsys, monkeypatch, trained: Path
) -> None:
    monkeypatch.setenv("PREDICTOR", str(trained))
    lines = printed(program, capsys)
    assert lines[0].startswith("2 of 8 departures, scored by model ")
    assert not lines[0].endswith("fake")
    hours = pd.read_csv(CONSUMER / "departures.csv").set_index("id")["departure_hour"]
    shown = [line.rsplit(maxsplit=1)[0].strip() for line in lines[2:]]
    assert all(hours[name] > 12 for name in shown)
