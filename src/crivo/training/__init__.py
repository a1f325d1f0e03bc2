"""The stage train: fits, training rows, and estimators for model blocks."""
