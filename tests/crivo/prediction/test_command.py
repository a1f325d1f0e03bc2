"""`crivo predict` and `crivo export`: files in, files out; and models that can't be used so."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import typer
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from crivo.commands.prediction import export, predict
from crivo.core.errors import CrivoError
from crivo.prediction.bundle import load_predictor
from crivo.testing import example_rows

Trained = Callable[..., Path]


def run(*arguments: str) -> str:
    """Run a command and return what it printed; an error is raised."""
    app = typer.Typer()
    app.command()(predict)
    app.command()(export)
    result = CliRunner().invoke(app, list(arguments))
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "raw.csv"
    example_rows(rows=12).drop(columns="target").to_csv(path, index=False)
    return path


def test_without_an_id_the_answer_has_the_number_of_the_row(trained: Trained, raw: Path) -> None:
    pd.read_csv(raw).drop(columns="id").to_csv(raw, index=False)
    lines = run("predict", str(raw), "--model", str(trained())).splitlines()
    assert lines[0] == "row,prediction,score"
    assert [line.split(",")[0] for line in lines[1:]] == [str(one) for one in range(1, 13)]


def test_what_can_t_be_used_is_said_in_a_sentence(trained: Trained, raw: Path) -> None:
    """Before any work; and no setting of the raw data is proposed for rows to score."""
    (raw.parent / "bytes.csv").write_bytes(bytes(9))
    model = ("--model", str(trained()))
    for arguments, sentence in [
        ((raw, "-o", "scored.xlsx"), r"must end in \.csv or \.parquet"),
        ((raw, "--model", raw.parent), "doesn't exist yet; run `dvc repro` in a project, or"),
        ((raw, *model, "--beside", raw.parent / "no"), "There is no folder .*no; give one"),
        ((raw.parent / "bytes.csv", *model), "fix the file or its extension, or save it as CSV"),
    ]:
        with pytest.raises(CrivoError, match=sentence):
            run("predict", *map(str, arguments))


def test_a_file_is_written_and_what_is_kept_is_never_replaced(
    trained: Trained, raw: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not by another name either: a link counts as itself and as what it points to."""
    monkeypatch.chdir(raw.parent)
    subprocess.run(["git", "init", "--quiet"], check=True)
    for folder in ("data/raw", "a-folder.csv"):
        Path(folder).mkdir(parents=True)
    Path("to-rows.csv").symlink_to("raw.csv")
    Path("hard.csv").hardlink_to("raw.csv")
    Path("to-data").symlink_to("data")
    predict = ("predict", "raw.csv", "--model", str(trained()))
    for place, why in {
        **dict.fromkeys(("raw.csv", "to-rows.csv", "hard.csv"), "is an input"),
        "to-data/raw/new.csv": "is in data/raw, and raw data are never changed",
        ".git/new.csv": "is tracked by git",
        "a-folder.csv": "isn't a regular file",
    }.items():
        with pytest.raises(CrivoError, match=f"^{place} {why}.*; name another file to write.$"):
            run(*predict, "-o", place, "--force")
    printed = run(*predict)
    for name in ("new.csv", "new.parquet"):
        assert run(*predict, "--output", name) == ""
        with pytest.raises(CrivoError, match=f"^{name} already exists; --force replaces it.$"):
            run(*predict, "--output", name)
        run(*predict, "--output", name, "--force")
    assert Path("new.csv").read_text() == printed
    pd.testing.assert_frame_equal(pd.read_parquet("new.parquet"), pd.read_csv("new.csv"))


def test_a_model_is_exported_once_unless_it_is_to_be_replaced(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained())
    file = tmp_path / "model.zip"
    assert re.fullmatch(
        r".*/model.zip: model \w+, fitted on training rows, 0\.0\d MB\n", run("export", str(file))
    )
    with pytest.raises(CrivoError, match="already exists; --force replaces it"):
        run("export", str(file))
    with pytest.raises(CrivoError, match="is an input"):
        run("export", "models/model.skops", "--force")
    before = file.read_bytes()
    run("export", str(file), "--force")
    assert file.read_bytes() == before


def test_a_model_without_probabilities_gives_labels_only(trained: Trained) -> None:
    class Labels:
        def predict(self, inputs):
            return np.full(len(inputs), True)

    whole = load_predictor(trained())
    fitted = replace(whole.fitted, model=Labels())
    predictor = replace(whole, fitted=fitted, threshold=0.5)
    assert list(predictor.predict(example_rows(rows=2))) == ["prediction"]
    assert list(predictor.predict(example_rows(rows=2)[:0])) == ["prediction"]


def test_a_model_of_another_run_is_refused_with_a_way_out(trained: Trained) -> None:
    whole = load_predictor(trained())
    rows = example_rows()[["pieces"]].astype(float)
    other = LogisticRegression().fit(rows, example_rows()["target"])
    mixed = replace(whole, fitted=replace(whole.fitted, model=other))
    words = r"The model refuses rows that fit the schema \(The feature names .* during fit\.\), so "
    with pytest.raises(CrivoError, match=f"^{words}featurizer and model come from different runs"):
        mixed.predict(example_rows(rows=3))
