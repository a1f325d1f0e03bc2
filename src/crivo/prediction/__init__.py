"""The public names for scoring raw rows with a trained model: loading, predicting, exporting."""

from crivo.core.artifacts import read_schema
from crivo.prediction.bundle import export_predictor, load_predictor
from crivo.prediction.predictor import Predictor, Rows

__all__ = ["Predictor", "Rows", "export_predictor", "load_predictor", "read_schema"]
