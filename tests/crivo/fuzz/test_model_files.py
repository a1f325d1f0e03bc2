"""Whatever lies in a model's place is loaded or refused in a sentence, and no code of it runs."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crivo.modelfile.canonical import dump_model
from crivo.testing import example_rows
from tests.crivo.fuzz.commands import TIMES, Outcome, cases, crivo, stage
from tests.crivo.fuzz.values import csv_files, damaged, parquet_bytes, scalars, tables
from tests.crivo.modelfile.crafted import archive, attacks, reads

PARTS = (
    "models/model.skops",
    "models/featurizer.skops",
    "models/baseline.skops",
    "data/prepared/schema.json",
    "metrics/evaluation/threshold.json",
)
COMMANDS = ("predict", "export", "evaluate")


class Bomb:
    """Would leave a mark if a model file were unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path("ran").touch, ())


def use(folder: Path, command: str) -> Outcome:
    """Run a command that loads the model; what it wrote is there."""
    if command == "export":
        outcome = crivo(folder, "export", "again.zip")
        assert (folder / "again.zip").exists() == outcome.accepted
        (folder / "again.zip").unlink(missing_ok=True)
        return outcome
    if command == "evaluate":
        return crivo(folder, "evaluate", "--predictions", "said.csv")
    if command == "stage evaluate":
        return stage(folder, "evaluate")
    if command == "predict with an export":
        return use_export(folder)
    outcome = crivo(folder, "predict", "raw.csv", "-o", "scored.csv")
    if outcome.accepted:
        assert len(pd.read_csv(folder / "scored.csv")) == 20
    return outcome


def use_export(folder: Path) -> Outcome:
    """Score rows with a file of `crivo export` made of what the folder holds."""
    members = reads((folder / "model.zip").read_bytes())
    about = json.loads(members["version.json"])
    for place in about["files"]:
        data = (folder / place).read_bytes()
        members[Path(place).name] = data
        about["files"][place] = hashlib.md5(data, usedforsecurity=False).hexdigest()
    file = folder / "crafted.zip"
    file.write_bytes(archive(members | {"version.json": json.dumps(about).encode()}))
    return crivo(folder, "predict", "raw.csv", "--model", str(file), "-o", "scored.csv")


def use_with(project: Path, part: str, data: bytes, command: str) -> Outcome:
    """Put bytes in the place of a part of the model, use it, and put the part back."""
    path = project / part
    whole = path.read_bytes()
    try:
        path.write_bytes(data)
        outcome = use(project, command)
    finally:
        path.write_bytes(whole)
    assert not (project / "ran").exists()
    return outcome


def foreign() -> list[bytes]:
    """Return what people put in a model's place: other estimators, objects, archives, pickles."""
    import numpy as np
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = np.arange(6.0).reshape(3, 2), np.array([0, 1, 1])
    things: list[Any] = [
        {}, {"model": 1}, [1, 2], "model", None, 3.5, np.zeros(3), LogisticRegression(),
        LogisticRegression().fit(x, y), StandardScaler().fit(x), DummyClassifier().fit(x, y),
        DummyClassifier().fit(x, ["a", "b", "b"]), DummyRegressor().fit(x, y),
        make_pipeline(StandardScaler(), LogisticRegression()), pd.Timestamp("2013-01-01"),
    ]  # fmt: skip
    files = [b"", b"\x00" * 100, b"PK\x05\x06" + b"\x00" * 18, b"model", b"{}"]
    for thing in things:
        try:
            files.append(dump_model(thing))
        except Exception:  # not everything can be stored
            continue
    files += [pickle.dumps(Bomb()), pickle.dumps(LogisticRegression().fit(x, y))]
    for members in ({"schema.json": b"{}"}, {"a.txt": b"a"}, {"schema.json": pickle.dumps(Bomb())}):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, data in members.items():
                archive.writestr(name, data)
        files.append(file.getvalue())
    return files


# Which parts of a model each command loads.
LOADED = {
    "predict": PARTS[:2],
    "export": PARTS[:2],
    "evaluate": PARTS[2:3],
    "stage evaluate": (PARTS[0], PARTS[2]),
    "predict with an export": PARTS[:2],
}


# What loads a file refuses each attack, see tests/crivo/modelfile/test_allowed.py: here every
# command meets some of them, and each of them some command; all meet all with CRIVO_FUZZ=2.
ATTACKS = [
    (command, attack)
    for number, command in enumerate(LOADED)
    for place, attack in enumerate(attacks(Path()))
    if TIMES > 1 or place % len(LOADED) == number
]


@pytest.mark.parametrize(("command", "attack"), ATTACKS)
def test_no_command_runs_what_a_model_file_names(
    project: Path, tmp_path: Path, command: str, attack: str
) -> None:
    """Nor imports it: the working folder has a module of the name in the file."""
    mark = tmp_path / "ran"
    (project / "marks.py").write_text(f"open({str(mark)!r}, 'w')\nclass Mark(dict): ...\n")
    for part in LOADED[command]:
        outcome = use_with(project, part, attacks(mark)[attack], command)
        assert not outcome.accepted
    assert not mark.exists()
    (project / "marks.py").unlink()


@given(
    data=st.data(),
    part=st.sampled_from(PARTS),
    command=st.sampled_from(COMMANDS),
)
@cases(4)
def test_a_damaged_file_is_refused_in_a_sentence_or_still_good(
    project: Path, data: st.DataObject, part: str, command: str
) -> None:
    whole = (project / part).read_bytes()
    use_with(project, part, data.draw(damaged(whole)), command)


@given(
    data=st.deferred(lambda: st.sampled_from(foreign())),
    part=st.sampled_from(PARTS),
    command=st.sampled_from(COMMANDS),
)
@cases(4)
def test_a_foreign_file_is_refused_in_a_sentence(
    project: Path, data: bytes, part: str, command: str
) -> None:
    use_with(project, part, data, command)


@given(data=st.data())
@cases(4)
def test_a_damaged_export_is_refused_in_a_sentence(project: Path, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.zip"
        file.write_bytes(data.draw(damaged((project / "model.zip").read_bytes())))
        crivo(project, "predict", "raw.csv", "--model", str(file), "-o", str(file) + ".csv")


@st.composite
def raw_rows(draw: st.DrawFn) -> pd.DataFrame:
    """Draw raw rows in which cells, columns or types are others than the model was taught."""
    table = example_rows(rows=draw(st.integers(0, 5))).drop(columns="target").astype(object)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, table.shape[1] - 1))
        if len(table) and draw(st.booleans()):
            table.iloc[draw(st.integers(0, len(table) - 1)), at] = draw(scalars)
        elif len(table):
            table = table.assign(**{table.columns[at]: draw(scalars)}).astype(object)
    return table


@given(data=st.data(), table=raw_rows() | tables(rows=st.integers(0, 3)))
@cases(4)
def test_raw_rows_are_scored_or_refused_in_a_sentence(
    project: Path, data: st.DataObject, table: pd.DataFrame
) -> None:
    parquet = parquet_bytes(table) if data.draw(st.booleans()) else None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / ("rows.csv" if parquet is None else "rows.parquet")
        file.write_bytes(data.draw(csv_files(table)) if parquet is None else parquet)
        ending = data.draw(st.sampled_from(["csv", "parquet"]))
        output = Path(folder) / f"scored.{ending}"
        outcome = crivo(project, "predict", str(file), "-o", str(output))
        assert output.exists() == outcome.accepted
        if outcome.accepted and parquet is not None:
            scored = pd.read_csv(output) if ending == "csv" else pd.read_parquet(output)
            assert len(scored) == len(table)
