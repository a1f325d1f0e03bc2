"""Scores raw rows with a trained model: loading, predicting, exporting."""
