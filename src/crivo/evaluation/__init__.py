"""Evaluates a predictions table: metrics, and how sure one can be of them."""
