"""Blocks: a file is a block, its name is its parameter."""

from dataclasses import FrozenInstanceError
from datetime import date

import pytest
from pydantic import PositiveInt

from crivo.core.blocks import Day, Model, Names, block


@block
class Sample(Model):
    size: PositiveInt = 3
    since: Day = date(2020, 1, 1)
    columns: Names = ()

    def build(self, task, seed):
        return None


def test_a_block_holds_its_settings() -> None:
    sample = Sample(size=5, columns=["a", "b"], since="2021-02-03")
    assert (sample.size, sample.columns, sample.since) == (
        5,
        ("a", "b"),
        date(2021, 2, 3),
    )


def test_a_block_never_changes() -> None:
    with pytest.raises(FrozenInstanceError):
        Sample().size = 9  # type: ignore[misc]
