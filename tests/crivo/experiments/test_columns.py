"""The columns of `crivo compare`: one entry each."""

import pytest

from crivo.comparison import columns
from crivo.comparison.choice import Filters
from crivo.comparison.columns import COLUMNS, Column
from crivo.comparison.compare import compare
from tests.crivo.experiments.repository import Project


def test_a_new_column_of_a_metric_is_one_entry(
    tried: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    width = Column("width", lambda one: one.own["high"] - one.own["low"])
    monkeypatch.setattr(columns, "COLUMNS", (*COLUMNS, width))
    found = compare(folder=tried.folder)
    assert "width" in found.table
    assert [*found.metrics][-1] == "width"


def test_a_new_column_may_stand_in_one_table_only(
    tried: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = Column("kind", of_experiment=lambda one: "trial" if one.pair.record.name else "")
    detail = Column("detail", lambda one: one.name, metrics_only=True)
    monkeypatch.setattr(columns, "COLUMNS", (*COLUMNS, kind, detail))
    found = compare(folder=tried.folder)
    assert ("kind" in found.table, "kind" in found.metrics) == (True, False)
    assert ("detail" in found.table, "detail" in found.metrics) == (False, True)


def test_without_experiments_the_columns_are_the_same(tried: Project) -> None:
    full = compare(folder=tried.folder)
    none = compare(filters=Filters(author="Nobody"), folder=tried.folder)
    assert (len(full.table), len(none.table), len(none.metrics)) == (2, 0, 0)
    assert [[*none.table], [*none.metrics]] == [[*full.table], [*full.metrics]]
