"""`crivo predict` and `crivo export`: files in, files out."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import typer
from typer.testing import CliRunner

from crivo.commands import prediction
from crivo.core.errors import CrivoError
from crivo.prediction import load_predictor
from crivo.testing import example_rows

Trained = Callable[..., Path]


def run(*arguments: str) -> str:
    """Run a command and return what it printed; an error is raised."""
    app = typer.Typer()
    prediction.register(app)
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


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_of_raw_rows_is_scored(trained: Trained, raw: Path, ending: str) -> None:
    output = raw.with_name(f"scored.{ending}")
    run("predict", str(raw), "-o", str(output), "--model", str(trained()))
    scored = pd.read_csv(output) if ending == "csv" else pd.read_parquet(output)
    expected = load_predictor(trained()).predict(example_rows(rows=12))
    assert scored["id"].tolist() == example_rows(rows=12)["id"].tolist()
    pd.testing.assert_frame_equal(scored[["prediction", "score"]], expected, rtol=1e-12)


def test_without_an_output_the_answer_is_printed(trained: Trained, raw: Path) -> None:
    printed = run("predict", str(raw), "--model", str(trained()))
    assert printed.splitlines()[0] == "id,prediction,score"
    assert len(printed.splitlines()) == 13


def test_without_an_id_the_answer_has_the_number_of_the_row(trained: Trained, raw: Path) -> None:
    pd.read_csv(raw).drop(columns="id").to_csv(raw, index=False)
    lines = run("predict", str(raw), "--model", str(trained())).splitlines()
    assert lines[0] == "row,prediction,score"
    assert [line.split(",")[0] for line in lines[1:]] == [str(one) for one in range(1, 13)]


def test_values_that_the_model_does_not_know_are_said_once(
    trained: Trained, raw: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = pd.read_csv(raw)
    table.loc[[2, 5], "city"] = "Atlantis"
    table.to_csv(raw, index=False)
    run("predict", str(raw), "--model", str(trained()))
    (said,) = caplog.messages
    assert said == (
        "2 of 12 rows have in city a value that the model doesn't know, such as 'Atlantis'; it "
        "counts as missing."
    )


def test_a_file_of_a_model_scores_as_well(trained: Trained, raw: Path, monkeypatch) -> None:
    monkeypatch.chdir(trained())
    file = raw.with_name("model.zip")
    assert load_predictor(".").version in run("export", str(file))
    printed = run("predict", str(raw), "--model", str(file))
    assert printed == run("predict", str(raw))


def test_an_output_of_unknown_form_is_refused_before_any_work(raw: Path) -> None:
    with pytest.raises(CrivoError, match=r"must end in \.csv or \.parquet"):
        run("predict", str(raw), "-o", "scored.xlsx")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [("pieces", -1, "pieces is below 0"), ("id", "r00001", "id is not unique")],
)
def test_a_file_with_rows_that_prepare_sets_aside_is_refused(
    trained: Trained, raw: Path, column: str, value: object, words: str
) -> None:
    table = pd.read_csv(raw)
    table.loc[4, column] = value
    table.to_csv(raw, index=False)
    output = raw.with_name("scored.csv")
    with pytest.raises(CrivoError, match=rf"such as prepare sets aside: .*row 5 \({words}\)"):
        run("predict", str(raw), "-o", str(output), "--model", str(trained()))
    assert not output.exists()
