"""Scores raw rows: the one door through which others use a trained model."""

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
