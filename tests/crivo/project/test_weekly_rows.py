"""A team gets new rows each week: no row changes sides, by whatever it is split."""

from __future__ import annotations

import json
import re
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
        assert "changed sides" not in said
        after = sides(project)
        assert len(after) == count
        assert (after[before.index] == before).all()
        project.commit("Run the pipeline")
        before = after


def test_a_split_by_shares_is_refused_with_numbers_and_the_way_on(
    user: User, tmp_path: Path
) -> None:
    """Of 400 orders, 80 are test rows; of 460, those from the 369th on: 48 of the 80 leave it."""
    orders(ROWS).to_csv(tmp_path / "orders.csv", index=False)
    given = ("--data", str(tmp_path / "orders.csv"), "--target", "late", "--id", "order")
    project = start(user, "shares", *given, "--time", "day")
    params = project.folder / "params.yaml"
    fixed = [line.strip() for line in params.read_text().splitlines() if "_from: '" in line]
    text = params.read_text()
    for line, share in zip(fixed, ("valid_from: 0.6", "test_from: 0.8"), strict=True):
        text = text.replace(line, share)
    params.write_text(text)
    project.run("dvc", "repro", "prepare")
    project.commit("Split by shares")
    before = sides(project)
    put(project, orders(ROWS + WEEK).rename(columns={"size": "width"}))
    record(project, "Bring a week")
    said = project.run("dvc", "repro", "prepare", fails=True)
    assert "48 from test to valid, 36 from valid to train" in said
    assert "gone: size; new: width" in said
    # The two points that were said: nothing moves.
    points = re.findall(r"(\w+_from): '([^']+)'", " ".join(said.split()))
    for (key, point), share in zip(points, ("0.6", "0.8"), strict=True):
        text = text.replace(f"{key}: {share}", f"{key}: '{point}'")
    params.write_text(text)
    assert "changed sides" not in project.run("dvc", "repro", "prepare")
    assert (sides(project)[before.index] == before).all()
    metrics = json.loads((project.folder / "metrics/data/metrics.json").read_text())
    assert metrics["rows_out"] == ROWS + WEEK
