"""Provenance: where a result comes from, and whether it comes out again."""
