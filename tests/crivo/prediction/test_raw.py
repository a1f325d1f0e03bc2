"""Raw rows are scored as the pipeline scored them, by the dataset and the files it keeps."""

import hashlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from crivo.core import artifacts
from crivo.core.errors import CrivoError
from crivo.core.registry import find_block, make_block
from crivo.modelfile.canonical import save_model
from crivo.prediction.bundle import export_predictor, load_predictor
from crivo.preparation.rawdata import raw_files, total_hash
from tests.crivo.blocks.datasets.raw_flights import flight, report, write_raw
from tests.crivo.prediction.test_command import run
from tests.crivo.prediction.trained import lock

CODE = Path(find_block("dataset", "flights").load.__code__.co_filename).parent


def flights() -> list[dict[str, Any]]:
    """Return flights of six days whose delays differ."""
    days = range(1, 7)
    return [
        flight(
            f"2013-03-{day:02} {hour:02}:00",
            number=hour,
            carrier="UA" if hour % 2 else "DL",
            tailnum=f"N{hour % 3}",
            left=(day * hour) % 50,
            landed=(day * hour * 7) % 60,
        )
        for day in days
        for hour in range(6, 22)
    ]


def make_project(folder: Path, dataset: str, settings: dict[str, Any]) -> Path:
    """Write what the pipeline leaves of raw files that are there already."""
    raw = folder / artifacts.RAW / dataset
    block = make_block("dataset", dataset, settings)
    rows = block.load(raw)
    schema = block.schema(rows)
    featurizer = make_block("featurizer", "tabular", {}).build(schema, 1).fit(rows)
    target = rows[schema.target].astype(object)
    model = make_block("model", "linear", {}).build(schema.task, 1)
    artifacts.write_json(folder / artifacts.SCHEMA, schema.to_json())
    save_model(folder / artifacts.FEATURIZER, featurizer)
    save_model(folder / artifacts.MODEL, model.fit(featurizer.transform(rows), target.astype(bool)))
    code = hashlib.md5((CODE / f"{dataset}.py").read_bytes()).hexdigest()
    content = total_hash(raw_files(raw))
    deps = {f"src/blocks/datasets/{dataset}.py": code, f"data/raw/{dataset}": content}
    prepare = {
        "cmd": "python src/prepare.py",
        "deps": [{"path": path, "md5": md5} for path, md5 in deps.items()],
        "params": {"params.yaml": {"dataset": dataset, f"datasets.{dataset}": settings}},
    }
    lock(folder, prepare=prepare)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flights")
    weather = [
        report(f"2013-03-{day:02}T{hour:02}:00:00Z", temp=float(hour))
        for day in range(1, 8)
        for hour in range(24)
    ]
    write_raw(folder / "data/raw/flights", flights(), weather)
    return make_project(folder, "flights", {"late_minutes": 30, "history_days": 2})


@pytest.fixture
def project(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path / "project/src")  # its code runs here
    return Path(shutil.copytree(trained, tmp_path / "project"))


@pytest.fixture
def raw() -> pd.DataFrame:
    """The raw flights of the last day, with what is known afterwards spoilt."""
    table = pd.DataFrame(flights()).tail(16)
    return table.assign(dep_delay=999, arr_delay=999, arr_time=np.nan)


def test_earlier_rows_may_be_given_beside(
    project: Path, raw: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of flights that aren't in the folder nothing has happened yet: no delay is known.

    An exported file holds the folder's files.
    """
    monkeypatch.chdir(project)
    export_predictor(tmp_path / "model.zip")
    beside = Path(shutil.copytree(project / "data/raw/flights", tmp_path / "beside"))
    write_raw(beside, flights()[:-16])
    shutil.copy(project / "data/raw/flights/weather.csv", beside)
    raw.to_csv(tmp_path / "raw.csv", index=False)
    command = ("predict", str(tmp_path / "raw.csv"), "--model")
    known, new, exported = (
        run(*command, str(model), *options).splitlines()
        for model, *options in (
            (project,), (project, "--beside", str(beside)), (tmp_path / "model.zip",)
        )
    )  # fmt: skip
    assert exported == known
    # The first flight of a day has nothing before it that day.
    assert known[1] == new[1]
    assert known[-1] != new[-1]


def test_rows_that_are_neither_raw_nor_of_the_model_or_of_another_type_are_refused(
    project: Path, raw: pd.DataFrame
) -> None:
    predictor = load_predictor(project)
    with pytest.raises(CrivoError, match="The raw rows lack tailnum;"):
        predictor.predict(raw.drop(columns="tailnum"))
    with pytest.raises(CrivoError, match="raw rows have values of other types .*column 'hour'"):
        predictor.predict(raw.astype({"hour": "str"}).assign(hour="noon"))


def change_lock(project: Path, old: str, new: str) -> None:
    lock = project / "dvc.lock"
    lock.write_text(lock.read_text().replace(old, new))


def test_other_code_of_the_dataset_is_warned_of(
    project: Path, raw: pd.DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    code = hashlib.md5((CODE / "flights.py").read_bytes()).hexdigest()
    change_lock(project, code, "0" * 32)
    load_predictor(project).predict(raw)
    assert "datasets/flights.py isn't the file that made the model's rows" in caplog.text


def test_without_the_dataset_rows_of_the_model_are_scored_and_raw_ones_refused(
    project: Path, raw: pd.DataFrame
) -> None:
    change_lock(project, "flights", "elsewhere")
    predictor = load_predictor(project)
    dataset = make_block("dataset", "flights", {"late_minutes": 30})
    assert len(predictor.predict(dataset.load(project / "data/raw/flights"))) == 96
    with pytest.raises(CrivoError, match="rows of the dataset elsewhere, which can't be made here"):
        predictor.predict(raw)


def test_missing_or_other_raw_files_are_not_exported(project: Path, tmp_path: Path) -> None:
    (project / "data/raw/flights/planes.csv").write_text("tailnum\n")
    with pytest.raises(CrivoError, match="isn't what the model was made from"):
        export_predictor(tmp_path / "model.zip", project)
    (project / "data/raw/flights/planes.csv").unlink()
    with pytest.raises(CrivoError, match="isn't what the model was made from"):
        export_predictor(tmp_path / "model.zip", project)
    assert not (tmp_path / "model.zip").exists()


def test_a_file_is_read_as_the_table_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a header, with gaps written -9, and a comma in numbers that few rows don't show."""
    folder = tmp_path / "project/data/raw/table"
    folder.mkdir(parents=True)
    lines = [f"{i};{i % 37},5;{'-9' if i % 5 == 0 else i % 3};{i % 2}" for i in range(80)]
    (folder / "rows.csv").write_text("\n".join(lines))
    (tmp_path / "new.csv").write_text("\n".join(lines[-6:]))
    settings = {
        "target": "column_4", "id": ["column_1"], "header": False, "missing": ["-9"],
        "decimal": ",", "types": {"column_3": "category"},
    }  # fmt: skip
    monkeypatch.syspath_prepend(tmp_path / "project/src")
    predictor = load_predictor(make_project(tmp_path / "project", "table", settings))
    rows = make_block("dataset", "table", settings).load(folder).tail(6)
    scores = predictor.predict(predictor.read(tmp_path / "new.csv"))["score"]
    assert scores.tolist() == predictor.predict(rows)["score"].tolist()
