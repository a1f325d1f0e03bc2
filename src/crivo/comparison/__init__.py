"""Comparison of experiments: differences, verdicts, the board."""
