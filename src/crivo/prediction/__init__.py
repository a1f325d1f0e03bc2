"""The public names for scoring raw rows with a trained model: loading, predicting, exporting."""

from crivo.core.artifacts import read_schema
from crivo.prediction.bundle import export_predictor, load_predictor
from crivo.prediction.predictor import Predictor, TrainedPredictor
from crivo.prediction.rows import Rows, read_rows

__all__ = [
    "Predictor",
    "Rows",
    "TrainedPredictor",
    "export_predictor",
    "load_predictor",
    "read_rows",
    "read_schema",
]
