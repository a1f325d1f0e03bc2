"""A team gets new rows each week: no row moves to another split, whichever splitter is used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.crivo.project.started import User, start

# A pipeline runs several times; minutes on a busy machine.
pytestmark = [pytest.mark.pipeline, pytest.mark.timeout(900)]

ROWS, WEEK, WEEKS = 400, 60, 2
TABLE = "data/raw/table"


def orders(count: int) -> pd.DataFrame:
    """Return the first so many orders; later ones come after earlier ones."""
    rng = np.random.default_rng(0)
    total = ROWS + WEEK * WEEKS
    size = rng.normal(size=total)
    rows = pd.DataFrame({"order": range(total), "size": size.round(6)})
    rows["day"] = pd.date_range("2013-01-01", periods=total, freq="4h").astype("str")
    rows["customer"] = rng.integers(0, 150, total)
    rows["late"] = np.where(size + rng.normal(size=total) > 0, "yes", "no")
    return rows[:count]


def put(project: User, rows: pd.DataFrame) -> None:
    """Replace the table, as a person does who has a new export."""
    path = project.folder / TABLE / "orders.csv"
    path.unlink(missing_ok=True)
    rows.to_csv(path, index=False)


def record(project: User, message: str) -> None:
    project.run("dvc", "add", "--quiet", TABLE)
    project.commit(message)


def sides(project: User) -> pd.Series:
    tables = {
        split: pd.read_parquet(project.folder / f"data/prepared/{split}.parquet", columns=["order"])
        for split in ("train", "valid", "test")
    }
    return pd.concat({split: one["order"].astype("str") for split, one in tables.items()}).pipe(
        lambda ids: pd.Series(ids.index.get_level_values(0), index=ids.to_numpy())
    )


@pytest.mark.parametrize(
    "options", [("--time", "day"), (), ("--group", "customer")], ids=["time", "random", "group"]
)
def test_no_row_changes_sides_over_weeks(user: User, tmp_path: Path, options: list[str]) -> None:
    orders(ROWS).to_csv(tmp_path / "orders.csv", index=False)
    file = str(tmp_path / "orders.csv")
    name = f"weekly{len(options)}{options[-1] if options else ''}"
    given = ("--data", file, "--target", "late", "--positive", "yes", "--id", "order")
    project = start(user, name, *given, *options)
    settings = (project.folder / "params.yaml").read_text()
    # The whole pipeline once: the sides are those of `prepare`.
    stages = () if options == ("--time", "day") else ("prepare",)
    project.run("dvc", "repro", *stages)
    project.commit("Run the pipeline")
    before = sides(project)
    assert len(before) == ROWS
    for week in range(1, WEEKS + 1):
        count = ROWS + WEEK * week
        if week == 2:
            orders(count).to_csv(file, index=False)
            project.run("crivo", "init", file, "--target", "late", "--force")
            assert (project.folder / "params.yaml").read_text() == settings
            project.commit("Bring a week")
        else:
            put(project, orders(count))
            said = project.run("crivo", "fetch", fails=True)
            assert "`dvc add data/raw/table`" in said
            record(project, "Bring a week")
        said = project.run("dvc", "repro", *stages)
        assert "moved to another split" not in said
        after = sides(project)
        assert len(after) == count
        assert (after[before.index] == before).all()
        project.commit("Run the pipeline")
        before = after
