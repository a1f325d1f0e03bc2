"""Prints the departures that a desk should work on first, the riskiest one on top.

An engineering team's program: it knows crivo's public interface and no model. Whether the
mock or the trained model scores is a setting in consumer.toml.
"""

from __future__ import annotations

import math
import os
import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd

import crivo
from crivo import Schema
from crivo.testing import FakePredictor, Predictor

HERE = Path(__file__).parent


def read_settings() -> dict[str, Any]:
    """Return the settings of consumer.toml, with those of the environment."""
    settings = tomllib.loads((HERE / "consumer.toml").read_text(encoding="utf-8"))
    return settings | {"predictor": os.environ.get("PREDICTOR", settings["predictor"])}


def open_predictor(settings: dict[str, Any]) -> Predictor:
    """Return the mock or the trained model, as the settings say."""
    if settings["predictor"] == "mock":
        schema = (HERE / settings["schema"]).read_text(encoding="utf-8")
        return FakePredictor(schema=Schema.model_validate_json(schema))
    return crivo.load(settings["predictor"])


def riskiest(rows: pd.DataFrame, predictor: Predictor, share: float) -> pd.DataFrame:
    """Return that share of the rows, at least one, that is most likely to be late."""
    scored = rows.join(predictor.predict(rows))
    return scored.nlargest(math.ceil(share * len(rows)), "score")


def main(path: str) -> None:
    """Print the alert list for a file of departures."""
    settings = read_settings()
    predictor = open_predictor(settings)
    rows = predictor.read(Path(path))
    alerts = riskiest(rows, predictor, settings["share"])
    print(f"{len(alerts)} of {len(rows)} departures, scored by model {predictor.version}")
    print(alerts[["id", "score"]].to_string(index=False, float_format="{:.3f}".format))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else str(HERE / "departures.csv"))
