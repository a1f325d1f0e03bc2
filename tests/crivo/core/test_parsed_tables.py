"""Tables that wait for forks take a bounded part of the memory that is free."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from crivo.core import parsed_tables
from crivo.core.parsed_tables import Wanted, hold, take

# Bytes of two columns of so many rows, as they are counted before they are parsed.
ROWS = 1000
COUNTED = 2 * ROWS * parsed_tables.BYTES


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "rows.parquet"
    pd.DataFrame({"a": range(ROWS), "b": range(ROWS)}).to_parquet(place, index=False)
    yield place
    hold([])


def free(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    monkeypatch.setattr(parsed_tables, "_free_memory", lambda: size / parsed_tables.SHARE)


def test_a_table_is_held_that_takes_its_share_of_free_memory_at_most(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, COUNTED - 1)
    assert not hold([Wanted(str(path))])
    assert take(path, None) is None
    free(monkeypatch, COUNTED)
    hold([Wanted(str(path))])
    assert take(path, None) is not None


def test_what_is_held_counts(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns take 16 kB of numbers, so a column that may take 16 kB more is too much."""
    whole, column = Wanted(str(path)), Wanted(str(path), ("a",))
    free(monkeypatch, COUNTED)
    hold([whole, column])
    assert take(path, ["a"]) is None
    hold([column])  # what nobody wants any more is dropped
    assert take(path, ["a"]) is not None


@pytest.mark.parametrize(("limit", "room"), [("5000", 3000), ("max", None)])
def test_a_container_s_limit_counts_as_the_machine_s_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, room: int | None
) -> None:
    (tmp_path / "max").write_text(f"{limit}\n")
    (tmp_path / "current").write_text("2000\n")
    places = (str(tmp_path / "max"), str(tmp_path / "current"))
    monkeypatch.setattr(parsed_tables, "LIMITS", (places, ("/nowhere", "/nowhere")))
    found = parsed_tables._free_memory()
    assert found == room if room else found > 5000
