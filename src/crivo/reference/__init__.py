"""Writes the reference pages from the code: `python -m crivo.reference`."""
