"""Starts new blocks: `crivo new model NAME` and its kin."""

from crivo.scaffold.blocks import NewBlock, new_block

__all__ = ["NewBlock", "new_block"]
